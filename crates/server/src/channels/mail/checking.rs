//! Are both mail servers of a channel well?

use std::time::Duration;

use confab_wire::channels::ChannelHealth;
use confab_wire::channels::email::{self, MailTrouble};

use super::mailbox;
use super::sending::domain;
use super::smtp::SmtpSession;
use crate::channels::linked::LinkedChannel;
use crate::channels::mail::account::MailServer;
use crate::services::Services;

/// Signs in at both, each within this time. Nothing is sent.
pub(in crate::channels) async fn check(
    services: &Services,
    linked: &LinkedChannel,
    timeout: Duration,
) -> ChannelHealth {
    let imap = tokio::time::timeout(timeout, mailbox::is_open(services, linked));
    let smtp = tokio::time::timeout(timeout, is_open(services, linked));
    let (imap, smtp) = tokio::join!(imap, smtp);
    let late = |_| Err(MailTrouble::Unreachable("it does not answer in time".to_owned()));
    let [imap, smtp] = [imap, smtp].map(|asked| asked.unwrap_or_else(late));
    email::condition(linked.account.setting("address"), imap, smtp)
}

async fn is_open(services: &Services, linked: &LinkedChannel) -> Result<(), MailTrouble> {
    let server = MailServer::smtp(&linked.account);
    let session = SmtpSession::open(&services.outbound(), &server, domain(linked)).await?;
    session.leave().await;
    Ok(())
}
