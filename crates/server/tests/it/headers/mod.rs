//! Headers of requests and responses: brands, request ids, rate limits.

mod brands;
mod content_type;
mod either_secret;
mod rate_limits;
mod request_ids;
mod too_many_at_once;
