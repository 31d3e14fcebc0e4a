//! Reference model of a room: a list, filtered.

use confab_domain::ids::MessageId;
use confab_domain::messages::message::{Message, PostedMessage};

use crate::world::World;

/// Messages of one room, oldest first, including deleted ones.
#[derive(Debug, Clone, Default)]
pub struct Model {
    messages: Vec<Message>,
}

type Shown = Vec<(MessageId, String)>;

impl Model {
    pub fn of(messages: Vec<Message>) -> Self {
        Self { messages }
    }

    pub fn extend(&mut self, messages: Vec<Message>) {
        self.messages.extend(messages);
    }

    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Returns the message at an index, unless it is deleted.
    pub fn live(&self, index: usize) -> Option<&Message> {
        self.messages.get(index).filter(|message| !message.is_deleted)
    }

    pub fn delete(&mut self, index: usize) {
        self.messages[index].is_deleted = true;
    }

    /// Returns the id at an index plus an offset, to get ids between, before and after those of
    /// messages.
    pub fn id_near(&self, index: usize, aside: i64) -> i64 {
        self.messages.get(index).map_or(0, |message| message.id.0) + aside
    }

    pub fn page(&self, page: u64, limit: usize) -> Shown {
        let skipped = (page as usize - 1) * limit;
        self.newest_first().skip(skipped).take(limit).map(shown).collect()
    }

    pub fn range(&self, from: i64, to: i64, limit: usize) -> Shown {
        let is_within = |message: &&Message| (from..=to).contains(&message.id.0);
        self.newest_first().filter(is_within).take(limit).map(shown).collect()
    }

    fn newest_first(&self) -> impl Iterator<Item = &Message> {
        self.messages.iter().rev().filter(|message| !message.is_deleted)
    }

    /// Checks every page of a size, and the one past the end.
    pub async fn check_pages(&self, world: &World, room: &str, limit: usize) {
        let pages = (self.newest_first().count() / limit) as u64 + 2;
        for page in 1..=pages {
            self.check_page(world, room, page, limit).await;
        }
    }

    pub async fn check_page(&self, world: &World, room: &str, page: u64, limit: usize) {
        let found = world.page(room, page, limit).await;
        assert_eq!(all_shown(&found), self.page(page, limit), "page {page} of {limit}");
    }

    pub async fn check_range(&self, world: &World, room: &str, ids: (i64, i64), limit: usize) {
        let found = world.range(room, ids.0, ids.1, limit).await;
        assert_eq!(all_shown(&found), self.range(ids.0, ids.1, limit), "{limit} of {ids:?}");
    }

    /// Checks that the chain has every message, and of deleted ones only the place.
    pub async fn check_chain(&self, world: &World, room: &str) {
        let chain = world.chain(room).await;
        assert_eq!(chain.len(), self.len());
        for (found, message) in chain.iter().zip(&self.messages) {
            assert_eq!((found.id, found.is_deleted), (message.id, message.is_deleted));
            let text = if message.is_deleted { "" } else { &message.text };
            assert_eq!(found.text, text);
        }
    }
}

fn shown(message: &Message) -> (MessageId, String) {
    (message.id, message.text.clone())
}

fn all_shown(page: &[PostedMessage]) -> Shown {
    page.iter().map(|posted| shown(&posted.message)).collect()
}
