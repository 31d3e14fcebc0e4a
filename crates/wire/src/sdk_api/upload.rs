//! The upload of a file, and its response (wire facts 4.3).

use serde::Serialize;
use utoipa::ToSchema;

/// Multipart form of `POST /upload`.
#[derive(ToSchema)]
#[schema(as = ClientUpload)]
pub struct UploadFields {
    /// File to upload.
    #[schema(value_type = String, format = Binary)]
    pub file: Vec<u8>,
    /// The user's access token, for clients that do not send it in a header. This field should
    /// precede the file.
    pub token: Option<String>,
}

/// The `results` object of an upload.
#[derive(Debug, Serialize, ToSchema)]
pub struct FileBox<'a> {
    pub file: FileShape<'a>,
}

/// An uploaded file.
#[derive(Debug, Serialize, ToSchema)]
pub struct FileShape<'a> {
    /// Original name of the file.
    pub name: &'a str,
    /// Always 1, because files are not inspected.
    pub pages: u32,
    /// Size in bytes.
    pub size: u64,
    /// URL of the file.
    pub url: String,
}

/// Returns the response to an upload.
pub fn uploaded(name: &str, size: u64, url: String) -> FileBox<'_> {
    FileBox { file: FileShape { name, pages: 1, size, url } }
}
