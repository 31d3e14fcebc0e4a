//! Export and erasure of all data about a customer (design/support).

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_DISPOSITION;
use bytes::Bytes;
use confab_app::actions;
use confab_app::decide::Decisions;
use confab_app::services::Services;
use confab_domain::field_problem::FieldProblem;
use confab_domain::ids::{AppId, ID_END, MessageId, NoteId, RoomId, SessionId};
use confab_domain::limits;
use confab_domain::people::user::User;
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::RoomRef;
use confab_domain::support::contacts::erasing::ExportContact;
use confab_queries::customer_rooms::seen_contact;
use confab_runtime::admission::response_backpressure::{Asker, ReservedBytes};
use confab_runtime::failures::chain;
use confab_store::{ReaderScope, Store, StoreError};
use confab_wire::omnichannel_api::support::customers::contact_export::{
    ContactExport, EraseContactFields, ErasedContact, exported_contact, exported_message,
    exported_room, read_erase,
};
use confab_wire::webhook_api::{self, Data};
use futures_util::stream;
use serde::Serialize;

use crate::calls::calls;
use crate::omnichannel::contact_in_path;
use crate::requests::access::{Access, Admins};
use crate::requests::bodies::OmnichannelBody;
use crate::requests::callers::By;
use crate::requests::part::Part;
use crate::responses::answer::{Answer, data};
use crate::responses::json::{json_bytes, write};
use crate::responses::large_answers::too_much_unsent;
use crate::responses::problem::Problem;

calls! {
    "Office";
    /// Export all data about a customer, including messages
    GET "/api/v2/contacts/{contact_id}/export" export_contact = export [403 404];
    /// Erase a customer's identity and all messages of their rooms permanently
    POST "/api/v2/contacts/{contact_id}/erase" erase_contact = erase [403 404];
}

async fn export(
    State(services): State<Services>,
    caller: By<Admins>,
    Path(id): Path<String>,
) -> Answer<Data<ContactExport<'static>>> {
    let customer = contact(services.store(), &caller, &id).await?;
    let rule = ExportContact { customer: customer.key };
    services.decisions().decide(&caller, rule).await?;
    let reserved = services
        .admission()
        .unsent
        .reserve(Asker::app(&caller.app), limits::STREAMED_ANSWER_BYTES)
        .ok_or_else(too_much_unsent)?;
    let export = Export::begin(services.store(), caller.app.id, &customer, reserved).await?;
    let name = format!("attachment; filename=\"contact-{}.json\"", customer.key);
    let mut answer = json_bytes(StatusCode::OK, export.streamed());
    let name = name.parse().expect("a number is valid in a header");
    answer.headers_mut().insert(CONTENT_DISPOSITION, name);
    Ok(answer.into())
}

async fn erase(
    Part(decisions): Part<Decisions>,
    caller: By<Admins>,
    Path(id): Path<String>,
    body: OmnichannelBody<EraseContactFields>,
) -> Answer<Data<ErasedContact>> {
    let confirm = read_erase(body.fields())?;
    let customer = contact(decisions.store(), &caller, &id).await?;
    if confirm != customer.username {
        let problem = FieldProblem::new("confirm", "must be the customer's name");
        return Err(Refusal::from(problem).into());
    }
    let erased = actions::erase_contact(&decisions, &caller, customer).await?;
    data(ErasedContact { contact_id: erased.key.0, is_erased: true })
}

async fn contact(store: &Store, caller: &By<impl Access>, id: &str) -> Result<User, Problem> {
    let id = contact_in_path(id)?;
    Ok(seen_contact(store, &caller.app, caller.agent.as_ref(), id).await?.customer)
}

/// An export that is being written. It holds a bounded number of messages in memory.
struct Export {
    store: Store,
    app: AppId,
    /// Rooms that are not written yet, in reverse order.
    rooms: Vec<RoomId>,
    /// The room that is being written, and the id of its last written message.
    at: Option<(RoomId, MessageId)>,
    /// JSON that follows the last room.
    close: Vec<u8>,
    /// JSON that follows the last message of the current room.
    close_room: Vec<u8>,
    is_first_room: bool,
    is_first_message: bool,
    out: Vec<u8>,
    _reserved: ReservedBytes,
}

impl Export {
    async fn begin(
        store: &Store,
        app: AppId,
        customer: &User,
        reserved: ReservedBytes,
    ) -> Result<Self, StoreError> {
        let known = store.properties_of(customer.key).await?;
        let mut rooms = store.all_rooms_of_contact(app, customer.key).await?;
        rooms.reverse();
        let shell = webhook_api::data(exported_contact(customer, &known));
        let (out, close) = opened(&shell, b"\"rooms\":[]");
        Ok(Self {
            store: store.clone(),
            app,
            rooms,
            at: None,
            close,
            close_room: Vec::new(),
            is_first_room: true,
            is_first_message: true,
            out,
            _reserved: reserved,
        })
    }

    /// Appends the next part of the export to `out`. Returns whether it was the last part.
    async fn write_on(&mut self) -> Result<bool, StoreError> {
        let Some((room, after)) = self.at else { return self.next_room().await };
        let page = self.store.all_after(room, after, limits::ERASED_PER_COMMIT).await?;
        let Some(last) = page.last() else {
            self.out.append(&mut self.close_room);
            self.at = None;
            return Ok(false);
        };
        self.at = Some((room, last.key().id));
        for posted in self.store.loaded(page).await? {
            if !std::mem::take(&mut self.is_first_message) {
                self.out.push(b',');
            }
            write(&mut self.out, &exported_message(&posted));
        }
        Ok(false)
    }

    async fn next_room(&mut self) -> Result<bool, StoreError> {
        let Some(id) = self.rooms.pop() else {
            self.out.append(&mut self.close);
            return Ok(true);
        };
        let (store, many) = (&self.store, limits::ROOMS_PER_SCAN);
        let room = store.room(self.app, &RoomRef::Id(id)).await?;
        let infos = store.infos(id).await?;
        let mut conversations =
            store.sessions_of_room(self.app, id, SessionId(ID_END), many).await?;
        while conversations.len() % many == 0
            && let Some(last) = conversations.last()
        {
            let more = store.sessions_of_room(self.app, id, last.id, many).await?;
            if more.is_empty() {
                break;
            }
            conversations.extend(more);
        }
        let mut notes = store.notes(id, NoteId(ID_END), many).await?;
        while notes.len() % many == 0
            && let Some(last) = notes.last()
        {
            let more = store.notes(id, last.id, many).await?;
            if more.is_empty() {
                break;
            }
            notes.extend(more);
        }
        let name = room.map(|it| it.name).unwrap_or_default();
        let shell = exported_room(id.to_string(), &name, &infos, &conversations, &notes);
        let (mut open, close) = opened(&shell, b"\"messages\":[]");
        if !std::mem::take(&mut self.is_first_room) {
            self.out.push(b',');
        }
        self.out.append(&mut open);
        self.close_room = close;
        self.is_first_message = true;
        self.at = Some((id, MessageId(0)));
        Ok(false)
    }

    /// Streams the export as the client reads it. An error aborts it, so that clients cannot
    /// mistake a part for the whole.
    fn streamed(self) -> Body {
        let reads = ReaderScope::current();
        Body::from_stream(stream::unfold(Some(self), move |export| {
            let reads = reads.clone();
            async move {
                let mut export = export?;
                match reads.run(export.write_on()).await {
                    Ok(is_whole) => {
                        let out = Bytes::from(std::mem::take(&mut export.out));
                        Some((Ok(out), (!is_whole).then_some(export)))
                    }
                    Err(error) => {
                        tracing::error!(
                            app.id = export.app.0,
                            error = %chain(&error),
                            "contact export aborted"
                        );
                        Some((Err(error), None))
                    }
                }
            }
        }))
    }
}

/// Serializes the shell and splits it within its last empty list of this name, into the parts
/// before and after the items.
fn opened(shell: &impl Serialize, list: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let mut open = Vec::new();
    write(&mut open, shell);
    let at = open.windows(list.len()).rposition(|part| part == list);
    let at = at.map_or(open.len(), |at| at + list.len() - 1);
    let close = open.split_off(at);
    (open, close)
}
