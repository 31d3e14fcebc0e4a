//! Files of messages: fetched from the provider and stored before the message is posted.

use confab_domain::ids::UserKey;
use confab_providers::{DraftContent, InboundMessage, ReplyReference, StoredMedia};
use confab_runtime::files::{WholeFile, media_type, served_url};
use confab_store::WriteError;

use super::{EventFailure, Handling, never};
use crate::actions::messages::store_file::store_file;
use crate::channels::mail::kept::{delete, is_kept};
use crate::channels::media::NoFile;
use crate::services::Services;

/// Maximum number of attempts to fetch a file. Afterwards the message states that the file is not
/// available.
const FILE_TRIES: u32 = 3;
/// Maximum number of attempts to fetch a file that the provider is still preparing. They take about
/// 80 seconds in total.
const PREPARED_TRIES: u32 = 5;

impl Handling<'_> {
    /// Returns the content of a message. Fetches and stores its file first; if the file is not
    /// available, the content states so.
    pub(super) async fn content(
        &self,
        inbound: &InboundMessage,
        customer: UserKey,
        replied: &ReplyReference,
    ) -> Result<DraftContent, EventFailure> {
        let whole = match (inbound.media(), inbound.long_text()) {
            (Some(media), _) => {
                let fetched = match self.linked.is_printed() {
                    true => Err(NoFile::Never("is not fetched, because this channel only prints")),
                    false => {
                        self.yield_slot.now();
                        self.linked.fetch(self.services, media).await
                    }
                };
                fetched.map(|whole| (whole, media.file_name.clone()))
            }
            (None, Some(text)) => {
                let written = write_text(self.services, text).await;
                written.map(|whole| (whole, "message.txt".to_owned()))
            }
            (None, None) => return Ok(inbound.posted(replied, None)),
        };
        let (whole, name) = match whole {
            Ok(whole) => whole,
            Err(NoFile::Never(why)) => return Ok(inbound.posted_without_file(why)),
            Err(NoFile::NotNow(why)) if self.attempt() < FILE_TRIES => {
                return Err(EventFailure::NotNow(why));
            }
            Err(NoFile::NotYet) if self.attempt() < PREPARED_TRIES => {
                return Err(EventFailure::NotNow(
                    "The provider is still preparing the file.".to_owned(),
                ));
            }
            Err(NoFile::NotNow(_) | NoFile::NotYet) => {
                return Ok(inbound.posted_without_file("could not be fetched from the provider"));
            }
        };
        let is_kept = inbound.media().is_some_and(is_kept);
        match self.store_media(whole, &name, customer, is_kept).await {
            Ok(kept) => Ok(inbound.posted(replied, Some(&kept))),
            Err(EventFailure::Never(_)) => {
                Ok(inbound.posted_without_file("exceeds the app's storage quota"))
            }
            Err(later) => Err(later),
        }
    }

    async fn store_media(
        &self,
        whole: WholeFile,
        name: &str,
        customer: UserKey,
        is_kept: bool,
    ) -> Result<StoredMedia, EventFailure> {
        let (services, server) = (self.services, self.linked.principal());
        let kind = (name, media_type(name).name);
        let noted = store_file(services, &server, customer, kind, &whole.kept).await;
        if let Err(error @ WriteError::Refused(_)) = noted {
            // A mail server has already handed over the file, so it would stay forever.
            if is_kept && let Err(error) = delete(services, self.linked, whole).await {
                tracing::warn!(
                    channel.id = self.linked.channel.id.0,
                    %error,
                    "failed to remove a file of a rejected mail"
                );
            }
            return Err(error.into());
        }
        noted?;
        let not_stored = |error: std::io::Error| EventFailure::NotNow(error.to_string());
        let kept = services.files().keep(whole, server.app.id).await.map_err(not_stored)?;
        let url = served_url(&services.config().public_url, &server.app.code, &kept.hash, name);
        let url = url.ok_or_else(|| never("This server has no public URL."))?;
        Ok(StoredMedia { url, bytes: kept.size })
    }

    /// Returns the number of this attempt, counted from 1.
    fn attempt(&self) -> u32 {
        self.ends.attempt.number
    }
}

async fn write_text(services: &Services, text: &str) -> Result<WholeFile, NoFile> {
    let unwritten = |error: std::io::Error| NoFile::NotNow(error.to_string());
    let incoming = services.files().begin().await.map_err(unwritten)?;
    let incoming = incoming.write(text.as_bytes()).await.map_err(unwritten)?;
    incoming.finish().await.map_err(unwritten)
}
