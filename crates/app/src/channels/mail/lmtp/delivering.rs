//! Delivers a mail to one recipient: finds the channel of the address and commits the mail.

use std::io;
use std::sync::Arc;

use confab_domain::channels::channel::{Channel, ChannelKind};
use confab_domain::ids::ChannelId;
use confab_providers::email::{self, Arrival, MailKey, STORED_HERE};
use confab_providers::{self as providers, EventContent, Provider};
use confab_runtime::config::mail_domains::Assignment;
use confab_runtime::failures::chain;
use confab_store::StoreError;

use crate::channels::linked::LinkedChannel;
use crate::services::Services;

/// The result for one recipient, which selects the reply to the mail server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecipientResult {
    /// The mail is committed.
    Taken,
    /// No channel has the address.
    Unknown,
    /// The channel is switched off; the mail server retries later.
    Off,
    /// A temporary failure of this server; the mail server retries later.
    NotNow,
    /// The bytes are not a valid mail.
    NoMail,
    /// The mail does not name exactly one sender who can be answered.
    NoSender,
}

/// Returns the channel that receives mails to an address: the oldest one with this address whose
/// app may receive its mails.
pub(in crate::channels::mail) async fn claimant(
    services: &Services,
    address: &str,
) -> Result<Option<Channel>, StoreError> {
    let mut channels = services.store().service_channels().await?;
    channels.retain(|it| it.kind == ChannelKind::Email);
    channels.sort_by_key(|it| (it.created_at, it.id));
    for address in [Some(address.to_owned()), without_tag(address)].into_iter().flatten() {
        let key = format!("{}:{address}", ChannelKind::Email.as_str());
        for channel in channels.iter().filter(|it| it.identifier_key == key) {
            if may_receive(services, channel, &address).await? {
                return Ok(Some(channel.clone()));
            }
        }
    }
    Ok(None)
}

/// Whether mails to a channel's address may be delivered to the channel: the address's domain is
/// assigned to the channel's app, or to no app. On a server with several apps, an unassigned domain
/// is not enough for a channel with a mailbox: the mailbox does not prove that the address belongs
/// to the channel.
async fn may_receive(
    services: &Services,
    channel: &Channel,
    address: &str,
) -> Result<bool, StoreError> {
    let Some(app) = services.apps().of_id(channel.app).await? else { return Ok(false) };
    let store = services.store();
    Ok(match services.config().lmtp_domains.assignment(address, &app.app.code) {
        Assignment::App => true,
        Assignment::Others => false,
        Assignment::Nobody if !store.has_several_apps().await? => true,
        Assignment::Nobody => {
            store.service_account(channel.id).await?.setting("imap_host").is_empty()
        }
    })
}

/// Returns `name@host` for `name+anything@host`.
fn without_tag(address: &str) -> Option<String> {
    let (name, host) = address.rsplit_once('@')?;
    let (name, _) = name.split_once('+')?;
    Some(format!("{name}@{host}"))
}

/// Returns the channel that accepts mails to this address, or the reason why there is none.
pub(super) async fn find(services: &Services, address: &str) -> Result<ChannelId, RecipientResult> {
    match claimant(services, address).await {
        Ok(Some(channel)) if channel.is_active => Ok(channel.id),
        Ok(Some(_)) => Err(RecipientResult::Off),
        Ok(None) => Err(RecipientResult::Unknown),
        Err(error) => Err(not_now(&error)),
    }
}

/// Commits a mail and stores its files, which cannot be requested again later.
pub(super) async fn deliver(
    services: &Services,
    channel: ChannelId,
    return_path: &str,
    raw: &Arc<Vec<u8>>,
) -> RecipientResult {
    let linked = match LinkedChannel::load(services, channel).await {
        Ok(Some(linked)) => linked,
        Ok(None) => return RecipientResult::Unknown,
        Err(error) => return not_now(&error),
    };
    let (own, return_path) = (linked.account.setting("address").to_owned(), return_path.to_owned());
    let (bytes_max, read, app) =
        (services.config().upload_max_bytes, raw.clone(), linked.app.clone());
    let _turn = services.channels().mail_turns.wait(raw.len()).await;
    // Parse on a blocking thread, because it may take long.
    let digested = tokio::task::spawn_blocking(move || {
        let (return_path, key) = (Some(return_path.as_str()), MailKey(&app.sdk_secret));
        let arrival = Arrival { place: STORED_HERE, own: &own, return_path, key };
        let digest = email::digest(&read, arrival)?;
        let files = email::files_of(&read, &digest, bytes_max);
        Some((digest, files))
    });
    let Some((digest, files)) = digested.await.unwrap_or_default() else {
        return RecipientResult::NoMail;
    };
    let Ok(events) = providers::read(Provider::Email, digest.as_str().as_bytes()) else {
        return RecipientResult::NoMail;
    };
    if events.iter().any(|it| matches!(it.content, EventContent::Refused(_))) {
        return RecipientResult::NoSender;
    }
    for file in files {
        if let Err(error) = keep(services, &linked, &file).await {
            return not_now(&error);
        }
    }
    match linked.keep(services.decisions(), events).await {
        Ok(0) => RecipientResult::Off,
        Ok(_) => RecipientResult::Taken,
        Err(error) => not_now(&error),
    }
}

/// Stores a file by its hash. It is not served before it is part of a message.
async fn keep(services: &Services, linked: &LinkedChannel, file: &[u8]) -> io::Result<()> {
    let files = services.files();
    let whole = files.begin().await?.write(file).await?.finish().await?;
    files.keep(whole, linked.app.id).await.map(drop)
}

fn not_now(error: &(dyn std::error::Error + 'static)) -> RecipientResult {
    tracing::warn!(error = %chain(error), "failed to receive mail; the mail server will retry");
    RecipientResult::NotNow
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tag_after_a_plus_is_removed_from_an_address() {
        let is = without_tag("help+order-7@shop.example");
        assert_eq!(is.as_deref(), Some("help@shop.example"));
        assert_eq!(without_tag("a+b+c@x.example").as_deref(), Some("a@x.example"));
        assert_eq!(without_tag("help@shop.example"), None);
        assert_eq!(without_tag("help@shop+x.example"), None);
    }
}
