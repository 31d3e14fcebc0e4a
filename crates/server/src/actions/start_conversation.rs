//! Writes to somebody who need not have written: they are a customer of the channel then, with a
//! room (D-0157).

use confab_domain::agents::right::Right;
use confab_domain::channels::identity::Identity;
use confab_domain::decision::rule::Rule;
use confab_domain::field_problem::FieldProblem;
use confab_domain::json_text::JsonText;
use confab_domain::messages::message::{Draft, PostedMessage};
use confab_domain::people::user::UserId;
use confab_domain::refusal::Refusal;
use confab_domain::support::answering::Answerer;
use confab_domain::support::initiating::{AdmitVisitor, NewCustomerIds, Visitor};
use confab_domain::support::starting::StartConversation;
use confab_store::WriteError;
use confab_wire::channels::{IdKind, whatsapp};

use crate::channels::linked::LinkedChannel;
use crate::ids;
use crate::services::Services;

/// No calling code is longer.
const CALLING_CODE_CHARS_MAX: usize = 3;

/// Who is written to.
pub(crate) struct Recipient {
    /// As the service takes it.
    pub(crate) number: String,
    /// What they are called, if they are new.
    pub(crate) name: Option<String>,
}

/// Who says it, and how.
#[derive(Clone)]
pub(crate) struct Starter {
    pub(crate) answerer: Answerer,
    /// Nobody's if the app itself starts.
    pub(crate) by: Option<Right>,
    /// How many webhooks led to it.
    pub(crate) depth: u32,
    /// Who starts it also serves it.
    pub(crate) serves: bool,
    /// As the API of the service takes it.
    pub(crate) template: JsonText,
}

/// A number as people type it, as the service takes it. One without a calling code is of the
/// country of the channel's own number.
pub(crate) fn typed_number(linked: &LinkedChannel, typed: &str) -> Result<String, FieldProblem> {
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

/// `62` of `+62 811-1111-111`.
fn calling_code(number: &str) -> Option<&str> {
    let (code, _) = number.strip_prefix('+')?.split_once(' ')?;
    let is_short = (1..=CALLING_CODE_CHARS_MAX).contains(&code.len());
    Some(code).filter(|it| is_short && it.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Says it in the room that the customer has, or in a new one. Where each conversation has a room
/// of its own, one that is over is left behind.
pub(crate) async fn start_conversation(
    services: &Services,
    linked: &LinkedChannel,
    to: Recipient,
    draft: Draft,
    starter: Starter,
) -> Result<PostedMessage, WriteError> {
    let Recipient { number, name } = to;
    let known = known_customer(services, linked, &number).await?;
    let is_new = known.is_none();
    let named = || UserId::parse("phone_number", &number).map_err(Refusal::from);
    let user_id = known.map_or_else(named, Ok)?;
    let visitor = Visitor {
        user_id,
        // What customers call themselves stays.
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
    let greeted = services.decide_after(depth, &linked.app, greet.on_right(by.clone())).await?;
    let room = greeted.customer_room.room;
    let start = StartConversation { room, draft, answerer, serves, template }.on_right(by);
    services.decide_after(depth, &linked.app, start).await
}

/// The customer whom the number leads to, in whichever of its spellings.
async fn known_customer(
    services: &Services,
    linked: &LinkedChannel,
    number: &str,
) -> Result<Option<UserId>, WriteError> {
    for spelling in whatsapp::spellings(number) {
        let found = services.store().known_as(linked.channel.id, &spelling).await;
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
    fn a_calling_code_is_what_stands_before_the_first_blank() {
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
