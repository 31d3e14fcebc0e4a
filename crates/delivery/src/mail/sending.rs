//! Sends message parts as mails.

use std::time::Duration;

use bytes::Bytes;
use confab_domain::channels::channel::Channel;
use confab_domain::ids::{MessageId, RoomId};
use confab_domain::rooms::room::RoomRef;
use confab_domain::webhooks::delivery::ErrorClass;
use confab_outbound::{AttemptFailure, AttemptReport, OutboundResponse, Timings};
use confab_providers::email::{self, MailFile, MailKey, MailTrouble, Sender, Thread};
use confab_providers::{ExternalId, Part, PartContent, Verdict};
use confab_runtime::clock;
use confab_runtime::files::{OutgoingFile, media_type};
use confab_store::StoreError;
use hyper::HeaderMap;
use tokio::time::Instant;

use super::account::MailServer;
use super::smtp::{NotHandedOver, Reply, SmtpSession};
use crate::channels::sender::ChannelSender;

/// Number of messages that are searched for the customer's last mail.
const SEARCHED_MESSAGES: usize = 50;

/// The verdict about a mail, and the server's answer.
pub(crate) struct MailOutcome {
    pub(crate) verdict: Verdict,
    pub(crate) report: Option<AttemptReport>,
}

impl ChannelSender {
    /// Sends a message part to an address.
    pub(crate) async fn mail(
        &self,
        part: &Part,
        to: &ExternalId,
        timeout: Duration,
    ) -> MailOutcome {
        let begun = Instant::now();
        let thread = match self.thread(part).await {
            Ok(thread) => thread,
            Err(error) => {
                let why = format!("failed to read from the store: {error}");
                return unsent(MailTrouble::Unreachable(why), begun);
            }
        };
        let file = self.mailed_file(part).await;
        let name = file.as_ref().map(|(name, _)| name.as_str());
        let described = name.map(|name| MailFile { name, mime_type: media_type(name).name });
        let from = sender(self);
        let made = email::compose(part, from, &to.value, &thread, described, clock::now());
        let mail = match made {
            Ok(mail) => mail,
            Err(verdict) => return MailOutcome { verdict, report: None },
        };
        if self.is_printed() {
            print(&self.channel, &mail.head);
            let (ids, also_known_as) = (vec![mail.message_id], Vec::new());
            return MailOutcome { verdict: Verdict::Sent { ids, also_known_as }, report: None };
        }
        let server = MailServer::smtp(&self.account);
        let opened = SmtpSession::open(&self.client.outbound, &server, domain(self)).await;
        let mut session = match opened {
            Ok(session) => session,
            Err(MailTrouble::Unauthorized) => {
                let refused = Reply { status: 535, words: String::new() };
                return replied(refused, &mail.message_id, begun);
            }
            Err(trouble) => return unsent(trouble, begun),
        };
        let (file, deadline) = (file.map(|(_, file)| file), begun + timeout);
        let done = session.hand_over((from.address, &to.value), &mail, file, deadline).await;
        session.leave().await;
        match done {
            Ok(reply) | Err(NotHandedOver::Refused(reply)) => {
                replied(reply, &mail.message_id, begun)
            }
            Err(NotHandedOver::Unsent(trouble)) => unsent(trouble, begun),
            Err(NotHandedOver::NoUtf8) => {
                MailOutcome { verdict: email::without_smtputf8(), report: None }
            }
            Err(NotHandedOver::Uncertain) => {
                let detail = "the mail server did not confirm the mail".to_owned();
                let failed =
                    AttemptFailure { class: ErrorClass::HeaderTimeout, detail, answer: None };
                let report = Some(report(Err(failed), begun));
                MailOutcome { verdict: Verdict::Uncertain, report }
            }
        }
    }

    /// Returns the mail thread to continue: the thread of the message that the part replies to or,
    /// if there is none, of the customer's last mail.
    async fn thread(&self, part: &Part) -> Result<Thread, StoreError> {
        let (store, app) = (&self.client.store, self.app.id);
        let room = RoomRef::Id(RoomId(part.room));
        let mut found = Vec::new();
        if let Some(replied) = part.reply_to.map(MessageId) {
            let page = store.range(app, &room, (replied, replied), 1).await?;
            found = store.loaded(page.unwrap_or_default()).await?;
        }
        let page = store.page(app, &room, 0, SEARCHED_MESSAGES).await?;
        found.extend(store.loaded(page.unwrap_or_default()).await?);
        let threads = found.iter().filter_map(|it| it.message.extras.as_ref());
        Ok(threads.filter_map(|it| email::thread_of(it.as_str())).next().unwrap_or_default())
    }

    /// Returns the file to attach, if this server stores it and it is small enough.
    async fn mailed_file(&self, part: &Part) -> Option<(String, OutgoingFile)> {
        let url = part.file_url()?;
        let (file, size) = self.own_file(url).await.ok()?;
        let name = match &part.say {
            PartContent::File { name, .. } => name.clone(),
            _ => url.rsplit('/').next().unwrap_or("picture").to_owned(),
        };
        (size <= email::FILE_BYTES_MAX).then_some((name, file))
    }
}

fn sender(linked: &ChannelSender) -> Sender<'_> {
    let (channel, name) = (linked.channel.id.0, linked.channel.name.as_str());
    let key = MailKey(&linked.app.sdk_secret);
    Sender { channel, address: linked.account.setting("address"), name, key }
}

/// Returns the domain for the SMTP greeting.
pub fn domain(linked: &ChannelSender) -> &str {
    linked.account.setting("address").rsplit('@').next().unwrap_or_default()
}

fn replied(reply: Reply, id: &str, begun: Instant) -> MailOutcome {
    let Reply { status, words } = reply;
    let verdict = email::verdict_of(status, &words, id);
    let body_bytes = words.len() as u64;
    let (headers, body) = (HeaderMap::new(), Bytes::from(words));
    let answer = OutboundResponse { status, headers, body, body_bytes };
    let outcome = match verdict {
        Verdict::Sent { .. } => Ok(answer),
        _ => {
            let detail = format!("the mail server answered {status}");
            let class = ErrorClass::of_status(status).unwrap_or(ErrorClass::Refused);
            Err(AttemptFailure { class, detail, answer: Some(Box::new(answer)) })
        }
    };
    MailOutcome { verdict, report: Some(report(outcome, begun)) }
}

/// Returns the result of a mail that was not accepted and is retried.
fn unsent(trouble: MailTrouble, begun: Instant) -> MailOutcome {
    let detail = trouble.health("SMTP", "the mail is sent later").why;
    let failed = AttemptFailure { class: ErrorClass::ConnectRefused, detail, answer: None };
    MailOutcome { verdict: Verdict::Uncertain, report: Some(report(Err(failed), begun)) }
}

fn report(outcome: Result<OutboundResponse, AttemptFailure>, begun: Instant) -> AttemptReport {
    let total_us = u64::try_from(begun.elapsed().as_micros()).ok();
    let timings = Timings { total_us, ..Timings::default() };
    AttemptReport { outcome, peer: None, timings, is_reused: false }
}

/// Prints a mail instead of sending it, for channels that are tried without an account. Prints to
/// standard output and not to the log, because the mail contains a message.
fn print(channel: &Channel, head: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stdout(), "email {}:\n{head}", channel.id);
}
