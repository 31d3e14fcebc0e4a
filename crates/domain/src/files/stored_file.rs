//! Files that were uploaded.

use crate::ids::{AppId, UserKey};
use crate::time::Timestamp;

/// A file that was uploaded. The bytes are kept by their hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFile {
    /// SHA-256, in hex.
    pub hash: String,
    /// In this app.
    pub app: AppId,
    /// As it was first called.
    pub name: String,
    /// As it was first served.
    pub media_type: String,
    /// Bytes.
    pub size: u64,
    /// Who first uploaded it.
    pub uploaded_by: UserKey,
    pub created_at: Timestamp,
}
