//! The JSON of channels' providers: what they tell, and what they are asked (channel facts 5.1).
//!
//! Called by `server`, which receives hooks, fetches files and sends requests (D-0154). One folder
//! a provider, chosen by one `match`; the types that all share stand beside them. Everything is
//! pure: no I/O, no clock, no randomness. A body that was not proven is never read, a secret has no
//! `Debug`, and nothing that a provider tells is dropped silently.
//!
//! ```text
//! prove -> read -> an Event each: its body is stored, `read` again alone, and handled
//! parts -> a Part each: its body is stored, opened again, `steps` sent in order -> verdict
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
use confab_domain::support::answering::Answerer;

pub use buttons::{PartButton, pressed};
pub use credentials::{CredentialName, Credentials, Secret};
pub use health::{AccountAtProvider, ChannelHealth, CheckAnswer, HealthState};
pub use inbound_message::{
    Content, DraftContent, InboundMessage, Media, MediaSource, ReplyReference, StoredMedia,
};
pub use json_lookup::Unreadable;
pub use part::{Destination, FileFacts, Part, Say};
pub use proof::{Head, Proof};
pub use provider::Provider;
pub use provider_event::{
    Contact, Echo, EventContent, ExternalId, Failure, IdKind, IgnoredReason, Press, PressedButton,
    Profile, ProviderEvent, Reaction, ReplyToken, SendTag, State, Status, StatusOf, Utterance,
};
pub use step::{Host, Method, Purpose, Slot, Step, StepBody, UploadedFile};
pub use verdict::{Instead, Pause, QUOTA_SPENT, Verdict};

/// What a channel must be given.
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

/// Whether a request came from the provider. Reads nothing else of it.
pub fn prove(provider: Provider, credentials: &Credentials, head: &Head<'_>, raw: &[u8]) -> Proof {
    match provider {
        Provider::Telegram => telegram::prove(credentials, head),
        Provider::Line => line::prove(credentials, head, raw),
        Provider::Whatsapp | Provider::Messenger | Provider::Instagram => {
            meta::prove(credentials, head, raw)
        }
        // Nobody brings mails by a hook.
        Provider::Email => Proof::Forged,
    }
}

/// Whose events a proven body of Meta's holds: one address serves several kinds. Nothing for what
/// is not known here.
pub fn meta_provider(raw: &[u8]) -> Option<Provider> {
    meta::provider(raw)
}

/// Every element of a proven body. Reading the body of an event again gives that event alone.
pub fn read(provider: Provider, raw: &[u8]) -> Result<Vec<ProviderEvent>, Unreadable> {
    match provider {
        Provider::Telegram => telegram::read(raw),
        Provider::Whatsapp => whatsapp::read(raw),
        Provider::Line => line::read(raw),
        Provider::Messenger | Provider::Instagram => messenger::read(provider, raw),
        Provider::Email => email::read(raw),
    }
}

/// The requests that fetch a customer's file; the answer to the last is the file.
pub fn fetch(provider: Provider, media: &Media, credentials: &Credentials) -> Vec<Step> {
    match provider {
        Provider::Telegram => telegram::fetch(media, credentials),
        Provider::Whatsapp => whatsapp::fetch(media, credentials),
        Provider::Line => line::fetch(media, credentials),
        Provider::Messenger | Provider::Instagram => messenger::fetch(media),
        // Out of the mailbox, not by a request.
        Provider::Email => Vec::new(),
    }
}

/// Bytes of the largest file that the provider lets us fetch.
pub fn fetched_bytes_max(provider: Provider) -> u64 {
    match provider {
        Provider::Telegram => telegram::FETCHED_BYTES_MAX,
        Provider::Whatsapp => whatsapp::FETCHED_BYTES_MAX,
        Provider::Line => line::FETCHED_BYTES_MAX,
        Provider::Messenger | Provider::Instagram => messenger::FETCHED_BYTES_MAX,
        Provider::Email => email::MAIL_BYTES_MAX,
    }
}

/// What the provider is told once an event is handled; `shows_read` if customers are to see it.
pub fn acknowledge(
    provider: Provider,
    event: &ProviderEvent,
    credentials: &Credentials,
    shows_read: bool,
) -> Vec<Step> {
    match provider {
        // Whether it was read is not shown; that a press arrived is.
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

/// The requests that tell a customer's name, where events do not; `read_profile` reads the answer.
/// A provider may refuse to tell: the message goes on without a name.
pub fn profile(provider: Provider, contact: &Contact, credentials: &Credentials) -> Vec<Step> {
    match provider {
        Provider::Telegram | Provider::Whatsapp | Provider::Email => Vec::new(),
        Provider::Line => line::profile(contact, credentials),
        Provider::Messenger | Provider::Instagram => {
            messenger::profile(provider, contact, credentials)
        }
    }
}

/// The answer to `profile`.
pub fn read_profile(provider: Provider, body: &[u8]) -> Option<Profile> {
    match provider {
        Provider::Telegram | Provider::Whatsapp | Provider::Email => None,
        Provider::Line => line::read_profile(body),
        Provider::Messenger | Provider::Instagram => messenger::read_profile(body),
    }
}

/// A message of ours for the customer, in parts.
pub fn parts(provider: Provider, message: &Message, answerer: Answerer) -> Vec<Part> {
    match provider {
        Provider::Telegram => telegram::parts(message, answerer),
        Provider::Whatsapp => whatsapp::parts(message, answerer),
        Provider::Line => line::parts(message, answerer),
        Provider::Messenger | Provider::Instagram => messenger::parts(provider, message, answerer),
        Provider::Email => email::parts(message, answerer),
    }
}

/// A message of ours that is sent as a template of the provider, which its API takes so.
pub fn template_parts(message: &Message, answerer: Answerer, template: &JsonText) -> Vec<Part> {
    let template = serde_json::from_str(template.as_str()).unwrap_or_default();
    parting::change(message, answerer, Say::Template { template })
}

/// Whether the provider takes a part only for some time after the customer's last message.
pub fn needs_window(provider: Provider, part: &Part) -> bool {
    let is_free = matches!(
        part.say,
        Say::Template { .. } | Say::Edit { .. } | Say::Delete | Say::Unsayable { .. }
    );
    let has_window =
        matches!(provider, Provider::Whatsapp | Provider::Messenger | Provider::Instagram);
    has_window && !is_free
}

/// The changed text of a message that was sent; nothing where the provider cannot change it.
pub fn edit_parts(provider: Provider, message: &Message, answerer: Answerer) -> Vec<Part> {
    match provider {
        Provider::Telegram => telegram::edit_parts(message, answerer),
        _ => Vec::new(),
    }
}

/// Takes back a message that was sent; nothing where the provider cannot. Each id of the message
/// at the provider is one delivery.
pub fn delete_parts(provider: Provider, message: &Message, answerer: Answerer) -> Vec<Part> {
    match provider {
        Provider::Telegram => telegram::delete_parts(message, answerer),
        _ => Vec::new(),
    }
}

/// The requests that send a part, or why there are none.
pub fn steps(
    provider: Provider,
    part: &Part,
    destination: &Destination<'_>,
    credentials: &Credentials,
) -> Result<Vec<Step>, Verdict> {
    if let Say::Unsayable { why } = &part.say {
        return Err(Verdict::never("unsupported", why));
    }
    match provider {
        Provider::Telegram => telegram::steps(part, destination, credentials),
        Provider::Whatsapp => whatsapp::steps(part, destination, credentials),
        Provider::Line => line::steps(part, destination, credentials),
        Provider::Messenger | Provider::Instagram => {
            messenger::steps(provider, part, destination, credentials)
        }
        Provider::Email => Err(Verdict::never("unsupported", "A mail is no request.")),
    }
}

/// Shows the customer that somebody writes; nothing where the provider cannot.
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

/// What the answer to a step of a delivery means.
pub fn verdict(provider: Provider, status: u16, body: &[u8]) -> Verdict {
    match provider {
        Provider::Telegram => telegram::verdict(status, body),
        Provider::Whatsapp => whatsapp::verdict(status, body),
        Provider::Line => line::verdict(status, body),
        Provider::Messenger | Provider::Instagram => messenger::verdict(status, body),
        Provider::Email => email::verdict_of(status, &String::from_utf8_lossy(body), ""),
    }
}

/// The requests that show how a channel is.
pub fn check(provider: Provider, credentials: &Credentials) -> Vec<Step> {
    match provider {
        Provider::Telegram => telegram::check(credentials),
        Provider::Whatsapp => whatsapp::check(credentials),
        Provider::Line => line::check(credentials),
        Provider::Messenger | Provider::Instagram => messenger::check(provider, credentials),
        Provider::Email => Vec::new(),
    }
}

/// How a channel is, by the answers to the steps of `check`, in their order. `hook_url` is where
/// the provider should send events; nothing if it is asked for them.
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
        // Its two servers are asked by who speaks with them (`email::condition`).
        Provider::Email => ChannelHealth::ok(None),
    }
}
