//! `GET /api/v2/board`: the current state of support in an app.

use confab_app::decide::Decisions;
use confab_queries::board::Office;
use confab_wire::omnichannel_api::office::board::{Board, BoardView, board};
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::requests::access;
use crate::requests::callers::By;
use crate::requests::part::Part;
use crate::responses::answer::{Answer, data};

calls! {
    "Office";
    /// Get waiting customers, agents and the load of each channel
    GET "/api/v2/board" load_board = load [403];
}

async fn load(
    Part(decisions): Part<Decisions>,
    caller: By<access::Office>,
) -> Answer<Data<Board<'static>>> {
    let office = Office::read(decisions.store(), &caller.app).await?;
    let widget_source = decisions.widget_source();
    data(board(&BoardView {
        counts: &office.counts,
        workers: &office.workers,
        divisions: &office.divisions,
        agent_customers_max: office.agent_customers_max,
        channels: &office.channels(),
        widget_source,
    }))
}
