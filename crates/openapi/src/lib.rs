//! What describes the calls of Confab and their JSON, under the name `utoipa` (D-0192).
//!
//! Here is utoipa itself where the OpenAPI document is made: in the tests, which compare it with
//! the file that is checked in. The program serves that file. It is built without the feature
//! `document`, and then the same words stand here and describe nothing: what they would become is
//! a tenth of the whole program. Used by `wire`, whose types are described, and by `server`, whose
//! calls are. It never changes what a call does.

#[cfg(feature = "document")]
pub use utoipa::*;

#[cfg(not(feature = "document"))]
pub use self::off::{HttpMethod, Path, openapi};
#[cfg(not(feature = "document"))]
pub use confab_openapi_off::{IntoParams, ToSchema, path};

#[cfg(not(feature = "document"))]
mod off {
    /// Where a call is answered: all that is left of its description.
    pub trait Path {
        fn methods() -> Vec<HttpMethod>;

        fn path() -> String;
    }

    /// The methods that calls have.
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

    /// Where utoipa has its names.
    pub mod openapi {
        pub use super::HttpMethod;
    }
}
