//! Internal notes of a conversation (design/support). Not available with the app's keys, because
//! bots hold those.

use axum::extract::Path;
use confab_app::decide::Decisions;
use confab_domain::ids::NoteId;
use confab_domain::refusal::Refusal;
use confab_domain::support::annotations::note::NoteRef;
use confab_domain::support::annotations::noting::{PutNote, RemoveNote};
use confab_queries::customer_rooms::seen_room;
use confab_store::Store;
use confab_wire::omnichannel_api::support::annotations::notes::{
    NewNoteFields, NoteBox, NoteFields, NoteList, NotesFields, note_list, one_note, read_new_note,
    read_note, read_notes,
};
use confab_wire::omnichannel_api::support::{DataPage, id_in_path};
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::omnichannel::room_in_path;
use crate::requests::access::{Access, Everyone};
use crate::requests::bodies::{OmnichannelBody, RequestQuery};
use crate::requests::callers::AgentCaller;
use crate::requests::part::Part;
use crate::responses::answer::{Answer, data, paged};

calls! {
    "Dashboard";
    /// List the internal notes of a conversation, newest first
    GET "/api/v2/customer_rooms/{room_id}/notes" list_notes = list [403 404];
    /// Add an internal note to a conversation
    POST "/api/v2/customer_rooms/{room_id}/notes" add_note = create [403 404];
    /// Change an own note
    PATCH "/api/v2/customer_rooms/{room_id}/notes/{id}" change_note = change [403 404];
    /// Delete an own note; admins and supervisors can delete any note
    DELETE "/api/v2/customer_rooms/{room_id}/notes/{id}" delete_note = delete [403 404];
}

async fn list(
    Part(store): Part<Store>,
    caller: AgentCaller<Everyone>,
    Path(room): Path<String>,
    query: RequestQuery<NotesFields>,
) -> Answer<DataPage<NoteList<'static>>> {
    let (before, size) = read_notes(&query.fields()?)?;
    let room = room_in_path(&room)?;
    seen_room(&store, &caller.app, Some(&caller.agent), room).await?;
    paged(note_list(&store.notes(room, before, size + 1).await?, size))
}

async fn create(
    Part(decisions): Part<Decisions>,
    caller: AgentCaller<Everyone>,
    Path(room): Path<String>,
    body: OmnichannelBody<NewNoteFields>,
) -> Answer<Data<NoteBox<'static>>> {
    let (text, note) = read_new_note(body.fields())?;
    put(&decisions, &caller, &room, note, text).await
}

async fn change(
    Part(decisions): Part<Decisions>,
    caller: AgentCaller<Everyone>,
    Path((room, note)): Path<(String, String)>,
    body: OmnichannelBody<NoteFields>,
) -> Answer<Data<NoteBox<'static>>> {
    let note = NoteRef::Id(note_in_path(&note)?);
    put(&decisions, &caller, &room, note, read_note(body.fields())?).await
}

async fn delete(
    Part(decisions): Part<Decisions>,
    caller: AgentCaller<Everyone>,
    Path((room, note)): Path<(String, String)>,
) -> Answer<Data<NoteBox<'static>>> {
    let (room, note) = (room_in_path(&room)?, note_in_path(&note)?);
    let rule = RemoveNote { room, note, by: caller.agent.profile.user.clone() };
    let gone = decisions.decide(&caller, rule).await?;
    data(one_note(&gone))
}

async fn put(
    decisions: &Decisions,
    caller: &AgentCaller<impl Access>,
    room: &str,
    note: NoteRef,
    text: String,
) -> Answer<Data<NoteBox<'static>>> {
    let room = room_in_path(room)?;
    let rule = PutNote { room, note, text, by: caller.agent.profile.user.clone() };
    let put = decisions.decide(caller, rule).await?;
    data(one_note(&put))
}

fn note_in_path(text: &str) -> Result<NoteId, Refusal> {
    id_in_path(text, Refusal::NoteNotFound).map(NoteId)
}
