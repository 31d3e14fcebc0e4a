//! Configuration of clients, and credentials for realtime (wire facts 4.1, D-0073).
//!
//! - `GET /config`, `GET /mqtt_config`
//! - `POST /event_report`
//! - `POST /realtime`, `POST /realtime_ticket`

use axum::extract::State;
use confab_app::actions;
use confab_app::credentials::realtime_tickets::RealtimeTicket;
use confab_app::services::Services;
use confab_domain::limits;
use confab_wire::message_api::{Confirmed, Results, confirmed};
use confab_wire::sdk_api::config::{
    ClientConfig, MqttConfig, RealtimeStatus, RealtimeTopicFields, TicketBox, client_config,
    mqtt_config, read_topic, ticket_box,
};

use crate::requests::bodies::RequestBody;
use crate::requests::callers::{ClientApp, ClientCaller};
use crate::responses::answer::{Answer, ok};

#[utoipa::path(
    get,
    path = "/config",
    operation_id = "sdk_config",
    tag = "Clients",
    summary = "Get the configuration of clients",
    responses((status = 200, description = "Done", body = Results<ClientConfig>)),
)]
pub(crate) async fn load(_caller: ClientApp) -> Answer {
    ok(client_config())
}

#[utoipa::path(
    get,
    path = "/mqtt_config",
    operation_id = "sdk_mqtt_config",
    tag = "Clients",
    summary = "Get the caller's credentials for MQTT: user id and token",
    responses((status = 200, description = "Done", body = Results<MqttConfig<'static>>)),
)]
pub(crate) async fn load_mqtt(ClientCaller(caller): ClientCaller) -> Answer {
    ok(mqtt_config(&caller.user.user_id, &caller.token))
}

#[utoipa::path(
    post,
    path = "/event_report",
    operation_id = "sdk_event_report",
    tag = "Clients",
    summary = "Accept and discard a client's report about itself",
    responses((status = 200, description = "Done", body = Results<Confirmed>)),
)]
pub(crate) async fn report_event(_caller: ClientCaller, _body: RequestBody) -> Answer {
    ok(confirmed("Thank you."))
}

#[utoipa::path(
    post,
    path = "/realtime",
    operation_id = "sdk_realtime",
    tag = "Clients",
    summary = "Check whether the client receives events of a topic",
    request_body = RealtimeTopicFields,
    responses((status = 200, description = "Done", body = Results<RealtimeStatus>)),
)]
pub(crate) async fn check_topic(_caller: ClientCaller, body: RequestBody) -> Answer {
    read_topic(&body.fields()?)?;
    ok(RealtimeStatus { status: true })
}

#[utoipa::path(
    post,
    path = "/realtime_ticket",
    operation_id = "sdk_realtime_ticket",
    tag = "Clients",
    summary = "Get a one-time ticket for `/realtime`, for URLs that must not contain a token",
    responses((status = 200, description = "Done", body = Results<TicketBox>)),
)]
pub(crate) async fn make_ticket(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
) -> Answer {
    let (app, user) = (&caller.app, caller.user.key);
    let good_s = limits::REALTIME_TICKET_TTL_S;
    let (nonce, until) = actions::make_nonce(&services, app, good_s).await?;
    let ticket = RealtimeTicket::new(app, user, nonce, until).signed(app, &caller.token);
    ok(ticket_box(ticket, until))
}
