//! Responses: bodies, errors, caching and compression.

pub(super) mod answer;
pub(super) mod compressing;
pub(super) mod error_shape;
pub(super) mod etag;
pub(super) mod json;
pub(super) mod large_answers;
pub(super) mod problem;
