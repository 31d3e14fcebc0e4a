//! Notes a file whose bytes are here, if it may be kept (D-0046, D-0079).

use confab_domain::app::App;
use confab_domain::files::stored_file::StoredFile;
use confab_domain::files::upload_facts::UploadQuestion;
use confab_domain::files::uploading;
use confab_domain::ids::UserKey;
use confab_store::WriteError;

use crate::clock;
use crate::files::Kept;
use crate::services::Services;

/// From now on the app serves it, once it has its place.
pub(crate) async fn keep_file(
    services: &Services,
    app: &App,
    user: UserKey,
    (name, media_type): (&str, &str),
    kept: &Kept,
) -> Result<(), WriteError> {
    let (quotas, day) = (services.config().quotas.uploads, uploading::day_of(clock::now()));
    let asked = UploadQuestion { hash: kept.hash.clone(), user, day };
    let file = StoredFile {
        hash: kept.hash.clone(),
        app: app.id,
        name: name.to_owned(),
        media_type: media_type.to_owned(),
        size: kept.size,
        uploaded_by: user,
        created_at: clock::now(),
    };
    let app_bytes = services
        .store()
        .decide(app.id, uploading::question(&asked), move |facts, stamp| {
            let file = StoredFile { created_at: stamp.now, ..file.clone() };
            uploading::keep(facts, &asked, &file, quotas, stamp)
        })
        .await?;
    services.quotas().show_uploaded(app.code.as_str(), app_bytes);
    Ok(())
}
