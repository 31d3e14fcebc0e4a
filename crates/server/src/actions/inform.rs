//! Adds to what is known about customers.

use std::sync::Arc;

use confab_domain::agents::agent::Agent;
use confab_domain::agents::right::Right;
use confab_domain::app::App;
use confab_domain::decision::rule::Rule;
use confab_domain::ids::{RoomId, UserKey};
use confab_domain::service::customer_info::{AddCustomerInfo, SetCustomerProperty, Told};
use confab_domain::webhooks::notice::CustomerProperty;
use confab_store::WriteError;

use crate::actions::desk::OwnedDesk;
use crate::services::Services;

/// In one room. `by` is nobody if the app asks.
pub(crate) async fn inform(
    services: &Services,
    desk: &OwnedDesk,
    room: RoomId,
    told: Told,
    by: Option<Agent>,
) -> Result<(), WriteError> {
    desk.decide(services, AddCustomerInfo { room, told, by }).await
}

/// In every room of the customer.
pub(crate) async fn set_property(
    services: &Services,
    app: &Arc<App>,
    by: Option<Right>,
    customer: UserKey,
    (label, value): (String, String),
) -> Result<CustomerProperty, WriteError> {
    let rule = SetCustomerProperty { customer, label, value };
    services.decide(app, rule.on_right(by)).await
}
