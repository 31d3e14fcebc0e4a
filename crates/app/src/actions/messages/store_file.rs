//! Records uploaded files, if the app's quota allows them (design/files,
//! design/sign-in-and-limits).

use confab_domain::decision::principal::Principal;
use confab_domain::files::upload_facts::UploadQuestion;
use confab_domain::files::uploading::{self, StoreFile};
use confab_domain::ids::UserKey;
use confab_runtime::clock;
use confab_runtime::files::StoredFileInfo;
use confab_store::WriteError;

use crate::services::Services;

/// Records a file of the app. The file can be downloaded once its bytes are moved from the
/// temporary to the final location.
pub async fn store_file(
    services: &Services,
    by: &Principal,
    user: UserKey,
    (name, media_type): (&str, &str),
    kept: &StoredFileInfo,
) -> Result<(), WriteError> {
    let day = uploading::day_of(clock::now());
    let rule = StoreFile {
        asked: UploadQuestion { hash: kept.hash.clone(), user, day },
        name: name.to_owned(),
        media_type: media_type.to_owned(),
        size: kept.size,
        quotas: services.config().quotas.uploads,
    };
    let app_bytes = services.decisions().decide(by, rule).await?;
    services.admission().quotas.show_uploaded(by.app.code.as_str(), app_bytes);
    Ok(())
}
