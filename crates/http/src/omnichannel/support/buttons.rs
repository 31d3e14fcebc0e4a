//! Custom buttons, which the dashboard shows at customers' rooms and which call a URL of the app
//! (design/support).
//!
//! - `GET` and `POST /api/v2/custom_buttons`
//! - `PUT` and `DELETE /api/v2/custom_buttons/{id}`
//! - `POST /api/v2/custom_buttons/{id}/press`
//! - `GET /api/v2/custom_buttons/presses/{delivery_id}` (design/support)

use axum::extract::{Path, State};
use confab_app::services::Services;
use confab_domain::agents::role::Role;
use confab_domain::app::App;
use confab_domain::decision::rule::Rule;
use confab_domain::ids::DeliveryId;
use confab_domain::refusal::Refusal;
use confab_domain::support::automation::buttons::Button;
use confab_domain::support::automation::buttons::PressButton;
use confab_domain::support::automation::buttons::PutButton;
use confab_domain::support::automation::buttons::RemoveButton;
use confab_domain::webhooks::event_kind::EventKind;
use confab_wire::omnichannel_api::support::buttons::{
    ButtonBox, ButtonList, PressBox, PressResult, PutButtonFields, button_list, one_button,
    press as shown_press, pressed, pressed_by, read_button,
};
use confab_wire::omnichannel_api::support::id_in_path;
use confab_wire::omnichannel_api::support::requests::{OfRoomFields, read_needed_room};
use confab_wire::webhook_api::Data;

use crate::omnichannel::{OFFICE, actor};
use crate::requests::bodies::{OmnichannelBody, WebhookDepth};
use crate::requests::callers::OmnichannelCaller;
use crate::requests::targets;
use crate::responses::answer::{Answer, data};
use crate::responses::problem::Problem;

#[utoipa::path(
    get,
    path = "/api/v2/custom_buttons",
    operation_id = "custom_buttons",
    tag = "Service",
    summary = "List custom buttons",
    responses((status = 200, description = "Done", body = Data<ButtonList<'static>>)),
)]
pub(crate) async fn list(State(services): State<Services>, caller: OmnichannelCaller) -> Answer {
    // The URL may contain a secret of the called service.
    let shows_urls = caller.must_be(&OFFICE).is_ok();
    data(button_list(&services.store().buttons(caller.app.id).await?, shows_urls))
}

#[utoipa::path(
    post,
    path = "/api/v2/custom_buttons",
    operation_id = "create_custom_button",
    tag = "Service",
    summary = "Create a custom button",
    request_body = PutButtonFields,
    responses((status = 200, description = "Done", body = Data<ButtonBox<'static>>)),
)]
pub(crate) async fn create(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    body: OmnichannelBody,
) -> Answer {
    let by = caller.must_be(&OFFICE)?;
    let wanted = read_button(body.fields(), None)?;
    targets::check(&services, "webhook_url", &wanted.url)?;
    let rule = PutButton { button: None, wanted };
    let button = services.decide(&caller.app, rule.on_right(by)).await?;
    data(one_button(&button))
}

#[utoipa::path(
    put,
    path = "/api/v2/custom_buttons/{id}",
    operation_id = "update_custom_button",
    tag = "Service",
    summary = "Change a custom button",
    params(("id" = i64, Path, description = "Button id")),
    request_body = PutButtonFields,
    responses((status = 200, description = "Done", body = Data<ButtonBox<'static>>)),
)]
pub(crate) async fn change(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path(id): Path<String>,
    body: OmnichannelBody,
) -> Answer {
    let by = caller.must_be(&OFFICE)?;
    let before = found(&services, &caller.app, &id).await?;
    let wanted = read_button(body.fields(), Some(&before))?;
    targets::check(&services, "webhook_url", &wanted.url)?;
    let rule = PutButton { button: Some(before.id), wanted };
    let button = services.decide(&caller.app, rule.on_right(by)).await?;
    data(one_button(&button))
}

#[utoipa::path(
    delete,
    path = "/api/v2/custom_buttons/{id}",
    operation_id = "delete_custom_button",
    tag = "Service",
    summary = "Delete a custom button",
    params(("id" = i64, Path, description = "Button id")),
    responses((status = 200, description = "Done", body = Data<ButtonBox<'static>>)),
)]
pub(crate) async fn delete(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path(id): Path<String>,
) -> Answer {
    let by = caller.must_be(&OFFICE)?;
    let before = found(&services, &caller.app, &id).await?;
    let rule = RemoveButton { button: before.id };
    services.decide(&caller.app, rule.on_right(by)).await?;
    data(one_button(&Button { is_active: false, ..before }))
}

#[utoipa::path(
    post,
    path = "/api/v2/custom_buttons/{id}/press",
    operation_id = "press_custom_button",
    tag = "Service",
    summary = "Press a custom button for a customer's room",
    params(("id" = i64, Path, description = "Button id")),
    request_body = OfRoomFields,
    responses((status = 200, description = "Done", body = Data<PressResult>)),
)]
pub(crate) async fn press(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    WebhookDepth(depth): WebhookDepth,
    Path(id): Path<String>,
    body: OmnichannelBody,
) -> Answer {
    let button = found(&services, &caller.app, &id).await?;
    let room = read_needed_room(body.fields())?;
    let right = caller.must_be(&Role::ALL)?;
    let by = actor(&services, &caller.app, caller.agent).await?;
    let rule = PressButton { room, button: button.id, by }.on_right(right);
    data(pressed(services.decide_after(depth, &caller.app, rule).await?))
}

#[utoipa::path(
    get,
    path = "/api/v2/custom_buttons/presses/{delivery_id}",
    operation_id = "get_button_press",
    tag = "Dashboard",
    summary = "Get the result of a pressed button, as its presser, an admin or a supervisor",
    params(("delivery_id" = i64, Path, description = "`delivery_id` of the press")),
    responses((status = 200, description = "Done", body = Data<PressBox<'static>>)),
)]
pub(crate) async fn load_press(
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path(id): Path<String>,
) -> Answer {
    let unknown = || Refusal::DeliveryNotFound(id.clone());
    let delivery = DeliveryId(id_in_path(&id, |_| unknown())?);
    let found = services.store().delivery(caller.app.id, delivery).await?;
    let (found, progress, attempts) = found.ok_or_else(unknown)?;
    let is_own = || {
        let own = caller.agent.as_ref().map(|agent| &agent.profile.user.email);
        pressed_by(&found.body).as_ref() == own
    };
    let is_shown = caller.must_be(&OFFICE).is_ok() || is_own();
    if found.kind != EventKind::CustomButton || !is_shown {
        return Err(unknown().into());
    }
    data(shown_press(delivery, progress.standing, attempts.last()))
}

/// Finds the button of the app whose id is in a path.
async fn found(services: &Services, app: &App, id: &str) -> Result<Button, Problem> {
    let id = id_in_path(id, Refusal::ButtonNotFound)?;
    let buttons = services.store().buttons(app.id).await?;
    let found = buttons.into_iter().find(|button| button.id.0 == id);
    Ok(found.ok_or(Refusal::ButtonNotFound(id))?)
}
