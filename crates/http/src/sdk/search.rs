//! Search for messages and files in the caller's rooms, by a bounded scan (wire facts 4.3).

use axum::extract::State;
use confab_app::services::Services;
use confab_domain::messages::message::PostedMessage;
use confab_domain::rooms::room::Room;
use confab_queries::message_search;
use confab_runtime::admission::response_backpressure::Asker;
use confab_store::PageEntry;
use confab_wire::message_api::{Results, results};
use confab_wire::sdk_api::comment::{ClientComment, SdkStatus};
use confab_wire::sdk_api::searching::{FoundComments, Search, SearchFields};
use serde::Serialize;

use crate::calls::calls;
use crate::requests::bodies::PostedFields;
use crate::requests::callers::{ClientCaller, UserCaller};
use crate::responses::answer::Answer;
use crate::responses::json::write;
use crate::responses::large_answers::message_list;

calls! {
    "Clients";
    /// Search for messages in the caller's rooms
    POST "/search" client_search = search [403 404];
    /// Search for messages in the caller's rooms, under an older path
    POST "/search_messages" client_search_messages = search_messages [403 404];
    /// List files in the caller's rooms
    POST "/file_list" client_file_list = list_files [403 404];
}

async fn search(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
    given: PostedFields<SearchFields>,
) -> Answer<Results<FoundComments<'static>>> {
    found(&services, &caller, &Search::read(&given.fields()?)?).await
}

async fn search_messages(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
    given: PostedFields<SearchFields>,
) -> Answer<Results<FoundComments<'static>>> {
    found(&services, &caller, &Search::read(&given.fields()?)?).await
}

async fn list_files(
    State(services): State<Services>,
    ClientCaller(caller): ClientCaller,
    given: PostedFields<SearchFields>,
) -> Answer<Results<FoundComments<'static>>> {
    found(&services, &caller, &Search::read_files(&given.fields()?)?).await
}

/// Answers with the matches of a page, newest first.
async fn found(
    services: &Services,
    caller: &UserCaller,
    search: &Search,
) -> Answer<Results<FoundComments<'static>>> {
    let found = message_search::find(services.store(), &caller.user, search).await?;
    let (asker, shell) = (Asker::user(&caller.user), results(search.found(found.total)));
    list_in_rooms(services, asker, &shell, found.page, found.rooms).await
}

/// Answers with messages of several rooms.
pub(crate) async fn list_in_rooms<T>(
    services: &Services,
    asker: Asker,
    shell: &impl Serialize,
    page: Vec<PageEntry>,
    rooms: Vec<Room>,
) -> Answer<T> {
    let held = rooms.iter().map(|room| room.options.len()).sum();
    let shown = move |posted: &PostedMessage, out: &mut Vec<u8>| {
        if let Some(room) = rooms.iter().find(|room| room.id == posted.message.room) {
            write(out, &ClientComment::answered(posted, room, SdkStatus::Sent));
        }
    };
    message_list(services, asker, shell, page, shown, held).await
}
