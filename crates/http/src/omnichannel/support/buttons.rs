//! Custom buttons, which the dashboard shows at customers' rooms and which call a URL of the app
//! (design/support).

use axum::extract::{Path, State};
use confab_app::decide::Decisions;
use confab_app::services::Services;
use confab_domain::app::App;
use confab_domain::ids::DeliveryId;
use confab_domain::refusal::Refusal;
use confab_domain::support::automation::buttons::Button;
use confab_domain::support::automation::buttons::PressButton;
use confab_domain::support::automation::buttons::PutButton;
use confab_domain::support::automation::buttons::RemoveButton;
use confab_domain::webhooks::event_kind::EventKind;
use confab_store::Store;
use confab_wire::omnichannel_api::support::automation::buttons::{
    ButtonBox, ButtonList, PressBox, PressResult, PutButtonFields, button_list, one_button,
    press as shown_press, pressed, pressed_by, read_button,
};
use confab_wire::omnichannel_api::support::id_in_path;
use confab_wire::omnichannel_api::support::requests::{OfRoomFields, read_needed_room};
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::omnichannel::actor;
use crate::requests::access::{Access, Everyone, Office};
use crate::requests::bodies::{OmnichannelBody, WebhookDepth};
use crate::requests::callers::By;
use crate::requests::part::Part;
use crate::requests::targets;
use crate::responses::answer::{Answer, data};
use crate::responses::problem::Problem;

calls! {
    "Service";
    /// List custom buttons
    GET "/api/v2/custom_buttons" custom_buttons = list [403];
    /// Create a custom button
    POST "/api/v2/custom_buttons" create_custom_button = create [403];
    /// Change a custom button
    PUT "/api/v2/custom_buttons/{id}" update_custom_button = change [403 404];
    /// Delete a custom button
    DELETE "/api/v2/custom_buttons/{id}" delete_custom_button = delete [403 404];
    /// Press a custom button for a customer's room
    POST "/api/v2/custom_buttons/{id}/press" press_custom_button = press [403 404];

    "Dashboard";
    /// Get the result of a pressed button, as its presser, an admin or a supervisor
    GET "/api/v2/custom_buttons/presses/{delivery_id}" get_button_press = load_press [403 404];
}

async fn list(Part(store): Part<Store>, caller: By<Everyone>) -> Answer<Data<ButtonList<'static>>> {
    // The URL may contain a secret of the called service.
    let shows_urls = caller.has_role(Office::ROLES);
    data(button_list(&store.buttons(caller.app.id).await?, shows_urls))
}

async fn create(
    State(services): State<Services>,
    caller: By<Office>,
    body: OmnichannelBody<PutButtonFields>,
) -> Answer<Data<ButtonBox<'static>>> {
    let wanted = read_button(body.fields(), None)?;
    targets::check(&services, "webhook_url", &wanted.url)?;
    let rule = PutButton { button: None, wanted };
    let button = services.decisions().decide(&caller, rule).await?;
    data(one_button(&button))
}

async fn change(
    State(services): State<Services>,
    caller: By<Office>,
    Path(id): Path<String>,
    body: OmnichannelBody<PutButtonFields>,
) -> Answer<Data<ButtonBox<'static>>> {
    let before = found(services.store(), &caller.app, &id).await?;
    let wanted = read_button(body.fields(), Some(&before))?;
    targets::check(&services, "webhook_url", &wanted.url)?;
    let rule = PutButton { button: Some(before.id), wanted };
    let button = services.decisions().decide(&caller, rule).await?;
    data(one_button(&button))
}

async fn delete(
    Part(decisions): Part<Decisions>,
    caller: By<Office>,
    Path(id): Path<String>,
) -> Answer<Data<ButtonBox<'static>>> {
    let before = found(decisions.store(), &caller.app, &id).await?;
    let rule = RemoveButton { button: before.id };
    decisions.decide(&caller, rule).await?;
    data(one_button(&Button { is_active: false, ..before }))
}

async fn press(
    Part(decisions): Part<Decisions>,
    caller: By<Everyone>,
    WebhookDepth(depth): WebhookDepth,
    Path(id): Path<String>,
    body: OmnichannelBody<OfRoomFields>,
) -> Answer<Data<PressResult>> {
    let button = found(decisions.store(), &caller.app, &id).await?;
    let room = read_needed_room(body.fields())?;
    let by = actor(decisions.store(), &caller.app, caller.agent.clone()).await?;
    let rule = PressButton { room, button: button.id, by };
    data(pressed(decisions.decide_after(depth, &caller, rule).await?))
}

async fn load_press(
    Part(store): Part<Store>,
    caller: By<Everyone>,
    Path(id): Path<String>,
) -> Answer<Data<PressBox<'static>>> {
    let unknown = || Refusal::DeliveryNotFound(id.clone());
    let delivery = DeliveryId(id_in_path(&id, |_| unknown())?);
    let found = store.delivery(caller.app.id, delivery).await?;
    let (found, progress, attempts) = found.ok_or_else(unknown)?;
    let is_own = || {
        let own = caller.agent.as_ref().map(|agent| &agent.profile.user.email);
        pressed_by(&found.body).as_ref() == own
    };
    let is_shown = caller.has_role(Office::ROLES) || is_own();
    if found.kind != EventKind::CustomButton || !is_shown {
        return Err(unknown().into());
    }
    data(shown_press(delivery, progress.standing, attempts.last()))
}

/// Finds the button of the app whose id is in a path.
async fn found(store: &Store, app: &App, id: &str) -> Result<Button, Problem> {
    let id = id_in_path(id, Refusal::ButtonNotFound)?;
    let buttons = store.buttons(app.id).await?;
    let found = buttons.into_iter().find(|button| button.id.0 == id);
    Ok(found.ok_or(Refusal::ButtonNotFound(id))?)
}
