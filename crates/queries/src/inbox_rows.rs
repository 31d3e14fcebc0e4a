//! The data of inbox rows that is stored outside the room itself.

use std::collections::HashMap;
use std::sync::Arc;

use confab_domain::agents::agent::Person;
use confab_domain::channels::channel::ChannelKind;
use confab_domain::channels::window;
use confab_domain::ids::{AppId, RoomId};
use confab_domain::limits;
use confab_domain::messages::message::{Message, PostedMessage};
use confab_domain::rooms::room::RoomRef;
use confab_domain::support::annotations::seen_mark::SeenMark;
use confab_domain::support::annotations::tag::StoredTag;
use confab_domain::support::conversations::customer_room::AgentRecord;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::event::AgentProfile;
use confab_store::{ListedRoom, Store, StoreError};
use confab_wire::omnichannel_api::support::rooms::RoomView;

use super::people::{named, whom};

/// Data of an inbox row that is not part of the room: its last messages, agents, tags and read
/// position.
pub struct RowExtras {
    posted: Vec<Arc<PostedMessage>>,
    agents: Vec<AgentProfile>,
    resolved_by: Option<Person>,
    tags: Vec<StoredTag>,
    seen: SeenMark,
    source: String,
    window_closes_at: Option<Timestamp>,
}

/// The agent whose inbox is shown; `None` for requests of the app itself.
pub type Viewer<'a> = Option<&'a AgentRecord>;

impl RowExtras {
    /// Reads the row data of one room. The caller has already read the room's agents.
    pub async fn read(
        (store, widget_source): (&Store, &str),
        app: AppId,
        viewer: Viewer<'_>,
        room: &ListedRoom,
        agents: Vec<AgentProfile>,
    ) -> Result<Self, StoreError> {
        let rooms = std::slice::from_ref(room);
        let mut all = OfPage::read(store, app, viewer, rooms).await?;
        all.agents = HashMap::from([(room.customer_room.room, agents)]);
        all.extras((store, widget_source), app, room).await
    }

    /// Reads the row data of all rooms of a page.
    pub async fn read_all(
        (store, widget_source): (&Store, &str),
        app: AppId,
        viewer: Viewer<'_>,
        rooms: &[ListedRoom],
    ) -> Result<Vec<Self>, StoreError> {
        let mut all = OfPage::read(store, app, viewer, rooms).await?;
        let ids: Vec<_> = rooms.iter().map(|it| it.customer_room.room).collect();
        all.agents = by_room(store.agents_of_rooms(&ids).await?);
        let mut found = Vec::with_capacity(rooms.len());
        for room in rooms {
            found.push(all.extras((store, widget_source), app, room).await?);
        }
        Ok(found)
    }

    /// Combines a room and its row data into a view that can be rendered.
    pub fn view<'a>(
        &'a self,
        room: &'a ListedRoom,
        viewer: Viewer<'_>,
        now: Timestamp,
    ) -> RoomView<'a> {
        RoomView {
            customer_room: &room.customer_room,
            name: &room.name,
            avatar_url: &room.avatar_url,
            customer: room.customer.as_str(),
            source: &self.source,
            channel_name: &room.channel_name,
            served_by: room.served_by_name.as_deref(),
            tags: &self.tags,
            version: room.version,
            viewer: viewer.map(|it| it.speaker),
            seen: self.seen,
            posted: &self.posted,
            agents: &self.agents,
            resolved_by: self.resolved_by.as_ref(),
            window_closes_at: self.window_closes_at,
            now,
        }
    }
}

/// Row data of all rooms of a page, as far as it is read by one query for all rooms.
struct OfPage {
    agents: HashMap<RoomId, Vec<AgentProfile>>,
    resolvers: Vec<Person>,
    tags: HashMap<RoomId, Vec<StoredTag>>,
    seen: HashMap<RoomId, SeenMark>,
}

impl OfPage {
    async fn read(
        store: &Store,
        app: AppId,
        viewer: Viewer<'_>,
        rooms: &[ListedRoom],
    ) -> Result<Self, StoreError> {
        let agents = HashMap::new();
        let ids: Vec<_> = rooms.iter().map(|it| it.customer_room.room).collect();
        let resolvers = rooms.iter().filter_map(|it| it.customer_room.resolved_by()).collect();
        let resolvers = named(store, app, resolvers).await?;
        let tags = by_room(store.tags_of_rooms(app, &ids).await?);
        let seen = match viewer {
            Some(viewer) => store.seen_marks(viewer.profile.user.id, &ids).await?,
            None => Vec::new(),
        };
        Ok(Self { agents, resolvers, tags, seen: seen.into_iter().collect() })
    }

    /// Combines the prepared data of one room with its last messages, which it reads.
    async fn extras(
        &mut self,
        (store, widget_source): (&Store, &str),
        app: AppId,
        room: &ListedRoom,
    ) -> Result<RowExtras, StoreError> {
        let id = room.customer_room.room;
        let page = store.page(app, &RoomRef::Id(id), 0, limits::LAST_MESSAGES_SCANNED).await?;
        let posted = store.loaded(page.unwrap_or_default()).await?;
        Ok(RowExtras {
            posted: posted.iter().map(words).collect(),
            agents: self.agents.remove(&id).unwrap_or_default(),
            resolved_by: whom(&self.resolvers, room.customer_room.resolved_by()),
            tags: self.tags.remove(&id).unwrap_or_default(),
            seen: self.seen.remove(&id).unwrap_or_default(),
            source: source(widget_source, room),
            window_closes_at: window_closes_at(store, room).await?,
        })
    }
}

/// Returns the time at which the provider's messaging window for replies to the customer closes;
/// `None` if the provider has no such window or the customer has never written.
async fn window_closes_at(
    store: &Store,
    room: &ListedRoom,
) -> Result<Option<Timestamp>, StoreError> {
    let kind = room.channel_kind;
    if window::closes_at(kind, Timestamp(0)).is_none() {
        return Ok(None);
    }
    let last_inbound_at = store.last_inbound_at(room.customer_room.room).await?;
    Ok(last_inbound_at.and_then(|at| window::closes_at(kind, at)))
}

/// Returns the source of the conversation: for the widget the brand through which the customer
/// came, for all other channels the kind of channel.
pub fn source(widget_source: &str, room: &ListedRoom) -> String {
    match room.channel_kind {
        ChannelKind::Widget => {
            room.customer_room.brand.clone().unwrap_or_else(|| widget_source.to_owned())
        }
        kind => kind.as_str().to_owned(),
    }
}

fn by_room<T>(found: Vec<(RoomId, T)>) -> HashMap<RoomId, Vec<T>> {
    let mut rooms = HashMap::<_, Vec<_>>::new();
    for (room, it) in found {
        rooms.entry(room).or_default().push(it);
    }
    rooms
}

/// Returns a message without payload and extras, which rows do not show, to save memory while a
/// whole page is held.
fn words(posted: &Arc<PostedMessage>) -> Arc<PostedMessage> {
    let PostedMessage { message, sender } = &**posted;
    if message.payload.is_none() && message.extras.is_none() {
        return posted.clone();
    }
    let message = Message { payload: None, extras: None, ..message.clone() };
    Arc::new(PostedMessage { message, sender: sender.clone() })
}
