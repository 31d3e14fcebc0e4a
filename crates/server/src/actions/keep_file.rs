//! Notes a file whose bytes are kept (D-0046).

use confab_domain::app::App;
use confab_domain::client::{ClientChange, StoredFile};
use confab_domain::decision::{Decision, Question};
use confab_domain::ids::UserKey;
use confab_store::WriteError;

use crate::files::Kept;
use crate::services::Services;

/// From now on the app serves it.
pub(crate) async fn keep_file(
    services: &Services,
    app: &App,
    user: UserKey,
    (name, media_type): (&str, &str),
    kept: &Kept,
) -> Result<(), WriteError> {
    let (app, hash, size) = (app.id, kept.hash.clone(), kept.size);
    let (name, media_type) = (name.to_owned(), media_type.to_owned());
    services
        .store()
        .decide(app, Question::default(), move |_, stamp| {
            let file = StoredFile {
                hash: hash.clone(),
                app,
                name: name.clone(),
                media_type: media_type.clone(),
                size,
                uploaded_by: user,
                created_at: stamp.now,
            };
            Ok(Decision { changes: vec![ClientChange::AddFile(file).into()], outcome: () })
        })
        .await
}
