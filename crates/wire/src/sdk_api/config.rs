//! Configuration of clients, and credentials for realtime connections (wire facts 4.1).

use confab_domain::people::user::UserId;
use confab_domain::refusal::Refusal;
use confab_domain::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields::{NonEmpty, Text};
use crate::request::request;

/// Interval in milliseconds at which clients sync while they have no realtime connection.
const SYNC_INTERVAL_MS: u32 = 5_000;
/// Interval in milliseconds at which clients sync while they have a realtime connection.
const SYNC_ON_CONNECT_MS: u32 = 10_000;

/// The `results` object of `config`. If a URL is empty, clients keep the one that they are
/// configured with; they do not if it is null.
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
    /// Sync interval without a realtime connection, in milliseconds.
    sync_interval: u32,
    /// Sync interval with a realtime connection, in milliseconds.
    sync_on_connect: u32,
}

/// Returns the configuration, which is the same for all clients.
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

/// The `results` object of `mqtt_config`. No `Debug`, because the password is secret.
#[derive(Serialize, ToSchema)]
pub struct MqttConfig<'a> {
    /// User id of the caller.
    username: &'a str,
    /// Access token of the caller.
    password: &'a str,
}

/// Returns the caller's credentials for MQTT. A connection with these credentials may subscribe to
/// the user's topics at once, because not all clients subscribe to a topic that contains the token
/// first (D-0042).
pub fn mqtt_config<'a>(user: &'a UserId, token: &'a str) -> MqttConfig<'a> {
    MqttConfig { username: user.as_str(), password: token }
}

request! {
    /// Body of `POST /realtime`.
    pub struct RealtimeTopicFields as "RealtimeTopic" {
        /// Topic that the client subscribes to.
        topic: NonEmpty<Text>, required;
    }
}

/// Parses the topic that the client subscribes to.
pub fn read_topic(body: &Body<'_>) -> Result<String, Refusal> {
    body.read().map(|fields: RealtimeTopicFields| fields.topic)
}

/// The `results` object of `realtime`.
#[derive(Debug, Serialize, ToSchema)]
pub struct RealtimeStatus {
    /// Whether the client receives events of the topic.
    pub status: bool,
}

/// The `results` object of `realtime_ticket`. No `Debug`, because the ticket opens a connection.
#[derive(Serialize, ToSchema)]
#[schema(as = RealtimeTicket)]
pub struct TicketBox {
    /// Ticket for the query string of `/realtime`, which can be used once.
    ticket: String,
    /// Expiry time, as Unix time in seconds.
    expired_at: i64,
}

/// Returns a ticket and its expiry time.
pub fn ticket_box(ticket: String, until: Timestamp) -> TicketBox {
    TicketBox { ticket, expired_at: until.unix_seconds() }
}
