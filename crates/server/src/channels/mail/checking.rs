//! Are the ways of a channel's mails well, in and out?

use std::time::Duration;

use confab_wire::channels::ChannelHealth;
use confab_wire::channels::email::{self, MailTrouble};

use super::account::MailServer;
use super::sending::domain;
use super::smtp::SmtpSession;
use super::{lmtp, mailbox};
use crate::channels::linked::LinkedChannel;
use crate::services::Services;

/// Signs in at both servers, each within this time. Nothing is sent.
pub(in crate::channels) async fn check(
    services: &Services,
    linked: &LinkedChannel,
    timeout: Duration,
) -> ChannelHealth {
    let inward = tokio::time::timeout(timeout, comes_in(services, linked));
    let smtp = tokio::time::timeout(timeout, is_open(services, linked));
    let (inward, smtp) = tokio::join!(inward, smtp);
    let late = |_| Err(MailTrouble::Unreachable("it does not answer in time".to_owned()));
    let [inward, smtp] = [inward, smtp].map(|asked| asked.unwrap_or_else(late));
    let way_in = if linked.has_mailbox() { "IMAP" } else { "LMTP" };
    email::condition(linked.account.setting("address"), (way_in, inward), smtp)
}

async fn comes_in(services: &Services, linked: &LinkedChannel) -> Result<(), MailTrouble> {
    if linked.has_mailbox() {
        return mailbox::is_open(services, linked).await;
    }
    if services.config().lmtp_listen.is_none() {
        let why = "name an IMAP server, or have the operator set lmtp_listen";
        return Err(MailTrouble::Misconfigured(why.to_owned()));
    }
    let unread = |_| MailTrouble::Unreachable("the store cannot be asked".to_owned());
    let address = linked.account.setting("address");
    let first = lmtp::claimant(services, address).await.map_err(unread)?;
    // In its own app it is refused where it is connected.
    match first.is_some_and(|it| it.app != linked.app.id) {
        true => Err(MailTrouble::Misconfigured("the address is another app's".to_owned())),
        false => Ok(()),
    }
}

async fn is_open(services: &Services, linked: &LinkedChannel) -> Result<(), MailTrouble> {
    let server = MailServer::smtp(&linked.account);
    let session = SmtpSession::open(&services.outbound(), &server, domain(linked)).await?;
    session.leave().await;
    Ok(())
}
