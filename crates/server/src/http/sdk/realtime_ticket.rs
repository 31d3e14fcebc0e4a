//! `POST /realtime_ticket` (D-0073)

use axum::extract::State;
use confab_domain::limits;
use confab_wire::message_api::Results;
use confab_wire::sdk_api::config::{TicketBox, ticket_box};

use crate::actions;
use crate::http::answer::{Answer, ok};
use crate::http::callers::UserCaller;
use crate::http::docs::ClientFailures;
use crate::realtime_tickets::RealtimeTicket;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/realtime_ticket",
    operation_id = "sdk_realtime_ticket",
    tag = "Clients",
    summary = "A ticket that opens `/realtime` once, for addresses that must not hold a token",
    security(("app_id" = [], "user_token" = [])),
    responses((status = 200, description = "Done", body = Results<TicketBox>), ClientFailures),
)]
pub(crate) async fn handler(State(services): State<Services>, caller: UserCaller) -> Answer {
    let (app, user) = (&caller.app, caller.user.key);
    let good_s = limits::REALTIME_TICKET_GOOD_S;
    let (nonce, until) = actions::make_nonce(&services, app, good_s).await?;
    let ticket = RealtimeTicket::new(app, user, nonce, until).signed(app, &caller.token);
    ok(ticket_box(ticket, until))
}
