//! Looking through a user's rooms for messages and files; it gives up after a while (wire facts
//! 4.3, D-0048).
//!
//! - `POST /search`, `POST /search_messages`
//! - `POST /file_list`

use std::sync::Arc;

use axum::extract::State;
use confab_domain::ids::MessageId;
use confab_domain::limits;
use confab_domain::messages::message::Said;
use confab_domain::rooms::room::{Room, RoomRef};
use confab_store::{PageEntry, RoomListing};
use confab_wire::message_api::{Results, results};
use confab_wire::sdk_api::comment::{ClientComment, Status};
use confab_wire::sdk_api::messages::{CommentList, listed};
use confab_wire::sdk_api::searching::{Search, SearchFields};
use serde::Serialize;

use super::looking::{Visible, visible};
use crate::http::answer::Answer;
use crate::http::bodies::PostedFields;
use crate::http::callers::UserCaller;
use crate::http::json::write;
use crate::http::large_answers::message_list;
use crate::http::problem::Problem;
use crate::services::Services;
use crate::unsent::Asker;

#[utoipa::path(
    post,
    path = "/search",
    operation_id = "client_search",
    tag = "Clients",
    summary = "Search for messages in one's rooms",
    request_body = SearchFields,
    responses((status = 200, description = "Done", body = Results<CommentList<'static>>)),
)]
pub(crate) async fn search(
    State(services): State<Services>,
    caller: UserCaller,
    given: PostedFields,
) -> Answer {
    found(&services, &caller, &Search::read(&given.fields()?)?).await
}

#[utoipa::path(
    post,
    path = "/search_messages",
    operation_id = "client_search_messages",
    tag = "Clients",
    summary = "Search for messages in one's rooms, as older clients do",
    request_body = SearchFields,
    responses((status = 200, description = "Done", body = Results<CommentList<'static>>)),
)]
pub(crate) async fn search_messages(
    State(services): State<Services>,
    caller: UserCaller,
    given: PostedFields,
) -> Answer {
    found(&services, &caller, &Search::read(&given.fields()?)?).await
}

#[utoipa::path(
    post,
    path = "/file_list",
    operation_id = "client_file_list",
    tag = "Clients",
    summary = "List files that were sent in one's rooms",
    request_body = SearchFields,
    responses((status = 200, description = "Done", body = Results<CommentList<'static>>)),
)]
pub(crate) async fn list_files(
    State(services): State<Services>,
    caller: UserCaller,
    given: PostedFields,
) -> Answer {
    found(&services, &caller, &Search::read_files(&given.fields()?)?).await
}

/// Shows the matches of a page, newest first.
async fn found(services: &Services, caller: &UserCaller, search: &Search) -> Answer {
    let rooms = rooms(services, caller, search).await?;
    let fair_share = limits::SEARCH_MESSAGES_MAX / rooms.len().max(1);
    let per_room = fair_share.max(limits::SEARCH_ROOM_MESSAGES_MIN);
    let (mut matches, mut left) = (Matches::default(), limits::SEARCH_MESSAGES_MAX);
    for visible in &rooms {
        let messages_max = per_room.min(left);
        left -= look_through(services, visible, search, messages_max, &mut matches).await?;
        if left == 0 {
            break;
        }
    }
    let mut page = matches.found;
    page.sort_by_key(|entry| std::cmp::Reverse(entry.key().id));
    let page = page.into_iter().skip(search.skipped).take(search.size).collect();
    let rooms = rooms.into_iter().map(|visible| visible.room).collect();
    let asker = Asker::user(&caller.user);
    list_in_rooms(services, asker, &results(listed([])), page, rooms).await
}

/// Answers with messages of several rooms.
pub(super) async fn list_in_rooms(
    services: &Services,
    asker: Asker,
    shell: &impl Serialize,
    page: Vec<PageEntry>,
    rooms: Vec<Room>,
) -> Answer {
    let held = rooms.iter().map(|room| room.options.len()).sum();
    let shown = move |said: &Said, out: &mut Vec<u8>| {
        if let Some(room) = rooms.iter().find(|room| room.id == said.message.room) {
            write(out, &ClientComment::answered(said, room, Status::Sent));
        }
    };
    message_list(services, asker, shell, page, shown, held).await
}

/// What was found so far. Of many or large messages, only where they are is kept.
#[derive(Default)]
struct Matches {
    found: Vec<PageEntry>,
    bytes: usize,
}

impl Matches {
    fn add(&mut self, said: &Arc<Said>) {
        let entry = PageEntry::Loaded(said.clone());
        self.bytes += said.message.content_bytes();
        let is_much = self.bytes > limits::PAGE_READ_BYTES;
        self.found.push(if is_much { PageEntry::Deferred(entry.key()) } else { entry });
    }
}

/// The rooms to look in, the one last spoken in first.
async fn rooms(
    services: &Services,
    caller: &UserCaller,
    search: &Search,
) -> Result<Vec<Visible>, Problem> {
    let asked = match search.rooms.is_empty() {
        false => search.rooms.clone(),
        true => {
            let (app, user) = (caller.app.id, caller.user.key);
            let size = limits::SEARCH_ROOMS_MAX;
            let listing = RoomListing { kind: None, skipped: 0, size };
            let (rooms, _) = services.store().user_rooms(app, user, listing).await?;
            rooms.into_iter().map(|room| RoomRef::Id(room.id)).collect()
        }
    };
    let mut rooms: Vec<Visible> = Vec::with_capacity(asked.len());
    for room in &asked {
        let found = visible(services, caller, room).await?;
        let is_new = rooms.iter().all(|other| other.room.id != found.room.id);
        if is_new && search.takes_room(&found.room) {
            rooms.push(found);
        }
    }
    Ok(rooms)
}

/// Looks at the newest messages of a room before the one that the search begins at; how many.
async fn look_through(
    services: &Services,
    visible: &Visible,
    search: &Search,
    messages_max: usize,
    matches: &mut Matches,
) -> Result<usize, Problem> {
    let Visible { room, cleared_number } = visible;
    let (store, asked) = (services.store(), RoomRef::Id(room.id));
    let (mut looked_at, mut before) = (0, search.before.map_or(i64::MAX, |before| before.0));
    while looked_at < messages_max {
        let size = (messages_max - looked_at).min(limits::PAGE_MAX);
        let ids = (MessageId(0), MessageId(before.saturating_sub(1)));
        let page = store.range(room.app, &asked, ids, size).await?.unwrap_or_default();
        let count = page.len();
        before = page.last().map_or(0, |entry| entry.key().id.0);
        looked_at += count;
        let mut deferred = Vec::new();
        for entry in page.into_iter().filter(|entry| entry.key().number > *cleared_number) {
            match entry {
                PageEntry::Loaded(said) if search.matches(&said) => matches.add(&said),
                PageEntry::Loaded(_) => {}
                PageEntry::Deferred(key) => deferred.push(key),
            }
        }
        while !deferred.is_empty() {
            let some = store.messages(&deferred).await?;
            deferred.drain(..some.len());
            // One may have been deleted meanwhile.
            let live = some.iter().filter(|said| !said.message.is_deleted);
            live.filter(|said| search.matches(said)).for_each(|said| matches.add(said));
        }
        if count < size {
            break;
        }
    }
    Ok(looked_at)
}
