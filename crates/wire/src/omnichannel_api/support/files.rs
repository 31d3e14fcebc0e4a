//! Files that agents send.

use serde::Serialize;
use utoipa::ToSchema;

/// Multipart form of `POST /api/v2/files`.
#[derive(ToSchema)]
#[schema(as = SendFile)]
pub struct SendFileFields {
    /// File to send.
    #[schema(value_type = String, format = Binary)]
    pub file: Vec<u8>,
}

/// Response data of an uploaded file.
#[derive(Debug, Serialize, ToSchema)]
pub struct SentFileBox<'a> {
    pub file: SentFile<'a>,
}

/// An uploaded file, which a message of type `file_attachment` can refer to.
#[derive(Debug, Serialize, ToSchema)]
pub struct SentFile<'a> {
    /// Original name of the file.
    pub name: &'a str,
    /// Size in bytes.
    pub size: u64,
    /// URL of the file.
    pub url: &'a str,
}
