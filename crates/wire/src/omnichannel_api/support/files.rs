//! Files that those send who work in an app (D-0125).

use serde::Serialize;
use utoipa::ToSchema;

/// `POST /api/v2/files`: a multipart form.
#[derive(ToSchema)]
#[schema(as = SendFile)]
pub struct SendFileFields {
    /// The file.
    #[schema(value_type = String, format = Binary)]
    pub file: Vec<u8>,
}

/// `data.file`
#[derive(Debug, Serialize, ToSchema)]
pub struct SentFileBox<'a> {
    /// The file.
    pub file: SentFile<'a>,
}

/// A file that is served from now on; a message of type `file_attachment` shows it.
#[derive(Debug, Serialize, ToSchema)]
pub struct SentFile<'a> {
    /// As it was called.
    pub name: &'a str,
    /// Bytes.
    pub size: u64,
    /// Where it is served.
    pub url: &'a str,
}
