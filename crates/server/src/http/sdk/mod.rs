//! The client API, one file for each resource (wire facts 4.1 to 4.3). A user sees the rooms that
//! they are in, and public channels; any other room does not exist for them (D-0045). The customer
//! of a channel sees only the rooms that they are in, and may make only the calls that take a
//! `ClientCaller` (D-0205).

pub(super) mod channels;
pub(super) mod configuration;
pub(super) mod devices;
pub(super) mod files;
pub(super) mod identity;
pub(super) mod messages;
pub(super) mod participants;
pub(super) mod profile;
pub(super) mod receipts;
pub(super) mod room_list;
pub(super) mod rooms;
pub(super) mod search;
pub(super) mod sync;
pub(super) mod unread;
pub(super) mod upload;
pub(super) mod users;

use confab_domain::people::user::UserId;
use confab_domain::refusal::Refusal;
use confab_domain::support::settings::Settings;

use super::callers::UserCaller;
use super::problem::Problem;
use crate::queries::visibility;
use crate::services::Services;

/// Refuses what brings the caller together with somebody they are not shown (D-0071). They are told
/// what they would be told of somebody who is not there.
async fn must_reach(
    services: &Services,
    caller: &UserCaller,
    others: &[UserId],
) -> Result<(), Problem> {
    let setting = Settings::AGENT_AND_CUSTOMER_ROOMS;
    let meant = services.store().meant_by(&caller.user, others).await?;
    let named = meant.len();
    let shown = visibility::only_shown(services, &caller.user, meant, setting).await?;
    if shown.len() == named {
        return Ok(());
    }
    let absent = others.iter().filter(|user| shown.iter().all(|(_, it)| it != *user));
    Err(Refusal::UsersNotFound(absent.map(|user| user.as_str().to_owned()).collect()).into())
}
