//! Starts a conversation with a person who may never have written before. The person becomes a
//! customer of the channel, with a room (D-0157).

use confab_domain::channels::identity::Identity;
use confab_domain::decision::principal::Principal;
use confab_domain::field_problem::FieldProblem;
use confab_domain::json_text::JsonText;
use confab_domain::messages::message::{Draft, PostedMessage};
use confab_domain::people::user::UserId;
use confab_domain::refusal::Refusal;
use confab_domain::support::conversations::answering::Answerer;
use confab_domain::support::conversations::initiating::{AdmitVisitor, NewCustomerIds, Visitor};
use confab_domain::support::conversations::starting::StartConversation;
use confab_providers::{IdKind, whatsapp};
use confab_runtime::ids;
use confab_store::{Store, WriteError};

use crate::channels::linked::LinkedChannel;
use crate::decide::Decisions;

/// Maximum number of digits of a calling code.
const CALLING_CODE_CHARS_MAX: usize = 3;

/// The recipient of a conversation's first message.
pub struct Recipient {
    /// Phone number as the provider writes it, with calling code.
    pub number: String,
    /// Name to store if the recipient is a new customer.
    pub name: Option<String>,
}

/// The sender of a conversation's first message.
#[derive(Clone)]
pub struct Starter<'a> {
    pub answerer: Answerer,
    /// The agent who starts the conversation, or the app.
    pub by: &'a Principal,
    /// Number of nested webhooks that led to this request.
    pub depth: u32,
    /// Whether the agent who starts the conversation is also assigned to it.
    pub serves: bool,
    /// Template message in the format of the provider's API.
    pub template: JsonText,
}

/// Converts a phone number that a person typed to the provider's form. A number without a calling
/// code gets the calling code of the channel's own number.
pub fn typed_number(linked: &LinkedChannel, typed: &str) -> Result<String, FieldProblem> {
    let home = calling_code(linked.account.setting("username"));
    let is_local = typed.trim_start().starts_with('0') && !typed.trim_start().starts_with("00");
    let number = match home {
        None if is_local => None,
        home => whatsapp::typed_number(typed, home.unwrap_or_default()),
    };
    let problem = || {
        let problem = "must be a phone number with its calling code, such as 628123456789";
        FieldProblem::new("phone_number", problem)
    };
    number.ok_or_else(problem)
}

/// Returns the calling code of a phone number that is written with spaces: `62` of `+62
/// 811-1111-111`.
fn calling_code(number: &str) -> Option<&str> {
    let (code, _) = number.strip_prefix('+')?.split_once(' ')?;
    let is_short = (1..=CALLING_CODE_CHARS_MAX).contains(&code.len());
    Some(code).filter(|it| is_short && it.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Posts the first message in the customer's room, or in a new room. If the app uses one room per
/// conversation, a room whose conversation has ended is not reused.
pub async fn start_conversation(
    decisions: &Decisions,
    linked: &LinkedChannel,
    to: Recipient,
    draft: Draft,
    starter: Starter<'_>,
) -> Result<PostedMessage, WriteError> {
    let Recipient { number, name } = to;
    let known = known_customer(decisions.store(), linked, &number).await?;
    let is_new = known.is_none();
    let named = || UserId::parse("phone_number", &number).map_err(Refusal::from);
    let user_id = known.map_or_else(named, Ok)?;
    let visitor = Visitor {
        user_id,
        // The name that a customer has given stays.
        name: name.filter(|_| is_new),
        avatar_url: None,
        extras: None,
        room_extras: None,
        infos: Vec::new(),
        brand: None,
    };
    let identity = Identity { kind: IdKind::Number.as_str().to_owned(), external_id: number };
    let identities = is_new.then_some(identity).into_iter().collect();
    let new = NewCustomerIds { token: ids::secret(), unique_id: ids::room_unique_id() };
    let channel = linked.channel.clone();
    let greet = AdmitVisitor { channel, visitor, new, draft: None, identities };
    let Starter { answerer, by, depth, serves, template } = starter;
    let greeted = decisions.decide_after(depth, by, greet).await?;
    let room = greeted.customer_room.room;
    let start = StartConversation { room, draft, answerer, serves, template };
    decisions.decide_after(depth, by, start).await
}

/// Returns the customer with this number, in any of its spellings.
async fn known_customer(
    store: &Store,
    linked: &LinkedChannel,
    number: &str,
) -> Result<Option<UserId>, WriteError> {
    for spelling in whatsapp::spellings(number) {
        let found = store.user_id_of(linked.channel.id, &spelling).await;
        if let Some(user_id) = found.map_err(WriteError::Failed)? {
            return Ok(Some(user_id));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_calling_code_ends_at_the_first_space() {
        for (number, code) in [
            ("+62 811-1111-111", Some("62")),
            ("+1 555-0100", Some("1")),
            ("+628111111111", None),
            ("62 811", None),
            ("+ 811", None),
            ("", None),
        ] {
            assert_eq!(calling_code(number), code, "{number}");
        }
    }
}
