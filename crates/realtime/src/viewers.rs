//! Viewers: which agents have which conversation open.
//!
//! Each node tracks its own dashboard pages. It sends changes to the other nodes at once and
//! repeats the whole state periodically. A node trusts what it received for a minute, so that
//! viewers on a dead node disappear.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use confab_domain::ids::{AgentId, RoomId};
use confab_domain::limits;
use confab_runtime::ids;
use confab_wire::realtime::inbox::{self as frames, ViewerShape};
use parking_lot::Mutex;
use tokio::time::Instant;

use super::hub::{Address, EphemeralSignal, Hub};
use super::node_viewers::{NodeViewer, NodeViewers};
use super::signal::{Signal, SignalContent};

/// Interval at which a node sends all of its viewers to the other nodes again.
pub(crate) const REPEAT_EVERY: Duration = Duration::from_secs(20);

/// Time after which the viewers of a silent node are removed.
const BELIEVED_FOR: Duration = Duration::from_secs(60);

/// The viewers of all conversations. Clones share the same state.
#[derive(Clone)]
pub struct Viewers {
    hub: Hub,
    /// Number by which other nodes identify this one.
    node: u64,
    rooms: Arc<Mutex<HashMap<RoomId, RoomViewers>>>,
    last_page: Arc<AtomicU64>,
}

#[derive(Default)]
struct RoomViewers {
    here: Vec<Viewer>,
    elsewhere: Vec<PublishedViewers>,
}

struct Viewer {
    page: u64,
    agent: AgentId,
    name: Arc<str>,
    is_typing: bool,
}

/// Viewers of a room on another node, as that node last sent them.
struct PublishedViewers {
    node: u64,
    at: Instant,
    people: Vec<NodeViewer>,
}

impl Viewers {
    pub(crate) fn new(hub: Hub) -> Self {
        let node = ids::viewers_node();
        Self { hub, node, rooms: Arc::default(), last_page: Arc::default() }
    }

    /// Registers an agent's dashboard page, which shows no conversation yet.
    pub fn page(&self, agent: AgentId, name: &str) -> ViewingPage {
        let page = self.last_page.fetch_add(1, Ordering::Relaxed);
        ViewingPage { viewers: self.clone(), page, agent, name: Arc::from(name) }
    }

    /// Applies the viewers of a room that another node sent.
    pub(crate) fn receive(&self, told: NodeViewers) {
        let NodeViewers { node, room, people } = told;
        self.change(RoomId(room), |viewers| {
            let before = viewers.elsewhere.iter().position(|it| it.node == node);
            let before = before.map(|place| viewers.elsewhere.swap_remove(place).people);
            let is_other = before.as_deref().unwrap_or_default() != people;
            if !people.is_empty() {
                viewers.elsewhere.push(PublishedViewers { node, at: Instant::now(), people });
            }
            is_other
        });
    }

    /// Sends this node's viewers to the other nodes again, and removes the viewers of silent nodes.
    /// Rooms without viewers on this node are skipped: the other nodes were notified when the last
    /// viewer left.
    pub(crate) fn publish_again(&self) {
        let rooms: Vec<_> = self.rooms.lock().keys().copied().collect();
        for room in rooms {
            let mut is_looked_at = false;
            self.change(room, |viewers| {
                is_looked_at = !viewers.here.is_empty();
                let before = viewers.elsewhere.len();
                viewers.elsewhere.retain(|it| it.at.elapsed() < BELIEVED_FOR);
                viewers.elsewhere.len() < before
            });
            if is_looked_at {
                self.publish(room);
            }
        }
    }

    /// Changes this node's viewers of a room. If they differ, notifies the other nodes.
    fn change_here(&self, room: RoomId, change: impl FnOnce(&mut Vec<Viewer>) -> bool) {
        if self.change(room, |viewers| change(&mut viewers.here)) {
            self.publish(room);
        }
    }

    /// Changes the viewers of a room. If they differ, publishes them to the agents who have the
    /// room open on this node. Returns whether they differ.
    fn change(&self, room: RoomId, change: impl FnOnce(&mut RoomViewers) -> bool) -> bool {
        let mut rooms = self.rooms.lock();
        let viewers = rooms.entry(room).or_default();
        let is_other = change(viewers);
        let frame = is_other.then(|| frames::viewers(room, shown(viewers)));
        if viewers.here.is_empty() && viewers.elsewhere.is_empty() {
            rooms.remove(&room);
        }
        if let Some(frame) = frame {
            // Published under the lock, so that the last signal is the current state.
            let signal = Arc::new(Signal::new(SignalContent::Viewers(frame)));
            self.hub.show(&signal, [Address::Conversation(room)]);
        }
        is_other
    }

    fn publish(&self, room: RoomId) {
        if self.hub.is_alone {
            return;
        }
        let rooms = self.rooms.lock();
        let here = rooms.get(&room).map_or(&[][..], |viewers| &viewers.here);
        let people = in_one_hint(here);
        // Sent under the lock, so that the last hint is the current state.
        self.hub.pass(EphemeralSignal::Viewers(NodeViewers {
            node: self.node,
            room: room.0,
            people,
        }));
    }
}

/// Returns as many viewers of this node as fit into one hint.
fn in_one_hint(here: &[Viewer]) -> Vec<NodeViewer> {
    let mut bytes = 0;
    let people = of_one_node(here).into_iter().take_while(|it| {
        bytes += it.name.len();
        bytes <= limits::VIEWERS_HINT_BYTES_MAX
    });
    people
        .map(|it| NodeViewer { id: it.id, name: it.name.to_owned(), is_typing: it.is_typing })
        .collect()
}

/// Returns each agent once, in order of arrival, even if several of the agent's pages show the
/// room.
fn of_one_node(here: &[Viewer]) -> Vec<ViewerShape<'_>> {
    let mut people = Vec::new();
    for Viewer { agent, name, is_typing, .. } in here {
        add(&mut people, ViewerShape { id: agent.0, name, is_typing: *is_typing });
    }
    people
}

/// Returns each agent on any node once, those on this node first.
fn shown(viewers: &RoomViewers) -> Vec<ViewerShape<'_>> {
    let mut people = of_one_node(&viewers.here);
    for NodeViewer { id, name, is_typing } in viewers.elsewhere.iter().flat_map(|it| &it.people) {
        add(&mut people, ViewerShape { id: *id, name, is_typing: *is_typing });
    }
    people
}

fn add<'a>(people: &mut Vec<ViewerShape<'a>>, one: ViewerShape<'a>) {
    match people.iter_mut().find(|it| it.id == one.id) {
        Some(known) => known.is_typing |= one.is_typing,
        None => people.push(one),
    }
}

/// The conversations that are open on one dashboard page. Dropping it closes them all.
pub struct ViewingPage {
    viewers: Viewers,
    page: u64,
    agent: AgentId,
    name: Arc<str>,
}

impl ViewingPage {
    pub fn open(&self, room: RoomId) {
        let Self { page, agent, ref name, .. } = *self;
        self.viewers.change_here(room, |viewers| {
            let is_new = viewers.iter().all(|it| it.page != page);
            if is_new {
                viewers.push(Viewer { page, agent, name: name.clone(), is_typing: false });
            }
            is_new
        });
    }

    pub fn close(&self, room: RoomId) {
        self.viewers.change_here(room, |viewers| {
            let before = viewers.len();
            viewers.retain(|it| it.page != self.page);
            viewers.len() < before
        });
    }

    /// Sets whether the page's agent is typing in a conversation. Has no effect if the page does
    /// not show the conversation.
    pub fn set_typing(&self, room: RoomId, is_typing: bool) {
        self.viewers.change_here(room, |viewers| {
            let own = viewers.iter_mut().find(|it| it.page == self.page);
            own.is_some_and(|own| std::mem::replace(&mut own.is_typing, is_typing) != is_typing)
        });
    }
}

impl Drop for ViewingPage {
    fn drop(&mut self) {
        let rooms: Vec<_> = {
            let rooms = self.viewers.rooms.lock();
            let is_in = |viewers: &RoomViewers| viewers.here.iter().any(|it| it.page == self.page);
            rooms.iter().filter(|(_, viewers)| is_in(viewers)).map(|(room, _)| *room).collect()
        };
        rooms.into_iter().for_each(|room| self.close(room));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node_viewers(node: u64, room: i64, name: &str) -> NodeViewers {
        let people = vec![NodeViewer { id: 9, name: name.to_owned(), is_typing: false }];
        NodeViewers { node, room, people }
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_repeats_only_its_own_rooms_and_drops_viewers_of_silent_nodes() {
        let (hub, mut passing) = Hub::new(false);
        let viewers = Viewers::new(hub);
        let page = viewers.page(AgentId(1), "Ada");
        page.open(RoomId(5));
        viewers.receive(node_viewers(77, 5, "Bo"));
        viewers.receive(node_viewers(77, 6, "Bo"));
        viewers.publish_again();
        let rooms: Vec<_> = std::iter::from_fn(|| passing.try_recv().ok())
            .map(|it| if let EphemeralSignal::Viewers(it) = it { it.room } else { 0 })
            .collect();
        assert_eq!(rooms, [5, 5], "once on arrival and once repeated");
        tokio::time::advance(BELIEVED_FOR).await;
        viewers.publish_again();
        let known = viewers.rooms.lock();
        assert_eq!(known.len(), 1, "the other room has no viewers");
        assert!(known[&RoomId(5)].elsewhere.is_empty());
    }
}
