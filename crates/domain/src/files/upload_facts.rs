//! Question and facts of the rule about uploads (design/sign-in-and-limits).

use crate::ids::UserKey;

/// The upload to check. The store locks the app's uploads until the decision is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadQuestion {
    /// Hash of the file.
    pub hash: String,
    /// The uploading user.
    pub user: UserKey,
    /// Day of the upload, counted from 1970 in UTC.
    pub day: i64,
}

/// Facts about an app's and a user's uploads.
#[derive(Debug, Clone, Copy, Default)]
pub struct UploadFacts {
    /// Whether the app already has a file with these bytes.
    pub is_known: bool,
    /// Total bytes of the app's files.
    pub app_bytes: u64,
    /// Bytes that the user added on that day.
    pub user_bytes: u64,
}

/// Upload limits; `None` means no limit.
#[derive(Debug, Clone, Copy, Default)]
pub struct UploadQuotas {
    /// Total bytes of an app's files.
    pub app_bytes_max: Option<u64>,
    /// Bytes that one user may add per day.
    pub user_bytes_per_day: Option<u64>,
}
