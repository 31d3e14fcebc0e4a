//! Adds to what is known about customers.

use confab_domain::agents::agent::Agent;
use confab_domain::agents::right::Right;
use confab_domain::app::App;
use confab_domain::decision::facts::Facts;
use confab_domain::decision::stamp::Stamp;
use confab_domain::ids::{RoomId, UserKey};
use confab_domain::service::customer_info::{self, Told};
use confab_domain::webhooks::notice::CustomerProperty;
use confab_store::WriteError;

use super::say::say;
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
    let (question, its) = (customer_info::question(&desk.desk(), room, by.as_ref()), desk.clone());
    let rule = move |facts: &Facts, stamp: &Stamp<'_>| {
        customer_info::add(&its.desk(), facts, room, &told, by.as_ref(), stamp)
    };
    let _served = say(services, desk.app(), question, rule).await?;
    Ok(())
}

/// In every room of the customer.
pub(crate) async fn set_property(
    services: &Services,
    app: &App,
    by: Option<Right>,
    customer: UserKey,
    (label, value): (String, String),
) -> Result<CustomerProperty, WriteError> {
    let rule = move |facts: &Facts, stamp: &Stamp<'_>| {
        customer_info::set_property(facts, customer, &label, &value, stamp)
    };
    let question = customer_info::property_question(customer).on_right(by);
    services.store().decide(app.id, question, rule).await
}
