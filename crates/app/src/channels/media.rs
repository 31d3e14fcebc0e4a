//! Downloads of customers' files from providers into the file store, in chunks.

use std::io;
use std::sync::OnceLock;
use std::time::Duration;

use bytes::Bytes;
use confab_delivery::channels::calling::{StepAnswer, inert_type};
use confab_domain::limits;
use confab_outbound::FetchedResponse;
use confab_providers::email::MailTrouble;
use confab_providers::{self as providers, Media, Provider, Purpose, whatsapp};
use confab_runtime::files::{IncomingFile, WholeFile};
use confab_runtime::process::open_files;
use tokio::sync::Semaphore;

use super::linked::LinkedChannel;
use super::mail;
use crate::services::Services;

/// Time limit of one API request.
const CALL_TIMEOUT: Duration = Duration::from_secs(10);
/// Time limit of the file download.
const FILE_TIMEOUT: Duration = Duration::from_secs(45);

/// Reason why a file is not available.
#[derive(Debug)]
pub(crate) enum NoFile {
    /// A permanent failure; the text continues a sentence that begins with the file's name.
    Never(&'static str),
    /// A temporary failure.
    NotNow(String),
    /// The provider is still preparing the file.
    NotYet,
}

impl LinkedChannel {
    /// Downloads a file completely to a temporary file on disk.
    pub(crate) async fn fetch(
        &self,
        services: &Services,
        media: &Media,
    ) -> Result<WholeFile, NoFile> {
        let of_service = providers::fetched_bytes_max(self.provider);
        let bytes_max = of_service.min(services.config().upload_max_bytes);
        if media.bytes.is_some_and(|bytes| bytes > bytes_max) {
            return Err(TOO_LARGE);
        }
        // Limit open connections: each lasts as long as the provider keeps it waiting.
        let _permit = fetching().acquire().await.map_err(io::Error::other).map_err(unread)?;
        if self.provider == Provider::Email {
            let not_now = |trouble: MailTrouble| {
                NoFile::NotNow(trouble.health("IMAP", "the file is fetched later").why)
            };
            let fetched = match mail::kept::is_kept(media) {
                true => mail::kept::content(services, self, media).await.map_err(unread)?,
                false => {
                    let fetched = mail::mailbox::fetch_file(services, self, media).await;
                    fetched.map_err(not_now)?
                }
            };
            let content = fetched.ok_or(GONE)?;
            if content.len() as u64 > bytes_max {
                return Err(TOO_LARGE);
            }
            let incoming = services.files().begin().await.map_err(unwritten)?;
            let incoming = incoming.write(&content).await.map_err(unwritten)?;
            return finished(incoming, media).await;
        }
        let mut given: Option<String> = None;
        for step in providers::fetch(self.provider, media, &self.credentials) {
            let step = match given.take() {
                Some(given) => step.taken(&given),
                None => step,
            };
            if step.purpose == Purpose::Fetch {
                let request = self.request(&step, FILE_TIMEOUT).await;
                let request = request.map_err(NoFile::NotNow)?;
                let fetched = services.outbound().fetch(request).await;
                let mut fetched = fetched.map_err(|it| NoFile::NotNow(it.detail))?;
                if fetched.status == ACCEPTED {
                    return Err(NoFile::NotYet);
                }
                let begun = services.files().begin().await;
                let mut incoming = begun.map_err(unwritten)?;
                while let Some(bytes) =
                    fetched.next().await.map_err(|it| NoFile::NotNow(it.detail))?
                {
                    if incoming.size() + bytes.len() as u64 > bytes_max {
                        return Err(TOO_LARGE);
                    }
                    incoming = incoming.write(&bytes).await.map_err(unwritten)?;
                }
                return finished(incoming, media).await;
            }
            let report = self.call(&step, CALL_TIMEOUT).await;
            let answer = StepAnswer::of(&report);
            given = match answer.status {
                Some(200..300) => step.given(&answer.body),
                // Other client errors are permanent, but not rate limits and expired tokens.
                Some(status @ 400..500) if status != 429 && status != 401 => {
                    return Err(NoFile::Never("could not be fetched from the provider"));
                }
                _ => {
                    return Err(NoFile::NotNow(
                        "the provider did not return the file's URL".to_owned(),
                    ));
                }
            };
            if given.is_none() {
                return Err(NoFile::Never("could not be fetched from the provider"));
            }
        }
        Err(NoFile::Never("could not be fetched from the provider"))
    }
}

/// Returns the semaphore that limits concurrent downloads.
fn fetching() -> &'static Semaphore {
    static FETCHING: OnceLock<Semaphore> = OnceLock::new();
    let permits = || (open_files::allowed() / 8).clamp(1, limits::FETCHES_AT_ONCE_MAX);
    FETCHING.get_or_init(|| Semaphore::new(permits()))
}

/// The HTTP status with which LINE answers while it is still transcoding a video.
const ACCEPTED: u16 = 202;
const GONE: NoFile = NoFile::Never("no longer exists");
const TOO_LARGE: NoFile = NoFile::Never("is too large to be brought here");

async fn finished(incoming: IncomingFile, media: &Media) -> Result<WholeFile, NoFile> {
    let whole = incoming.finish().await.map_err(unwritten)?;
    match &media.sha256 {
        Some(hash) if !hash.eq_ignore_ascii_case(&whole.kept.hash) => {
            Err(NoFile::NotNow("the file does not have the announced hash".to_owned()))
        }
        _ => Ok(whole),
    }
}

fn unread(error: io::Error) -> NoFile {
    NoFile::NotNow(format!("failed to read the file: {error}"))
}

fn unwritten(error: io::Error) -> NoFile {
    NoFile::NotNow(format!("failed to store the file: {error}"))
}

/// An open file of a provider, which is streamed and not stored.
pub struct OpenedMedia {
    /// Media type from the provider, validated.
    pub mime_type: String,
    fetched: FetchedResponse,
    bytes: u64,
}

/// Reason why a file cannot be opened.
pub enum NoMedia {
    /// There is no file with this id.
    Unknown,
    Refused {
        status: u16,
        body: Bytes,
    },
    NotNow,
}

impl LinkedChannel {
    /// Opens a WhatsApp file by its id (D-0155).
    pub async fn open_media(&self, services: &Services, id: &str) -> Result<OpenedMedia, NoMedia> {
        let steps = whatsapp::locate_media(id, &self.credentials).ok_or(NoMedia::Unknown)?;
        let [locate, fetch] = steps;
        if self.is_printed() {
            return Err(NoMedia::Unknown);
        }
        let report = self.call(&locate, CALL_TIMEOUT).await;
        let StepAnswer { status, body } = StepAnswer::of(&report);
        let status = status.ok_or(NoMedia::NotNow)?;
        if !(200..300).contains(&status) {
            return Err(NoMedia::Refused { status, body });
        }
        let url = locate.given(&body).ok_or(NoMedia::Unknown)?;
        let fetch = fetch.taken(&url);
        let request = self.request(&fetch, FILE_TIMEOUT).await;
        let request = request.map_err(|_| NoMedia::NotNow)?;
        let fetched = services.outbound().fetch(request).await;
        let fetched = fetched.map_err(|_| NoMedia::NotNow)?;
        let mime_type = whatsapp::located(&body).unwrap_or_default();
        let mime_type = inert_type(&mime_type).to_owned();
        Ok(OpenedMedia { mime_type, fetched, bytes: 0 })
    }
}

impl OpenedMedia {
    /// Returns the next bytes and the rest of the stream. An error aborts the response that
    /// contains the file.
    pub async fn next(mut self) -> io::Result<Option<(Bytes, Self)>> {
        let next = self.fetched.next().await.map_err(|it| io::Error::other(it.detail))?;
        let Some(bytes) = next else { return Ok(None) };
        self.bytes += bytes.len() as u64;
        if self.bytes > whatsapp::FETCHED_BYTES_MAX {
            return Err(io::Error::other("the file exceeds WhatsApp's size limit"));
        }
        Ok(Some((bytes, self)))
    }
}
