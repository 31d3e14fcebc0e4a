//! The measured server, and the rooms and connections of its listeners.

use std::net::SocketAddr;
use std::path::Path;

use super::wire::{Way, Wire};
use crate::failure::Failure;
use crate::fill::{person, token_of};
use crate::process::{Server, confab_with};

/// The protocols over which Confab is measured.
pub(super) const WAYS: [Way; 2] = [Way::WebSocket, Way::Mqtt];
const PORT: u16 = 18_790;
const MQTT_PORT: u16 = 18_791;
/// Name of the room with `HALL_LISTENERS` listeners.
pub(super) const HALL: &str = "hall";
pub(super) const HALL_LISTENERS: usize = 1_000;
/// Number of rooms with `TABLE_LISTENERS` listeners each. A listener is in one such room.
pub(super) const TABLES: usize = 100;
pub(super) const TABLE_LISTENERS: usize = 10;
/// Length of a message in characters.
pub(super) const TEXT_LENGTH: usize = 300;

pub(super) fn table_name(at: usize) -> String {
    format!("table-{at}")
}

/// The server and its MQTT address.
pub(super) struct Confab {
    pub(super) server: Server,
    pub(super) mqtt: SocketAddr,
}

impl Confab {
    pub(super) fn start(binary: &Path, data: &str) -> Result<Self, Failure> {
        let mqtt = SocketAddr::from(([127, 0, 0, 1], MQTT_PORT));
        let server =
            confab_with(binary, ["--data", data], PORT, &["--mqtt-listen", &mqtt.to_string()])?;
        Ok(Self { server, mqtt })
    }

    pub(super) fn listener(
        &self,
        way: Way,
        at: usize,
    ) -> impl Future<Output = Result<Wire, Failure>> + Send + 'static {
        let token = token_of(&person(at));
        let (address, name) = match way {
            Way::Mqtt => (self.mqtt, format!("{token}/c")),
            _ => (self.server.address, token),
        };
        async move { Wire::open(way, address, at, &name).await }
    }
}

pub(super) fn own_cpu_seconds() -> Result<f64, Failure> {
    crate::process::cpu_seconds_of(std::process::id())
}
