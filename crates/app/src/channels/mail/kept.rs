//! Files of mails that were received by LMTP. They are stored immediately, because they cannot be
//! fetched from a mailbox later.

use std::io;

use confab_providers::email::STORED_HERE;
use confab_providers::{Media, MediaSource};
use confab_runtime::files::WholeFile;

use crate::channels::linked::LinkedChannel;
use crate::services::Services;

/// Whether a file belongs to a mail that was received by LMTP.
pub(crate) fn is_kept(media: &Media) -> bool {
    let MediaSource::Id(id) = &media.source else { return false };
    id.rsplit_once(':').is_some_and(|(place, _)| place == STORED_HERE)
}

/// Returns the content of a file that was stored with its mail, or `None` if it does not exist.
pub(in crate::channels) async fn content(
    services: &Services,
    linked: &LinkedChannel,
    media: &Media,
) -> io::Result<Option<Vec<u8>>> {
    let (Some(hash), Some(size)) = (&media.sha256, media.bytes) else { return Ok(None) };
    let opened = services.files().open(linked.app.id, hash, (0, size)).await?;
    let Some(mut file) = opened else { return Ok(None) };
    let mut content = Vec::new();
    while let Some((bytes, rest)) = file.next().await? {
        content.extend_from_slice(&bytes);
        file = rest;
    }
    Ok(Some(content))
}

/// Deletes the file of a rejected mail from disk, unless a message already uses the file. If a
/// message started to use it during the deletion, the file is stored again.
pub(crate) async fn delete(
    services: &Services,
    linked: &LinkedChannel,
    whole: WholeFile,
) -> io::Result<()> {
    let (app, hash) = (linked.app.id, whole.kept.hash.clone());
    let is_named = async || {
        let file = services.store().file(app, &hash).await;
        file.map(|it| it.is_some()).map_err(io::Error::other)
    };
    if is_named().await? {
        return Ok(());
    }
    services.files().remove(app, &hash).await?;
    if is_named().await? {
        services.files().keep(whole, app).await?;
    }
    Ok(())
}
