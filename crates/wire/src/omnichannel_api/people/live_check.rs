//! What arrives of a request, for pages that cannot connect (D-0141).

use serde::Serialize;
use utoipa::ToSchema;

/// What the server sees of a request behind all proxies.
#[derive(Debug, Serialize, ToSchema)]
pub struct LiveCheck {
    /// Where it comes from.
    pub address: String,
    /// Whom it was for; null without one.
    pub host: Option<String>,
    /// Whether it asked for a WebSocket, and was not robbed of that on its way.
    pub is_upgrade_seen: bool,
    /// `https` or `http`, as the last proxy that is trusted says, or as it came.
    #[schema(example = "https")]
    pub scheme: &'static str,
}
