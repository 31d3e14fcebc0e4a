//! Search for messages and customers (D-0145).

use std::collections::HashMap;

use confab_app::decide::Decisions;
use confab_queries::inbox_rows::{RowExtras, source};
use confab_queries::search::find;
use confab_runtime::clock;
use confab_wire::omnichannel_api::support::search::{
    FoundView, SearchFields, SearchInput, SearchPage, search_page,
};

use crate::calls::calls;
use crate::omnichannel::customers::contact_cards::listed;
use crate::requests::access::Everyone;
use crate::requests::bodies::RequestQuery;
use crate::requests::callers::By;
use crate::requests::part::Part;
use crate::responses::answer::{Answer, Bare, bare};

calls! {
    "Office";
    /// Search for messages and customers, newest first
    GET "/api/v2/search" search = search;
}

async fn search(
    Part(decisions): Part<Decisions>,
    caller: By<Everyone>,
    query: RequestQuery<SearchFields>,
) -> Answer<Bare<SearchPage<'static>>> {
    let wanted = SearchInput::read(&query.fields()?)?;
    let (viewer, app) = (caller.agent.as_ref(), caller.app.id);
    let store = decisions.store();
    let found = store.search(find(store, app, viewer, &wanted)).await?;
    let shown = |room| found.messages.iter().any(|it| it.posted.message.room == room);
    let mut rooms = found.rooms;
    rooms.retain(|it| shown(it.customer_room.room));
    let beside = RowExtras::read_all(decisions.rows(), app, viewer, &rooms).await?;
    let rows: HashMap<_, _> = rooms.iter().zip(&beside).map(row_by_room).collect();
    let now = clock::now();
    let messages = found.messages.iter().filter_map(|it| {
        let (room, beside) = rows.get(&it.posted.message.room)?;
        let row = beside.view(room, viewer, now);
        Some(FoundView { posted: &it.posted, excerpt: it.excerpt.clone(), row })
    });
    let sources: Vec<_> =
        found.contacts.iter().map(|it| source(decisions.widget_source(), &it.newest)).collect();
    let contacts: Vec<_> = found.contacts.iter().zip(&sources).map(listed).collect();
    let (after, until) = (found.after, found.indexed_until);
    let page = search_page(messages.collect(), &contacts, after, wanted.size, until);
    bare(page)
}

fn row_by_room<'a>(
    (room, beside): (&'a confab_store::ListedRoom, &'a RowExtras),
) -> (confab_domain::ids::RoomId, (&'a confab_store::ListedRoom, &'a RowExtras)) {
    (room.customer_room.room, (room, beside))
}
