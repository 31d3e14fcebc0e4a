//! The client API, one file for each resource (wire facts 4.1 to 4.3). A user sees the rooms that
//! the user is in, and public channels; other rooms count as not found (design/message-api). The
//! customer of a channel sees only the rooms that the customer is in, and may make only the calls
//! that take a `ClientCaller` (D-0071).

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
use confab_queries::visibility;
use confab_store::Store;

use crate::requests::callers::UserCaller;
use crate::responses::problem::Problem;

/// Fails if one of the users that the call names is hidden from the caller (D-0071). The error is
/// the same as for an unknown user.
async fn must_reach(store: &Store, caller: &UserCaller, others: &[UserId]) -> Result<(), Problem> {
    let setting = Settings::AGENT_AND_CUSTOMER_ROOMS;
    let meant = store.meant_by(&caller.user, others).await?;
    let named = meant.len();
    let shown = visibility::only_shown(store, &caller.user, meant, setting).await?;
    if shown.len() == named {
        return Ok(());
    }
    let absent = others.iter().filter(|user| shown.iter().all(|(_, it)| it != *user));
    Err(Refusal::UsersNotFound(absent.map(|user| user.as_str().to_owned()).collect()).into())
}
