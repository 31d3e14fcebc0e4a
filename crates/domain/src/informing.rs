//! Informing: what is known about a customer, in one room or in all. What is said is put beside
//! what is known; nothing else is lost.

use std::collections::BTreeSet;

use crate::allocating;
use crate::app::DashboardUser;
use crate::decision::{Change, Decision, Facts, Question, Stamp};
use crate::ids::{PropertyId, RoomId, UserKey};
use crate::limits;
use crate::notice::{CustomerProperty, Info};
use crate::omnichannel::OmniChange;
use crate::refusal::Refusal;
use crate::serving::{Desk, Serving};

/// What `add` wants to know.
pub fn question(desk: &Desk<'_>, room: RoomId) -> Question {
    allocating::question(desk, room, &[])
}

/// Adds to what is known about the customer in a room. `by` is nobody if the app asks.
pub fn add(
    desk: &Desk<'_>,
    facts: &Facts,
    room: RoomId,
    infos: &[Info],
    by: Option<&DashboardUser>,
    stamp: &Stamp<'_>,
) -> Result<Decision<()>, Refusal> {
    let serving = Serving::of(desk, facts, room, stamp)?;
    by.map_or(Ok(()), |by| serving.must_be_open_to_role(by))?;
    let keys = serving.before.infos.iter().chain(infos).map(|info| info.key.as_str());
    if keys.collect::<BTreeSet<_>>().len() > limits::INFOS_MAX {
        let max = limits::INFOS_MAX;
        return Err(Refusal::TooMany { what: "things known about a customer", max });
    }
    let change = |info: &Info| Change::from(OmniChange::PutInfo { room, info: info.clone() });
    Ok(Decision { changes: infos.iter().map(change).collect(), outcome: () })
}

/// Sets what is known about a customer in every room. The label keeps its integer.
pub fn set_property(
    known: &[CustomerProperty],
    customer: UserKey,
    label: &str,
    value: &str,
    stamp: &Stamp<'_>,
) -> Result<Decision<CustomerProperty>, Refusal> {
    let before = known.iter().find(|it| it.label == label);
    if before.is_none() && known.len() >= limits::INFOS_MAX {
        let max = limits::INFOS_MAX;
        return Err(Refusal::TooMany { what: "properties of a customer", max });
    }
    let id = before.map_or_else(|| PropertyId(stamp.next_id()), |it| it.id);
    let property = CustomerProperty { id, label: label.to_owned(), value: value.to_owned() };
    let change = OmniChange::PutProperty { customer, property: property.clone() };
    Ok(Decision { changes: vec![change.into()], outcome: property })
}
