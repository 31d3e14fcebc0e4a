//! The formats of messaging providers: their events and the requests to them (channel facts 5.1).
//!
//! The crate `http` receives webhooks, `app` fetches files, and `delivery` sends requests (D-0154).
//! Each provider has a folder, to which the functions of this module dispatch; the types shared by
//! all providers are next to the folders. All functions are pure: no I/O, clock or randomness. The
//! body of a webhook is parsed only after its sender was authenticated, secrets have no `Debug`,
//! and no event is dropped silently.
//!
//! ```text
//! prove -> read -> ProviderEvents: each body is stored, and `read` again when it is handled
//! parts -> Parts: each is stored as the body of a delivery -> steps -> verdict
//! check -> health
//! ```

mod buttons;
mod credentials;
mod elements;
mod file_names;
mod health;
mod inbound_message;
mod json_lookup;
mod meta;
mod part;
mod parting;
mod proof;
mod provider;
mod provider_event;
mod splitting;
mod step;
mod verdict;

pub mod email;
pub mod line;
pub mod messenger;
pub mod telegram;
pub mod whatsapp;

#[cfg(test)]
mod tests;

use confab_domain::json_text::JsonText;
use confab_domain::messages::message::Message;
use confab_domain::support::conversations::answering::Answerer;

pub use buttons::{PartButton, pressed};
pub use credentials::{CredentialName, Credentials, Secret};
pub use health::{AccountAtProvider, ChannelHealth, CheckAnswer, HealthState};
pub use inbound_message::{
    DraftContent, InboundContent, InboundMessage, Media, MediaSource, ReplyReference, StoredMedia,
};
pub use json_lookup::Unreadable;
pub use part::{Destination, FileFacts, Part, PartContent};
pub use proof::{Head, Proof};
pub use provider::Provider;
pub use provider_event::{
    Contact, CustomerProfile, Echo, EventContent, ExternalId, Failure, IdKind, IgnoredReason,
    Press, PressedButton, ProviderEvent, Reaction, ReplyToken, SendTag, State, Status, StatusOf,
    Utterance,
};
pub use step::{Method, ProviderHost, Purpose, Slot, Step, StepBody, UploadedFile};
pub use verdict::{Instead, Pause, QUOTA_SPENT, Verdict};

/// Returns the names of the credentials that a channel needs.
pub fn credential_names(provider: Provider) -> &'static [CredentialName] {
    match provider {
        Provider::Telegram => telegram::NAMES,
        Provider::Whatsapp => whatsapp::NAMES,
        Provider::Line => line::NAMES,
        Provider::Messenger => messenger::MESSENGER_NAMES,
        Provider::Instagram => messenger::INSTAGRAM_NAMES,
        Provider::Email => email::NAMES,
    }
}

/// Verifies that a webhook request came from the provider, by its headers, its query and the
/// signature of its body.
pub fn prove(provider: Provider, credentials: &Credentials, head: &Head<'_>, raw: &[u8]) -> Proof {
    match provider {
        Provider::Telegram => telegram::prove(credentials, head),
        Provider::Line => line::prove(credentials, head, raw),
        Provider::Whatsapp | Provider::Messenger | Provider::Instagram => {
            meta::prove(credentials, head, raw)
        }
        // Mails do not arrive by webhook.
        Provider::Email => Proof::Forged,
    }
}

/// Returns the provider whose events an authenticated webhook body from Meta contains, because
/// Meta's providers share one webhook URL. `None` if the provider is unknown.
pub fn meta_provider(raw: &[u8]) -> Option<Provider> {
    meta::provider(raw)
}

/// Parses all events of an authenticated webhook body. For the stored body of a single event,
/// returns only this event.
pub fn read(provider: Provider, raw: &[u8]) -> Result<Vec<ProviderEvent>, Unreadable> {
    match provider {
        Provider::Telegram => telegram::read(raw),
        Provider::Whatsapp => whatsapp::read(raw),
        Provider::Line => line::read(raw),
        Provider::Messenger | Provider::Instagram => messenger::read(provider, raw),
        Provider::Email => email::read(raw),
    }
}

/// Returns the requests that fetch a customer's file; the response to the last one is the file.
pub fn fetch(provider: Provider, media: &Media, credentials: &Credentials) -> Vec<Step> {
    match provider {
        Provider::Telegram => telegram::fetch(media, credentials),
        Provider::Whatsapp => whatsapp::fetch(media, credentials),
        Provider::Line => line::fetch(media, credentials),
        Provider::Messenger | Provider::Instagram => messenger::fetch(media),
        // Files of mails are read from the mailbox, not requested.
        Provider::Email => Vec::new(),
    }
}

/// Returns the size in bytes of the largest file that can be fetched from the provider.
pub fn fetched_bytes_max(provider: Provider) -> u64 {
    match provider {
        Provider::Telegram => telegram::FETCHED_BYTES_MAX,
        Provider::Whatsapp => whatsapp::FETCHED_BYTES_MAX,
        Provider::Line => line::FETCHED_BYTES_MAX,
        Provider::Messenger | Provider::Instagram => messenger::FETCHED_BYTES_MAX,
        Provider::Email => email::MAIL_BYTES_MAX,
    }
}

/// Returns the requests that acknowledge a handled event. They include read receipts only if
/// `shows_read`.
pub fn acknowledge(
    provider: Provider,
    event: &ProviderEvent,
    credentials: &Credentials,
    shows_read: bool,
) -> Vec<Step> {
    match provider {
        // Telegram has no read receipts, but requires an answer to each button press.
        Provider::Telegram => telegram::acknowledge(event, credentials),
        _ if !shows_read => Vec::new(),
        Provider::Whatsapp => whatsapp::acknowledge(event, credentials),
        Provider::Line => line::acknowledge(event, credentials),
        Provider::Messenger | Provider::Instagram => {
            messenger::acknowledge(provider, event, credentials)
        }
        Provider::Email => Vec::new(),
    }
}

/// Returns the requests for a customer's name, if the provider's events do not contain it;
/// [`read_profile`] parses the response. The provider may refuse these requests; the customer's
/// message is then posted without a name.
pub fn profile(provider: Provider, contact: &Contact, credentials: &Credentials) -> Vec<Step> {
    match provider {
        Provider::Telegram | Provider::Whatsapp | Provider::Email => Vec::new(),
        Provider::Line => line::profile(contact, credentials),
        Provider::Messenger | Provider::Instagram => {
            messenger::profile(provider, contact, credentials)
        }
    }
}

/// Parses the response to the requests of [`profile`].
pub fn read_profile(provider: Provider, body: &[u8]) -> Option<CustomerProfile> {
    match provider {
        Provider::Telegram | Provider::Whatsapp | Provider::Email => None,
        Provider::Line => line::read_profile(body),
        Provider::Messenger | Provider::Instagram => messenger::read_profile(body),
    }
}

/// Splits a message into the parts in which it is sent to the customer.
pub fn parts(provider: Provider, message: &Message, answerer: Answerer) -> Vec<Part> {
    match provider {
        Provider::Telegram => telegram::parts(message, answerer),
        Provider::Whatsapp => whatsapp::parts(message, answerer),
        Provider::Line => line::parts(message, answerer),
        Provider::Messenger | Provider::Instagram => messenger::parts(provider, message, answerer),
        Provider::Email => email::parts(message, answerer),
    }
}

/// Returns the part that sends a message as an approved template; `template` is in the format of
/// the provider's API.
pub fn template_parts(message: &Message, answerer: Answerer, template: &JsonText) -> Vec<Part> {
    let template = serde_json::from_str(template.as_str()).unwrap_or_default();
    parting::change(message, answerer, PartContent::Template { template })
}

/// Whether the provider accepts a part only for a limited time after the customer's last message.
pub fn needs_window(provider: Provider, part: &Part) -> bool {
    let is_free = matches!(
        part.say,
        PartContent::Template { .. }
            | PartContent::Edit { .. }
            | PartContent::Delete
            | PartContent::Unsayable { .. }
    );
    let has_window =
        matches!(provider, Provider::Whatsapp | Provider::Messenger | Provider::Instagram);
    has_window && !is_free
}

/// Returns the parts that edit a sent message; empty if the provider cannot edit it.
pub fn edit_parts(provider: Provider, message: &Message, answerer: Answerer) -> Vec<Part> {
    match provider {
        Provider::Telegram => telegram::edit_parts(message, answerer),
        _ => Vec::new(),
    }
}

/// Returns the parts that delete a sent message; empty if the provider cannot delete it. If the
/// message was sent as several messages of the provider, each of them needs its own delivery.
pub fn delete_parts(provider: Provider, message: &Message, answerer: Answerer) -> Vec<Part> {
    match provider {
        Provider::Telegram => telegram::delete_parts(message, answerer),
        _ => Vec::new(),
    }
}

/// Returns the requests that send a part, or the verdict if it cannot be sent.
pub fn steps(
    provider: Provider,
    part: &Part,
    destination: &Destination<'_>,
    credentials: &Credentials,
) -> Result<Vec<Step>, Verdict> {
    if let PartContent::Unsayable { why } = &part.say {
        return Err(Verdict::never("unsupported", why));
    }
    match provider {
        Provider::Telegram => telegram::steps(part, destination, credentials),
        Provider::Whatsapp => whatsapp::steps(part, destination, credentials),
        Provider::Line => line::steps(part, destination, credentials),
        Provider::Messenger | Provider::Instagram => {
            messenger::steps(provider, part, destination, credentials)
        }
        Provider::Email => {
            Err(Verdict::never("unsupported", "Mails are not sent by HTTP requests."))
        }
    }
}

/// Returns the requests that show a typing indicator; empty if the provider has none.
pub fn typing(
    provider: Provider,
    destination: &Destination<'_>,
    credentials: &Credentials,
) -> Vec<Step> {
    match provider {
        Provider::Telegram => telegram::typing(destination, credentials),
        Provider::Whatsapp => whatsapp::typing(destination, credentials),
        Provider::Line => line::typing(destination, credentials),
        Provider::Messenger | Provider::Instagram => {
            messenger::typing(provider, destination, credentials)
        }
        Provider::Email => Vec::new(),
    }
}

/// Interprets the response to a step of a delivery.
pub fn verdict(provider: Provider, status: u16, body: &[u8]) -> Verdict {
    match provider {
        Provider::Telegram => telegram::verdict(status, body),
        Provider::Whatsapp => whatsapp::verdict(status, body),
        Provider::Line => line::verdict(status, body),
        Provider::Messenger | Provider::Instagram => messenger::verdict(status, body),
        Provider::Email => email::verdict_of(status, &String::from_utf8_lossy(body), ""),
    }
}

/// Returns the requests that check a channel's health.
pub fn check(provider: Provider, credentials: &Credentials) -> Vec<Step> {
    match provider {
        Provider::Telegram => telegram::check(credentials),
        Provider::Whatsapp => whatsapp::check(credentials),
        Provider::Line => line::check(credentials),
        Provider::Messenger | Provider::Instagram => messenger::check(provider, credentials),
        Provider::Email => Vec::new(),
    }
}

/// Determines a channel's health from the responses to the steps of [`check`], in their order.
/// `hook_url` is the address to which the provider should send events; `None` if events are polled.
pub fn health(
    provider: Provider,
    answers: &[CheckAnswer<'_>],
    hook_url: Option<&str>,
) -> ChannelHealth {
    match provider {
        Provider::Telegram => telegram::health(answers, hook_url),
        Provider::Whatsapp => whatsapp::health(answers),
        Provider::Line => line::health(answers, hook_url),
        Provider::Messenger | Provider::Instagram => messenger::health(provider, answers),
        // The server checks the IMAP and SMTP servers itself; see `email::condition`.
        Provider::Email => ChannelHealth::ok(None),
    }
}
