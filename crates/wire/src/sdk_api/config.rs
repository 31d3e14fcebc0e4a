//! What clients are told before they are anybody (wire facts 4.1).

use confab_domain::people::user::UserId;
use confab_domain::refusal::Refusal;
use confab_domain::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields::{Filled, Text};
use crate::request::request;

/// How often clients ask for what they missed while they hear nothing, in milliseconds.
const SYNC_INTERVAL_MS: u32 = 5_000;
/// The same while they are connected.
const SYNC_ON_CONNECT_MS: u32 = 10_000;

/// The answer of `config`. An empty address leaves the client's own; null would not.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClientConfig {
    base_url: &'static str,
    broker_lb_url: &'static str,
    broker_url: &'static str,
    enable_event_report: bool,
    enable_realtime: bool,
    enable_realtime_check: bool,
    enable_sync: bool,
    enable_sync_event: bool,
    auto_refresh_token: bool,
    enable_refresh_token: bool,
    extras: &'static str,
    /// Milliseconds.
    sync_interval: u32,
    /// Milliseconds.
    sync_on_connect: u32,
}

/// How clients shall behave.
pub fn client_config() -> ClientConfig {
    ClientConfig {
        base_url: "",
        broker_lb_url: "",
        broker_url: "",
        enable_event_report: false,
        enable_realtime: true,
        enable_realtime_check: false,
        enable_sync: true,
        enable_sync_event: true,
        auto_refresh_token: false,
        enable_refresh_token: false,
        extras: "",
        sync_interval: SYNC_INTERVAL_MS,
        sync_on_connect: SYNC_ON_CONNECT_MS,
    }
}

/// The answer of `mqtt_config`. No `Debug`: the password is a secret.
#[derive(Serialize, ToSchema)]
pub struct MqttConfig<'a> {
    /// The user id.
    username: &'a str,
    /// The user's token.
    password: &'a str,
}

/// What a user connects with, whose topics open at once by it: not all clients name a topic with
/// their token first (D-0042).
pub fn mqtt_config<'a>(user: &'a UserId, token: &'a str) -> MqttConfig<'a> {
    MqttConfig { username: user.as_str(), password: token }
}

request! {
    /// `POST /realtime`
    pub struct RealtimeTopicFields as "RealtimeTopic" {
        /// What the client listens to.
        topic: Filled<Text>, required;
    }
}

/// Reads which topic is asked about.
pub fn read_topic(body: &Body<'_>) -> Result<String, Refusal> {
    body.read().map(|fields: RealtimeTopicFields| fields.topic)
}

/// The answer of `realtime`.
#[derive(Debug, Serialize, ToSchema)]
pub struct RealtimeStatus {
    /// Whether what is sent to the topic is heard.
    pub status: bool,
}

/// The answer of `realtime_ticket`. No `Debug`: the ticket opens a connection.
#[derive(Serialize, ToSchema)]
#[schema(as = RealtimeTicket)]
pub struct TicketBox {
    /// For the query of `/realtime`; good once.
    ticket: String,
    /// Until when, in Unix seconds.
    expired_at: i64,
}

/// A ticket that is good until then.
pub fn ticket_box(ticket: String, until: Timestamp) -> TicketBox {
    TicketBox { ticket, expired_at: until.unix_seconds() }
}
