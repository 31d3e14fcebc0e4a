//! A customer's file comes from its service into the store of files, piece by piece.

use std::io;
use std::sync::OnceLock;
use std::time::Duration;

use bytes::Bytes;
use confab_domain::limits;
use confab_wire::channels::email::MailTrouble;
use confab_wire::channels::{self as wire, Media, Provider, Purpose, whatsapp};
use tokio::sync::Semaphore;

use super::calling::{StepAnswer, inert_type};
use super::linked::LinkedChannel;
use super::mail;
use crate::files::{IncomingFile, WholeFile};
use crate::open_files;
use crate::outbound::Fetched;
use crate::services::Services;

/// How long one request may take.
const CALL_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the file itself may take.
const FILE_TIMEOUT: Duration = Duration::from_secs(45);

/// Why a file is not here.
#[derive(Debug)]
pub(crate) enum NoFile {
    /// It never will be; these words follow the file's name.
    Never(&'static str),
    /// It may be had later.
    NotNow(String),
    /// Its service still prepares it.
    NotYet,
}

impl LinkedChannel {
    /// Fetches the file. It is whole and on disk then, and has no place yet.
    pub(crate) async fn fetch(
        &self,
        services: &Services,
        media: &Media,
    ) -> Result<WholeFile, NoFile> {
        let of_service = wire::fetched_bytes_max(self.provider);
        let bytes_max = of_service.min(services.config().upload_max_bytes);
        if media.bytes.is_some_and(|bytes| bytes > bytes_max) {
            return Err(TOO_LARGE);
        }
        // Each is an open connection, for as long as the service keeps us waiting.
        let _place = fetching().acquire().await.map_err(io::Error::other).map_err(unread)?;
        if self.provider == Provider::Email {
            let not_now =
                |trouble: MailTrouble| NoFile::NotNow(trouble.health("IMAP", "it waits").why);
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
        for step in wire::fetch(self.provider, media, &self.credentials) {
            let step = match given.take() {
                Some(given) => step.taken(&given),
                None => step,
            };
            if step.purpose == Purpose::Fetch {
                let request = self.request(services, &step, FILE_TIMEOUT).await;
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
            let report = self.call(services, &step, CALL_TIMEOUT).await;
            let answer = StepAnswer::of(&report);
            given = match answer.status {
                Some(200..300) => step.given(&answer.body),
                // Whoever refuses it will refuse it again, but not for haste or a dead token.
                Some(status @ 400..500) if status != 429 && status != 401 => {
                    return Err(NoFile::Never("could not be had from the service"));
                }
                _ => return Err(NoFile::NotNow("the service does not say where it is".to_owned())),
            };
            if given.is_none() {
                return Err(NoFile::Never("could not be had from the service"));
            }
        }
        Err(NoFile::Never("could not be had from the service"))
    }
}

/// How many may be fetched at once.
fn fetching() -> &'static Semaphore {
    static FETCHING: OnceLock<Semaphore> = OnceLock::new();
    let places = || (open_files::allowed() / 8).clamp(1, limits::FETCHES_AT_ONCE_MAX);
    FETCHING.get_or_init(|| Semaphore::new(places()))
}

/// LINE makes films smaller before it gives them away.
const ACCEPTED: u16 = 202;
const GONE: NoFile = NoFile::Never("is not there any more");
const TOO_LARGE: NoFile = NoFile::Never("is too large to be brought here");

async fn finished(incoming: IncomingFile, media: &Media) -> Result<WholeFile, NoFile> {
    let whole = incoming.finish().await.map_err(unwritten)?;
    match &media.sha256 {
        Some(hash) if !hash.eq_ignore_ascii_case(&whole.kept.hash) => {
            Err(NoFile::NotNow("the file is not what the service announced".to_owned()))
        }
        _ => Ok(whole),
    }
}

fn unread(error: io::Error) -> NoFile {
    NoFile::NotNow(format!("the file cannot be read: {error}"))
}

fn unwritten(error: io::Error) -> NoFile {
    NoFile::NotNow(format!("the file cannot be kept: {error}"))
}

/// A file that its service has, of which nothing is kept here.
pub(crate) struct OpenedMedia {
    /// As the service says, and harmless.
    pub(crate) mime_type: String,
    fetched: Fetched,
    bytes: u64,
}

/// Why a file cannot be opened.
pub(crate) enum NoMedia {
    /// There is none of this id.
    Unknown,
    Refused {
        status: u16,
        body: Bytes,
    },
    NotNow,
}

impl LinkedChannel {
    /// Opens a file of WhatsApp's by its id there (D-0155).
    pub(crate) async fn open_media(
        &self,
        services: &Services,
        id: &str,
    ) -> Result<OpenedMedia, NoMedia> {
        let steps = whatsapp::locate_media(id, &self.credentials).ok_or(NoMedia::Unknown)?;
        let [locate, fetch] = steps;
        if self.is_printed() {
            return Err(NoMedia::Unknown);
        }
        let report = self.call(services, &locate, CALL_TIMEOUT).await;
        let StepAnswer { status, body } = StepAnswer::of(&report);
        let status = status.ok_or(NoMedia::NotNow)?;
        if !(200..300).contains(&status) {
            return Err(NoMedia::Refused { status, body });
        }
        let url = locate.given(&body).ok_or(NoMedia::Unknown)?;
        let fetch = fetch.taken(&url);
        let request = self.request(services, &fetch, FILE_TIMEOUT).await;
        let request = request.map_err(|_| NoMedia::NotNow)?;
        let fetched = services.outbound().fetch(request).await;
        let fetched = fetched.map_err(|_| NoMedia::NotNow)?;
        let mime_type = whatsapp::located(&body).unwrap_or_default();
        let mime_type = inert_type(&mime_type).to_owned();
        Ok(OpenedMedia { mime_type, fetched, bytes: 0 })
    }
}

impl OpenedMedia {
    /// The next bytes, and what is left; an error breaks the answer off.
    pub(crate) async fn next(mut self) -> io::Result<Option<(Bytes, Self)>> {
        let next = self.fetched.next().await.map_err(|it| io::Error::other(it.detail))?;
        let Some(bytes) = next else { return Ok(None) };
        self.bytes += bytes.len() as u64;
        if self.bytes > whatsapp::FETCHED_BYTES_MAX {
            return Err(io::Error::other("the file is larger than any of WhatsApp's"));
        }
        Ok(Some((bytes, self)))
    }
}
