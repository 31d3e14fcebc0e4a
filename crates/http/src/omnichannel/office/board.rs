//! `GET /api/v2/board`: the current state of support in an app.

use axum::extract::State;
use confab_app::queries::board::Office;
use confab_app::services::Services;
use confab_wire::omnichannel_api::office::board::{Board, BoardView, board};
use confab_wire::webhook_api::Data;

use crate::omnichannel::OFFICE;
use crate::requests::callers::OmnichannelCaller;
use crate::responses::answer::{Answer, data};

#[utoipa::path(
    get,
    path = "/api/v2/board",
    operation_id = "load_board",
    tag = "Office",
    summary = "Get waiting customers, agents and the load of each channel",
    responses((status = 200, description = "Done", body = Data<Board<'static>>)),
)]
pub(crate) async fn load(State(services): State<Services>, caller: OmnichannelCaller) -> Answer {
    caller.must_be(&OFFICE)?;
    let office = Office::read(services.store(), &caller.app).await?;
    let widget_source = services.widget_source();
    data(board(&BoardView {
        counts: &office.counts,
        workers: &office.workers,
        divisions: &office.divisions,
        agent_customers_max: office.agent_customers_max,
        channels: &office.channels(),
        widget_source: &widget_source,
    }))
}
