//! Diagnosis for pages that cannot open a realtime connection: what the server received of a
//! request (design/channels).

use serde::Serialize;
use utoipa::ToSchema;

/// The parts of a request that reached the server through all proxies.
#[derive(Debug, Serialize, ToSchema)]
pub struct LiveCheck {
    /// IP address of the client.
    pub address: String,
    /// Requested host; null without one.
    pub host: Option<String>,
    /// Whether the headers of a WebSocket upgrade arrived.
    pub is_upgrade_seen: bool,
    /// `https` or `http`, as reported by the last trusted proxy, otherwise that of the connection.
    #[schema(example = "https")]
    pub scheme: &'static str,
}
