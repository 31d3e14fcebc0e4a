//! Derives that describe the JSON of API calls, under the name `utoipa` (design/operations).
//!
//! With the feature `document`, which only tests enable, this crate is utoipa itself: tests create
//! the OpenAPI document and compare it with the committed file, which the server serves. Without
//! the feature, the derives generate nothing: descriptions would be a tenth of the whole program.

#[cfg(not(feature = "document"))]
pub use confab_openapi_off::{IntoParams, ToSchema};
#[cfg(feature = "document")]
pub use utoipa::*;
