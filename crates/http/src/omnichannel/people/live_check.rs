//! `GET /api/v2/live/check`: returns a request's headers as they arrive (design/channels).
//!
//! A dashboard page that cannot connect makes this request twice: as a plain call, and as a
//! WebSocket, which receives the object as its only frame. Differences show which headers a proxy
//! changes.

use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Message, WebSocketUpgrade};
use axum::http::header;
use axum::http::request::Parts;
use confab_app::services::Services;
use confab_wire::omnichannel_api::people::live_check::LiveCheck;
use confab_wire::webhook_api::{self, Data};

use crate::calls::calls;
use crate::requests::access::Everyone;
use crate::requests::callers::AgentCaller;
use crate::requests::peer;
use crate::requests::peer::ClientPeer;
use crate::responses::answer::{Answer, OrSocket, bare};

calls! {
    "Dashboard";
    /// Check which request headers arrive through all proxies
    GET "/api/v2/live/check" check_live = check;
}

async fn check(
    State(services): State<Services>,
    _caller: AgentCaller<Everyone>,
    ClientPeer(peer): ClientPeer,
    parts: Parts,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Answer<OrSocket<Data<LiveCheck>>> {
    let text = |name: &str| parts.headers.get(name).and_then(|it| it.to_str().ok());
    let is_asked = text("upgrade").is_some_and(|it| it.eq_ignore_ascii_case("websocket"));
    let own = services.config().scheme();
    let is_proxied = peer::is_from_proxy(&parts, services.config());
    let scheme = match text("x-forwarded-proto").filter(|_| is_proxied) {
        Some(named) if named.eq_ignore_ascii_case("https") => "https",
        Some(_) => "http",
        None => own,
    };
    let seen = LiveCheck {
        address: peer.to_string(),
        host: text(header::HOST.as_str()).map(str::to_owned),
        is_upgrade_seen: is_asked || upgrade.is_ok(),
        scheme,
    };
    match upgrade {
        Err(_) => bare(webhook_api::data(seen)),
        Ok(upgrade) => {
            let frame = serde_json::to_string(&webhook_api::data(seen)).unwrap_or_default();
            Ok(upgrade
                .on_upgrade(async move |mut socket| {
                    // If the page is already gone, the result has no use.
                    let _ = socket.send(Message::Text(frame.into())).await;
                    let _ = socket.send(Message::Close(None)).await;
                })
                .into())
        }
    }
}
