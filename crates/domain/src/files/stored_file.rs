//! The metadata of an uploaded file.

use crate::ids::{AppId, UserKey};
use crate::time::Timestamp;

/// The metadata of an uploaded file. Its content is stored under its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFile {
    /// SHA-256 of the content, in hexadecimal.
    pub hash: String,
    pub app: AppId,
    /// Name at the first upload.
    pub name: String,
    /// Media type at the first upload.
    pub media_type: String,
    /// Size in bytes.
    pub size: u64,
    /// The first user who uploaded it.
    pub uploaded_by: UserKey,
    pub created_at: Timestamp,
}
