//! Files: what was uploaded, and what may be.

pub mod uploading;
