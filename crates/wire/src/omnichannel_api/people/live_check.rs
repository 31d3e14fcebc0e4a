//! Diagnosis for pages that cannot open a realtime connection: the parts of a request that reached
//! the server (design/channels).

use serde::Serialize;
use utoipa::ToSchema;

/// The parts of a request that reached the server through all proxies.
#[derive(Debug, Serialize, ToSchema)]
pub struct LiveCheck {
    /// IP address of the client.
    pub address: String,
    /// Host that the request names; null if it names none.
    pub host: Option<String>,
    /// Whether the headers of a WebSocket upgrade arrived.
    pub is_upgrade_seen: bool,
    /// `https` or `http`: the scheme that the last trusted proxy reports, or else the scheme of the
    /// connection to the server.
    #[schema(example = "https")]
    pub scheme: &'static str,
}
