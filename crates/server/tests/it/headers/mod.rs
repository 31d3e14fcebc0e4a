//! What stands around a request and its answer: brands, request ids, rate limits.

mod brands;
mod content_type;
mod either_secret;
mod rate_limits;
mod request_ids;
mod too_many_at_once;
