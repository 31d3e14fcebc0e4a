//! What the rule about uploads asks and finds (D-0079).

use crate::ids::UserKey;

/// What is to be known before a file is kept. Nobody else adds one to the app meanwhile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadQuestion {
    /// The file's.
    pub hash: String,
    /// Who adds it.
    pub user: UserKey,
    /// On which day, counted from 1970 in UTC.
    pub day: i64,
}

/// What is known before a file is kept.
#[derive(Debug, Clone, Copy, Default)]
pub struct UploadFacts {
    /// The app has these bytes already.
    pub is_known: bool,
    /// Bytes of the app's files.
    pub app_bytes: u64,
    /// Bytes that the user added on that day.
    pub user_bytes: u64,
}

/// What may be uploaded; `None` is no limit.
#[derive(Debug, Clone, Copy, Default)]
pub struct UploadQuotas {
    /// Bytes of all files of an app.
    pub app_bytes_max: Option<u64>,
    /// Bytes that one user adds on one day.
    pub user_bytes_per_day: Option<u64>,
}
