//! Reads new mails of a mailbox, and fetches files from it.
//!
//! A mail is committed together with its position in the mailbox before the next one is read, so
//! that a crash neither loses nor repeats a mail. Mails that are read again after the server
//! renumbered the mailbox are recognized by a hash.

use std::sync::Arc;
use std::time::Duration;

use confab_delivery::mail::account::MailServer;
use confab_delivery::our_buckets::OurBuckets;
use confab_domain::channels::receiving_events::StoreInboundEvents;
use confab_domain::json_text::JsonText;
use confab_domain::webhooks::delivery::Lane;
use confab_providers::Provider;
use confab_providers::email::{self, Arrival, MailKey, MailTrouble};
use confab_providers::{self as providers, Media, MediaSource};
use confab_runtime::clock;
use confab_runtime::failures::chain;
use tokio::time::{Instant, sleep_until};

use super::imap::{FetchedMail, ImapSession};
use crate::channels::linked::{LinkedChannel, told};
use crate::services::Services;

/// The account setting with the position up to which the mailbox was read.
pub(crate) const PLACE: &str = "imap_place";
const FOLDER: &str = "imap_folder";

/// Longest wait for a notification of the server before the mailbox is polled.
const POLL_INTERVAL: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_secs(1);
const PAUSE_MAX: Duration = Duration::from_secs(60);
/// Maximum age in seconds of the mails that are read again after the server renumbered the mailbox
/// (changed its UIDVALIDITY).
const REREAD_S: i64 = 48 * 3600;

/// Reads the mailbox for as long as this node has leased the channel.
pub(in crate::channels) async fn keep_reading(
    services: &Services,
    ours: &Arc<OurBuckets>,
    linked: &LinkedChannel,
) {
    let place = Position::parse(linked.account.setting(PLACE));
    let mut reader = Reader { services, ours, linked, place, pause: PAUSE, is_well: false };
    while reader.is_ours() {
        let trouble = match reader.read().await {
            Ok(()) => continue,
            Err(trouble) => trouble,
        };
        // Ignore the first failure after success: a connection may end after hours.
        if !reader.is_well {
            let health = trouble.health("IMAP", "no mails are received");
            let reason = format!("{} {}", health.why, health.todo);
            linked.note(services.decisions(), health.state, &reason).await;
        }
        reader.is_well = false;
        sleep_until(Instant::now() + reader.pause).await;
        reader.pause = (reader.pause * 2).min(PAUSE_MAX);
    }
}

/// The position up to which a mailbox was read: the UID of the last mail, and the mailbox's
/// UIDVALIDITY.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Position {
    validity: u32,
    uid: u32,
}

impl Position {
    fn parse(text: &str) -> Option<Self> {
        let (validity, uid) = text.split_once('.')?;
        Some(Self { validity: validity.parse().ok()?, uid: uid.parse().ok()? })
    }

    fn format(self) -> String {
        format!("{}.{}", self.validity, self.uid)
    }
}

struct Reader<'a> {
    services: &'a Services,
    ours: &'a Arc<OurBuckets>,
    linked: &'a LinkedChannel,
    place: Option<Position>,
    /// Delay after the next failure.
    pause: Duration,
    /// Whether the mailbox has been opened since the last failure.
    is_well: bool,
}

impl Reader<'_> {
    fn is_ours(&self) -> bool {
        self.ours.has(Lane(self.linked.channel.id.0))
    }

    /// Reads over one connection until it ends.
    async fn read(&mut self) -> Result<(), MailTrouble> {
        let mut session = opened(self.services, self.linked).await?;
        let mailbox = session.examine(folder(self.linked)).await?;
        self.pause = PAUSE;
        if !self.is_well {
            // Check both servers: reading mails does not show whether mails can be sent.
            drop(self.linked.checked(self.services).await);
            self.is_well = true;
        }
        let last = mailbox.next_uid.saturating_sub(1);
        match self.place {
            Some(place) if place.validity == mailbox.validity => {}
            // Skip the mails from before the channel was connected.
            None => self.keep(Position { validity: mailbox.validity, uid: last }, None).await?,
            Some(_) => {
                let since = day(clock::now().unix_seconds() - REREAD_S);
                for uid in session.since(&since).await? {
                    self.bring(&mut session, Position { validity: mailbox.validity, uid }).await?;
                }
                let uid = self.place.filter(|it| it.validity == mailbox.validity);
                let uid = uid.map_or(last, |it| it.uid.max(last));
                self.keep(Position { validity: mailbox.validity, uid }, None).await?;
            }
        }
        while self.is_ours() {
            let uid = self.place.map_or(last, |it| it.uid);
            let Some(new) = session.after(uid).await? else { continue };
            for uid in &new {
                self.bring(&mut session, Position { validity: mailbox.validity, uid: *uid })
                    .await?;
            }
            if new.is_empty() {
                session.wait(POLL_INTERVAL).await?;
            }
        }
        session.leave().await;
        Ok(())
    }

    /// Fetches and commits one mail.
    async fn bring(
        &mut self,
        session: &mut ImapSession,
        place: Position,
    ) -> Result<(), MailTrouble> {
        let fetched = session.fetch(place.uid).await?;
        let event = match fetched {
            Some(mail) => {
                let own = self.linked.account.setting("address").to_owned();
                let (at, app) = (place.format(), self.linked.app.clone());
                let mail = Arc::new(mail);
                let (read, place) = (mail.clone(), at.clone());
                let digest = move || digested(&read, &place, &own, MailKey(&app.sdk_secret));
                let _turn = self.services.channels().mail_turns.wait(mail.raw.len()).await;
                let digest = tokio::task::spawn_blocking(digest).await;
                // A mail that cannot be parsed is stored as unreadable.
                let digest = digest.unwrap_or_default();
                Some(digest.unwrap_or_else(|| email::unreadable(&mail.raw, &at)))
            }
            None => None,
        };
        self.keep(place, event).await
    }

    async fn keep(&mut self, place: Position, mail: Option<JsonText>) -> Result<(), MailTrouble> {
        let events = match &mail {
            Some(mail) => providers::read(self.linked.provider, mail.as_str().as_bytes()),
            None => Ok(Vec::new()),
        };
        let events =
            events.unwrap_or_default().into_iter().map(|it| told(Provider::Email, it)).collect();
        let (channel, noted) = (self.linked.channel.id, Some((PLACE, place.format())));
        let rule = StoreInboundEvents { channel, events, cursor: None, noted };
        let kept = self.services.decisions().decide(&self.linked.principal(), rule).await;
        kept.map_err(|error| {
            tracing::warn!(
                channel.id = channel.0,
                error = %chain(&error),
                "failed to store received mail"
            );
            MailTrouble::Unreachable("incoming mails cannot be stored".to_owned())
        })?;
        self.place = Some(place);
        Ok(())
    }
}

/// Returns a mail in its stored form, without its body if only its header section was fetched.
fn digested(mail: &FetchedMail, place: &str, own: &str, key: MailKey<'_>) -> Option<JsonText> {
    let arrival = Arrival { place, own, return_path: None, key };
    match mail.is_head {
        true => email::digest_head(&mail.raw, arrival),
        false => email::digest(&mail.raw, arrival),
    }
}

async fn opened(services: &Services, linked: &LinkedChannel) -> Result<ImapSession, MailTrouble> {
    let client = services.outbound();
    ImapSession::open(&client, &MailServer::imap(&linked.account)).await
}

fn folder(linked: &LinkedChannel) -> &str {
    match linked.account.setting(FOLDER) {
        "" => "INBOX",
        folder => folder,
    }
}

/// Checks that the mailbox can be opened.
pub(super) async fn is_open(
    services: &Services,
    linked: &LinkedChannel,
) -> Result<(), MailTrouble> {
    let mut session = opened(services, linked).await?;
    session.examine(folder(linked)).await?;
    session.leave().await;
    Ok(())
}

/// Formats a day for IMAP: `3-Nov-2026`.
fn day(unix_seconds: i64) -> String {
    let moment = jiff::Timestamp::from_second(unix_seconds).unwrap_or_default();
    moment.strftime("%-d-%b-%Y").to_string()
}

/// Returns the content of a mail's file, or `None` if it is no longer in the mailbox.
pub(in crate::channels) async fn fetch_file(
    services: &Services,
    linked: &LinkedChannel,
    media: &Media,
) -> Result<Option<Vec<u8>>, MailTrouble> {
    let MediaSource::Id(id) = &media.source else { return Ok(None) };
    let Some((place, part)) = id.rsplit_once(':') else { return Ok(None) };
    let Some(place) = Position::parse(place) else { return Ok(None) };
    let mut session = opened(services, linked).await?;
    let mailbox = session.examine(folder(linked)).await?;
    let fetched = match mailbox.validity == place.validity {
        true => session.fetch(place.uid).await?,
        false => None,
    };
    session.leave().await;
    let Some(mail) = fetched.filter(|it| !it.is_head) else { return Ok(None) };
    let part: Option<usize> = part.parse().ok();
    let _turn = services.channels().mail_turns.wait(mail.raw.len()).await;
    let cut = tokio::task::spawn_blocking(move || email::part_of(&mail.raw, part)).await;
    Ok(cut.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_and_days_are_formatted_as_parsed() {
        let place = Position { validity: u32::MAX, uid: 7 };
        assert_eq!(Position::parse(&place.format()), Some(place));
        for wrong in ["", "7", "7.", ".7", "-1.2", "4294967296.1"] {
            assert_eq!(Position::parse(wrong), None, "{wrong}");
        }
        assert_eq!(day(1_793_000_000), "26-Oct-2026");
        assert_eq!(day(0), "1-Jan-1970");
    }
}
