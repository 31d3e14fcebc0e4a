//! Question and facts of the rule about uploads (design/sign-in-and-limits).

use crate::ids::UserKey;

/// The upload to check. The store locks the app's uploads until the decision is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadQuestion {
    /// SHA-256 of the file, in hexadecimal.
    pub hash: String,
    pub user: UserKey,
    /// Day of the upload, in days since 1970 in UTC.
    pub day: i64,
}

/// Facts about an app's and a user's uploads.
#[derive(Debug, Clone, Copy, Default)]
pub struct UploadFacts {
    /// Whether the app already has a file with these bytes.
    pub is_known: bool,
    /// Total size in bytes of the app's files.
    pub app_bytes: u64,
    /// Total size in bytes of the files that the user added on the day of the upload.
    pub user_bytes: u64,
}

/// Upload limits; `None` means no limit.
#[derive(Debug, Clone, Copy, Default)]
pub struct UploadQuotas {
    /// Maximum total size in bytes of an app's files.
    pub app_bytes_max: Option<u64>,
    /// Maximum total size in bytes of the files that one user may add per day.
    pub user_bytes_per_day: Option<u64>,
}
