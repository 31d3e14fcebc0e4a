//! The message API, one file for each resource (spec 4.1, wire facts 3).

pub(super) mod messages;
pub(super) mod participants;
pub(super) mod rooms;
pub(super) mod users;
pub(super) mod v2;
pub(super) mod webhook_logs;

use confab_domain::people::user::UserId;
use confab_domain::refusal::Refusal;

fn unknown_user(user: &UserId) -> Refusal {
    Refusal::UsersNotFound(vec![user.as_str().to_owned()])
}
