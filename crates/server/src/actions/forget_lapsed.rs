//! Forgets what is over: nonces that nobody used, and what users uploaded on days before this one.

use confab_domain::decision::change::{FileChange, UserChange};
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::Decision;
use confab_domain::files::uploading;
use confab_domain::ids::AppId;
use confab_store::WriteError;

use crate::services::Services;

/// Of all apps at once: nothing is asked, so no app is looked at.
pub(crate) async fn forget_lapsed(services: &Services) -> Result<(), WriteError> {
    services
        .store()
        .decide(AppId(0), Question::default(), |_, stamp| {
            let nonces = UserChange::ForgetNonces { before: stamp.now };
            let uploads = FileChange::ForgetUploads { before_day: uploading::day_of(stamp.now) };
            Ok(Decision::new(vec![nonces.into(), uploads.into()], ()))
        })
        .await
}
