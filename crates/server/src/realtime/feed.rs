//! From what is on disk to what is shown: one task, in order.
//!
//! The store says what each commit of this node means; it is shown here in that order. Nothing waits
//! for this task: if it falls behind, those who are connected are cut off and look again.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use confab_domain::event::{Doing, Event, Hears, News, What};
use confab_domain::ids::{AppId, RoomId};
use confab_domain::limits;
use confab_domain::room::RoomKind;
use confab_store::{Audience, Store};
use tokio::sync::mpsc;

use super::hub::{Address, Ending, Hub, Passing};
use super::signal::{Shown, Signal};
use crate::failures::chain;

/// Hears the store's news and passes them on without waiting.
pub(crate) struct Ear {
    queue: mpsc::Sender<Vec<(AppId, News)>>,
    has_missed: Arc<AtomicBool>,
}

impl Hears for Ear {
    fn hear(&self, news: Vec<(AppId, News)>) {
        if self.queue.try_send(news).is_err() {
            self.has_missed.store(true, Ordering::Relaxed);
        }
    }
}

/// Shows what happened.
pub(crate) struct Feed {
    store: Store,
    hub: Hub,
    news: mpsc::Receiver<Vec<(AppId, News)>>,
    passing: mpsc::Receiver<Passing>,
    has_missed: Arc<AtomicBool>,
    audiences: HashMap<RoomId, Arc<Audience>>,
}

impl Feed {
    /// Begins to hear what the store says.
    pub(crate) fn new(store: Store, hub: Hub, passing: mpsc::Receiver<Passing>) -> Self {
        let (queue, news) = mpsc::channel(limits::REALTIME_NEWS_MAX);
        let has_missed = Arc::new(AtomicBool::new(false));
        store.tell_news_to(Arc::new(Ear { queue, has_missed: has_missed.clone() }));
        let audiences = HashMap::new();
        Self { store, hub, news, passing, has_missed, audiences }
    }

    /// Shows until the store is gone.
    pub(crate) async fn run(mut self) {
        loop {
            tokio::select! {
                biased;
                news = self.news.recv() => {
                    let Some(news) = news else { return };
                    for (_, news) in news {
                        self.take(news).await;
                    }
                }
                Some(passing) = self.passing.recv() => self.show_passing(passing).await,
            }
            if self.has_missed.swap(false, Ordering::Relaxed) {
                tracing::warn!("realtime fell behind: those who are connected look again");
                self.hub.end_all(Ending::Lagged);
            }
        }
    }

    async fn take(&mut self, news: News) {
        match news {
            News::Happened(event) => self.show(event).await,
            News::Audience { room, user, is_in } => {
                self.audiences.remove(&room);
                if !is_in {
                    self.hub.leave_room(user, room);
                }
            }
            News::Access { user } => self.hub.end_user(user, Ending::AccessEnded),
        }
    }

    async fn show(&mut self, event: Event) {
        let cursor = self.hub.advance(event.id);
        if self.hub.is_empty() {
            return;
        }
        let room = event.room;
        let audience = match &event.what {
            What::Cleared { by, .. } => Arc::new(Audience { version: 0, users: vec![by.key] }),
            _ => match self.audience(&event).await {
                Some(audience) => audience,
                None => return self.hub.end_all(Ending::Lagged),
            },
        };
        let is_channel = event.room_then().is_some_and(|room| room.kind == RoomKind::Channel);
        let signal = Arc::new(Signal::new(Shown::Event { event, cursor }));
        let users = audience.users.iter().map(|user| Address::User(*user));
        let in_room = signal.is_doing().then_some(Address::Room(room));
        let channel = is_channel.then_some(Address::Channel(room));
        self.hub.show(&signal, users.chain(in_room).chain(channel));
    }

    async fn show_passing(&mut self, passing: Passing) {
        match passing {
            Passing::Doing(doing) => {
                let (Doing::Typing { room, .. } | Doing::Custom { room, .. }) = &doing;
                let room = *room;
                // Who is not told somebody types misses nothing.
                let Some(audience) = self.audience_of(room, 0).await else { return };
                let signal = Arc::new(Signal::new(Shown::Doing(doing)));
                let users = audience.users.iter().map(|user| Address::User(*user));
                self.hub.show(&signal, users.chain([Address::Room(room)]));
            }
            Passing::Presence(user, presence) => {
                let signal = Arc::new(Signal::new(Shown::Presence(presence)));
                self.hub.show(&signal, [Address::Presence(user)]);
            }
        }
    }

    /// Who is in the event's room; nothing if the store cannot say it now.
    async fn audience(&mut self, event: &Event) -> Option<Arc<Audience>> {
        let version = event.room_then().map_or(0, |room| room.audience);
        self.audience_of(event.room, version).await
    }

    /// Who is in the room, at least as new as this version of it.
    async fn audience_of(&mut self, room: RoomId, wanted: i64) -> Option<Arc<Audience>> {
        if let Some(known) = self.audiences.get(&room) {
            if known.version >= wanted {
                return Some(known.clone());
            }
        }
        match self.store.audience(room).await {
            Ok(audience) => {
                let audience = Arc::new(audience);
                if self.audiences.len() >= limits::REALTIME_AUDIENCES_MAX {
                    self.audiences.clear();
                }
                self.audiences.insert(room, audience.clone());
                Some(audience)
            }
            Err(error) => {
                tracing::warn!("a room's audience is not known: {}", chain(&error));
                None
            }
        }
    }
}
