//! The omnichannel API (spec 4.2, wire facts 5), for those who work in an app and for its other
//! services: one folder for each part, one file a route.

pub(super) mod channels;
pub(super) mod people;
pub(super) mod service;

use confab_domain::agents::role::Role;
use confab_domain::service::customer_room::AgentRecord;
use confab_wire::omnichannel_api::people::agents::Viewer;

/// Whose keys the caller sees: an admin and the app itself everybody's (D-0033).
fn viewer(worker: Option<&AgentRecord>) -> Viewer {
    let user = worker.map(|worker| &worker.profile.user);
    let sees_keys = user.is_none_or(|user| user.role == Role::Admin);
    Viewer { sees_keys, own: user.map(|user| user.id) }
}
