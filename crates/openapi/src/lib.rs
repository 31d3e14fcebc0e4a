//! Attributes and derives that describe API calls and their JSON, under the name `utoipa`
//! (design/operations).
//!
//! With the feature `document`, which only tests enable, this crate is utoipa itself: tests create
//! the OpenAPI document and compare it with the committed file, which the server serves. Without
//! the feature, the same names exist but generate no descriptions, which would be a tenth of the
//! whole program. `wire` uses the crate for types and `http` for calls. It never changes what a
//! call does.

#[cfg(feature = "document")]
pub use utoipa::*;

#[cfg(not(feature = "document"))]
pub use self::off::{HttpMethod, Path, openapi};
#[cfg(not(feature = "document"))]
pub use confab_openapi_off::{IntoParams, ToSchema, path};

#[cfg(not(feature = "document"))]
mod off {
    /// Path and methods of a call: the only part of its description that remains.
    pub trait Path {
        fn methods() -> Vec<HttpMethod>;

        fn path() -> String;
    }

    /// HTTP methods of calls.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum HttpMethod {
        Get,
        Post,
        Put,
        Delete,
        Options,
        Head,
        Patch,
        Trace,
    }

    /// Stands for the module of this name in utoipa.
    pub mod openapi {
        pub use super::HttpMethod;
    }
}
