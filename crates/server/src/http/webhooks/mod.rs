//! The webhook API (D-0032), one file a route: where an app is told of what happens, what was
//! told and what became of it, sending it again, and trying it out.

use confab_domain::ids::DeliveryId;
use confab_domain::refusal::Refusal;
use confab_domain::webhooks::notice_kind::NoticeKind;

pub(super) mod deliveries;
pub(super) mod delivery;
pub(super) mod endpoint;
pub(super) mod endpoints;
pub(super) mod listen;
pub(super) mod pause;
pub(super) mod replay;
pub(super) mod replay_delivery;
pub(super) mod resume;
pub(super) mod test;
pub(super) mod trigger;

/// The kind that stands in a path.
fn kind_of(text: &str) -> Result<NoticeKind, Refusal> {
    NoticeKind::parse(text).ok_or_else(|| Refusal::KindNotFound(text.to_owned()))
}

/// The delivery that stands in a path.
fn delivery_of(text: &str) -> Result<DeliveryId, Refusal> {
    let id = text.parse().ok().filter(|id: &i64| id.to_string() == text);
    id.map(DeliveryId).ok_or_else(|| unknown_delivery(text))
}

fn unknown_delivery(text: &str) -> Refusal {
    Refusal::DeliveryNotFound(text.to_owned())
}
