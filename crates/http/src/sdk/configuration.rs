//! Configuration of clients, and credentials for realtime (wire facts 4.1, D-0073).

use axum::extract::State;
use confab_app::actions;
use confab_app::credentials::realtime_tickets::RealtimeTicket;
use confab_app::decide::Decisions;
use confab_app::services::Services;
use confab_domain::limits;
use confab_wire::message_api::{Confirmed, Results, confirmed};
use confab_wire::sdk_api::config::{
    ClientConfig, MqttConfig, RealtimeStatus, RealtimeTopicFields, TicketBox, client_config,
    mqtt_config, read_topic, ticket_box,
};

use crate::calls::calls;
use crate::requests::bodies::RequestBody;
use crate::requests::callers::{ClientApp, ClientCaller};
use crate::requests::part::Part;
use crate::responses::answer::{Answer, ok};

calls! {
    "Clients";
    /// Get the configuration of clients
    GET "/config" sdk_config = load;
    /// Get the caller's credentials for MQTT: user id and token
    GET "/mqtt_config" sdk_mqtt_config = load_mqtt;
    /// Accept and discard a client's report about itself
    POST "/event_report" sdk_event_report = report_event;
    /// Check whether the client receives events of a topic
    POST "/realtime" sdk_realtime = check_topic;
    /// Get a one-time ticket for `/realtime`, for URLs that must not contain a token
    POST "/realtime_ticket" sdk_realtime_ticket = make_ticket;
}

async fn load(_: State<Services>, _caller: ClientApp) -> Answer<Results<ClientConfig>> {
    ok(client_config())
}

async fn load_mqtt(
    _: State<Services>,
    ClientCaller(caller): ClientCaller,
) -> Answer<Results<MqttConfig<'static>>> {
    ok(mqtt_config(&caller.user.user_id, &caller.token))
}

async fn report_event(
    _: State<Services>,
    _caller: ClientCaller,
    _body: RequestBody,
) -> Answer<Results<Confirmed>> {
    ok(confirmed("Thank you."))
}

async fn check_topic(
    _: State<Services>,
    _caller: ClientCaller,
    body: RequestBody<RealtimeTopicFields>,
) -> Answer<Results<RealtimeStatus>> {
    read_topic(&body.fields()?)?;
    ok(RealtimeStatus { status: true })
}

async fn make_ticket(
    Part(decisions): Part<Decisions>,
    ClientCaller(caller): ClientCaller,
) -> Answer<Results<TicketBox>> {
    let (app, user) = (&caller.app, caller.user.key);
    let good_s = limits::REALTIME_TICKET_TTL_S;
    let (nonce, until) = actions::make_nonce(&decisions, &caller, good_s).await?;
    let ticket = RealtimeTicket::new(app, user, nonce, until).signed(app, &caller.token);
    ok(ticket_box(ticket, until))
}
