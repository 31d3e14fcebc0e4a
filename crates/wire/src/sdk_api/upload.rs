//! What is answered about an uploaded file (wire facts 4.3).

use serde::Serialize;
use utoipa::ToSchema;

/// `POST /upload`: a multipart form.
#[derive(ToSchema)]
#[schema(as = ClientUpload)]
pub struct UploadFields {
    /// The file.
    #[schema(value_type = String, format = Binary)]
    pub file: Vec<u8>,
    /// The user's token, for clients that send it here; better before the file than behind it.
    pub token: Option<String>,
}

/// `results.file`
#[derive(Debug, Serialize, ToSchema)]
pub struct FileBox<'a> {
    /// The file.
    pub file: FileShape<'a>,
}

/// A file that was uploaded.
#[derive(Debug, Serialize, ToSchema)]
pub struct FileShape<'a> {
    /// As it was called.
    pub name: &'a str,
    /// Always 1: files are not looked into.
    pub pages: u32,
    /// Bytes.
    pub size: u64,
    /// Where it is served.
    pub url: String,
}

/// The answer about one file.
pub fn uploaded(name: &str, size: u64, url: String) -> FileBox<'_> {
    FileBox { file: FileShape { name, pages: 1, size, url } }
}
