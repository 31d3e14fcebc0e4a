//! Who has which conversation on their screen, among those who are connected to this node.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use confab_domain::ids::{AgentId, RoomId};
use confab_wire::realtime::inbox::{self as frames, ViewerShape};
use parking_lot::Mutex;

use super::hub::{Address, Hub};
use super::signal::{Shown, Signal};

/// All of them. Cheap to clone; all clones are one.
#[derive(Clone)]
pub(crate) struct Viewers {
    hub: Hub,
    rooms: Arc<Mutex<HashMap<RoomId, Vec<Viewer>>>>,
    last_page: Arc<AtomicU64>,
}

struct Viewer {
    page: u64,
    agent: AgentId,
    name: Arc<str>,
    is_typing: bool,
}

impl Viewers {
    pub(crate) fn new(hub: Hub) -> Self {
        Self { hub, rooms: Arc::default(), last_page: Arc::default() }
    }

    /// A page of somebody that shows nothing yet.
    pub(crate) fn page(&self, agent: AgentId, name: &str) -> ViewingPage {
        let page = self.last_page.fetch_add(1, Ordering::Relaxed);
        ViewingPage { viewers: self.clone(), page, agent, name: Arc::from(name) }
    }

    /// Changes who is in a room, and tells those who have it open if anything changed.
    fn change(&self, room: RoomId, change: impl FnOnce(&mut Vec<Viewer>) -> bool) {
        let mut rooms = self.rooms.lock();
        let viewers = rooms.entry(room).or_default();
        let is_other = change(viewers);
        let frame = frames::viewers(room, shown(viewers));
        if viewers.is_empty() {
            rooms.remove(&room);
        }
        if is_other {
            // Still locked: what is told last is how it is.
            let signal = Arc::new(Signal::new(Shown::Viewers(frame)));
            self.hub.show(&signal, [Address::Conversation(room)]);
        }
    }
}

/// Each person once, however many pages of theirs show the room, in the order in which they came.
fn shown(viewers: &[Viewer]) -> Vec<ViewerShape<'_>> {
    let mut people: Vec<ViewerShape<'_>> = Vec::new();
    for Viewer { agent, name, is_typing, .. } in viewers {
        match people.iter_mut().find(|it| it.id == agent.0) {
            Some(known) => known.is_typing |= is_typing,
            None => people.push(ViewerShape { id: agent.0, name, is_typing: *is_typing }),
        }
    }
    people
}

/// What one page shows. Dropping it closes all its conversations.
pub(crate) struct ViewingPage {
    viewers: Viewers,
    page: u64,
    agent: AgentId,
    name: Arc<str>,
}

impl ViewingPage {
    pub(crate) fn open(&self, room: RoomId) {
        let Self { page, agent, ref name, .. } = *self;
        self.viewers.change(room, |viewers| {
            let is_new = viewers.iter().all(|it| it.page != page);
            if is_new {
                viewers.push(Viewer { page, agent, name: name.clone(), is_typing: false });
            }
            is_new
        });
    }

    pub(crate) fn close(&self, room: RoomId) {
        self.viewers.change(room, |viewers| {
            let before = viewers.len();
            viewers.retain(|it| it.page != self.page);
            viewers.len() < before
        });
    }

    /// Whoever sits before the page writes, or stopped; of a conversation that it does not show
    /// nobody is told.
    pub(crate) fn set_typing(&self, room: RoomId, is_typing: bool) {
        self.viewers.change(room, |viewers| {
            let own = viewers.iter_mut().find(|it| it.page == self.page);
            own.is_some_and(|own| std::mem::replace(&mut own.is_typing, is_typing) != is_typing)
        });
    }
}

impl Drop for ViewingPage {
    fn drop(&mut self) {
        let rooms: Vec<_> = {
            let rooms = self.viewers.rooms.lock();
            let is_in = |viewers: &[Viewer]| viewers.iter().any(|it| it.page == self.page);
            rooms.iter().filter(|(_, viewers)| is_in(viewers)).map(|(room, _)| *room).collect()
        };
        rooms.into_iter().for_each(|room| self.close(room));
    }
}
