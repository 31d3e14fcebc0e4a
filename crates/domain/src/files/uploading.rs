//! The rule that stores an uploaded file within the quotas of app and user
//! (design/sign-in-and-limits).

use crate::app::App;
use crate::decision::change::FileChange;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::{OmnichannelQuestion, Question};
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::files::stored_file::StoredFile;
use crate::files::upload_facts::{UploadFacts, UploadQuestion, UploadQuotas};
use crate::ids::AppId;
use crate::refusal::Refusal;
use crate::time::Timestamp;

/// Microseconds per day.
const DAY_US: i64 = 24 * 3600 * 1_000_000;

/// Returns the day of a time, in days since 1970 in UTC.
pub fn day_of(time: Timestamp) -> i64 {
    time.0.div_euclid(DAY_US)
}

/// Returns the number of seconds until the next day in UTC, rounded up.
pub fn seconds_left(now: Timestamp) -> u64 {
    (DAY_US - now.0.rem_euclid(DAY_US)).unsigned_abs().div_ceil(1_000_000)
}

/// Stores the metadata of an uploaded file whose content is already stored. Content that the app
/// already has is not counted again. The outcome is the total size in bytes of the app's files.
pub struct StoreFile {
    /// Hash of the file, uploading user and day.
    pub asked: UploadQuestion,
    pub name: String,
    pub media_type: String,
    /// Size in bytes.
    pub size: u64,
    pub quotas: UploadQuotas,
}

impl Rule for StoreFile {
    type Outcome = u64;

    fn question(&self, _: &App) -> Question {
        let omni = OmnichannelQuestion {
            upload: Some(self.asked.clone()),
            ..OmnichannelQuestion::default()
        };
        Question { omni: Some(omni), ..Question::default() }
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Self::Outcome>, Refusal> {
        let UploadFacts { is_known, app_bytes, user_bytes } = facts.omni.upload;
        if is_known {
            return Ok(Decision::nothing(app_bytes));
        }
        let (quotas, bytes) = (self.quotas, self.size);
        let (app_bytes, user_bytes) = (app_bytes + bytes, user_bytes + bytes);
        if let Some(bytes_max) = quotas.app_bytes_max.filter(|max| app_bytes > *max) {
            return Err(Refusal::AppUploadsFull { bytes_max });
        }
        if let Some(bytes_max) = quotas.user_bytes_per_day.filter(|max| user_bytes > *max) {
            let wait_s = seconds_left(stamp.now);
            return Err(Refusal::UserUploadedMuch { bytes_max, wait_s });
        }
        let (app, user, day) = (context.app.id, self.asked.user, self.asked.day);
        let counted = FileChange::CountUpload { app, user, day, bytes };
        let changes = vec![FileChange::Add(self.file(app, stamp)).into(), counted.into()];
        Ok(Decision::new(changes, app_bytes))
    }
}

impl StoreFile {
    fn file(&self, app: AppId, stamp: &Stamp<'_>) -> StoredFile {
        StoredFile {
            hash: self.asked.hash.clone(),
            app,
            name: self.name.clone(),
            media_type: self.media_type.clone(),
            size: self.size,
            uploaded_by: self.asked.user,
            created_at: stamp.now,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_of_an_upload_quota_ends_at_midnight_utc() {
        let at = |seconds: i64| Timestamp(seconds * 1_000_000);
        assert_eq!((day_of(at(86_399)), seconds_left(at(86_399))), (0, 1));
        assert_eq!((day_of(at(86_400)), seconds_left(at(86_400))), (1, 86_400));
        assert_eq!(seconds_left(Timestamp(86_399_000_001)), 1);
    }
}
