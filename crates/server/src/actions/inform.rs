//! Adds to what is known about customers.

use confab_domain::app::{App, DashboardUser};
use confab_domain::decision::{Facts, Stamp};
use confab_domain::ids::{RoomId, UserKey};
use confab_domain::informing::{self, Told};
use confab_domain::notice::CustomerProperty;
use confab_domain::right::Right;
use confab_store::WriteError;

use super::OwnedDesk;
use super::say::say;
use crate::services::Services;

/// In one room. `by` is nobody if the app asks.
pub(crate) async fn inform(
    services: &Services,
    desk: &OwnedDesk,
    room: RoomId,
    told: Told,
    by: Option<DashboardUser>,
) -> Result<(), WriteError> {
    let (question, its) = (informing::question(&desk.desk(), room, by.as_ref()), desk.clone());
    let rule = move |facts: &Facts, stamp: &Stamp<'_>| {
        informing::add(&its.desk(), facts, room, &told, by.as_ref(), stamp)
    };
    let served = say(services, desk.app().id, question, rule).await?;
    desk.announce(services, served);
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
        informing::set_property(facts, customer, &label, &value, stamp)
    };
    let question = informing::property_question(customer).on_right(by);
    services.store().decide(app.id, question, rule).await
}
