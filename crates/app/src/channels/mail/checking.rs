//! Health checks of e-mail channels, incoming and outgoing.

use std::time::Duration;

use confab_delivery::mail::account::MailServer;
use confab_delivery::mail::sending::domain;
use confab_delivery::mail::smtp::SmtpSession;
use confab_providers::ChannelHealth;
use confab_providers::email::{self, MailTrouble};
use confab_runtime::config::mail_domains::Assignment;

use super::{lmtp, mailbox};
use crate::channels::linked::LinkedChannel;
use crate::services::Services;

/// Checks both directions, each within the timeout: signs in to the IMAP and SMTP servers. Without
/// an IMAP server, checks whether mails can arrive by LMTP. No mail is sent.
pub(in crate::channels) async fn check(
    services: &Services,
    linked: &LinkedChannel,
    timeout: Duration,
) -> ChannelHealth {
    let inward = tokio::time::timeout(timeout, check_incoming(services, linked));
    let smtp = tokio::time::timeout(timeout, check_outgoing(services, linked));
    let (inward, smtp) = tokio::join!(inward, smtp);
    let late = |_| Err(MailTrouble::Unreachable("it does not answer in time".to_owned()));
    let [inward, smtp] = [inward, smtp].map(|asked| asked.unwrap_or_else(late));
    let way_in = if linked.has_mailbox() { "IMAP" } else { "LMTP" };
    email::condition(linked.account.setting("address"), (way_in, inward), smtp)
}

async fn check_incoming(services: &Services, linked: &LinkedChannel) -> Result<(), MailTrouble> {
    if linked.has_mailbox() {
        return mailbox::is_open(services, linked).await;
    }
    if services.config().lmtp_listen.is_none() {
        let why = "set an IMAP server, or ask the operator to set lmtp_listen";
        return Err(MailTrouble::Misconfigured(why.to_owned()));
    }
    may_be_handed(services, linked).await
}

/// Fails unless the app may receive mails to the channel's address at the LMTP listener. The error
/// reveals that another app has the address only if both apps share its domain.
pub(crate) async fn may_be_handed(
    services: &Services,
    linked: &LinkedChannel,
) -> Result<(), MailTrouble> {
    let unread = |_| MailTrouble::Unreachable("the store cannot be asked".to_owned());
    let address = linked.account.setting("address");
    let first = lmtp::claimant(services, address).await.map_err(unread)?;
    let is_own = first.as_ref().is_some_and(|it| it.app == linked.app.id);
    let may = match services.config().lmtp_domains.assignment(address, &linked.app.code) {
        Assignment::App if first.is_some() && !is_own => {
            let why = "another app that shares its domain has the address";
            return Err(MailTrouble::Misconfigured(why.to_owned()));
        }
        Assignment::App => true,
        Assignment::Others => false,
        Assignment::Nobody if is_own => true,
        Assignment::Nobody => !services.store().has_several_apps().await.map_err(unread)?,
    };
    match may {
        true => Ok(()),
        false => Err(MailTrouble::Misconfigured(format!(
            "the domain {} is not assigned to this app; ask the operator to add it to lmtp_domains",
            domain(linked)
        ))),
    }
}

async fn check_outgoing(services: &Services, linked: &LinkedChannel) -> Result<(), MailTrouble> {
    let server = MailServer::smtp(&linked.account);
    let session = SmtpSession::open(&services.outbound(), &server, domain(linked)).await?;
    session.leave().await;
    Ok(())
}
