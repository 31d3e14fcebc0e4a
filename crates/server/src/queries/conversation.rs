//! The messages of a customer's room, for those who may see the room.

use confab_domain::ids::{AppId, MessageId, RoomId};
use confab_domain::rooms::room::RoomRef;
use confab_store::{PageEntry, Store, StoreError};
use confab_wire::omnichannel_api::service::conversation::ConversationPart;

/// Messages, the oldest first, and from where the conversation goes on at either end.
pub(crate) struct ConversationPage {
    pub(crate) messages: Vec<PageEntry>,
    pub(crate) before: Option<MessageId>,
    pub(crate) after: Option<MessageId>,
}

/// Finds a part of a conversation.
pub(crate) async fn find(
    store: &Store,
    app: AppId,
    room: RoomId,
    part: ConversationPart,
    size: usize,
) -> Result<ConversationPage, StoreError> {
    let place = Place { store, app, room };
    match part {
        ConversationPart::Newest => {
            let (messages, before) = place.up_to(None, size).await?;
            Ok(ConversationPage { messages, before, after: None })
        }
        ConversationPart::Before(id) => {
            let (messages, before) = place.up_to(Some(MessageId(id.0 - 1)), size).await?;
            Ok(ConversationPage { after: last(&messages), messages, before })
        }
        ConversationPart::After(id) => {
            let (messages, after) = place.from(id, size).await?;
            Ok(ConversationPage { before: first(&messages), messages, after })
        }
        ConversationPart::Around(id) => {
            let (mut messages, before) = place.up_to(Some(id), size.div_ceil(2)).await?;
            let (newer, after) = place.from(id, size / 2).await?;
            messages.extend(newer);
            Ok(ConversationPage { messages, before, after })
        }
    }
}

struct Place<'a> {
    store: &'a Store,
    app: AppId,
    room: RoomId,
}

impl Place<'_> {
    /// The newest messages up to one, the oldest of them first; and it, if there are older ones.
    async fn up_to(
        &self,
        newest: Option<MessageId>,
        size: usize,
    ) -> Result<(Vec<PageEntry>, Option<MessageId>), StoreError> {
        let room = RoomRef::Id(self.room);
        let found = match newest {
            None => self.store.page(self.app, &room, 0, size + 1).await?,
            Some(id) => self.store.range(self.app, &room, (MessageId(0), id), size + 1).await?,
        };
        let mut messages = found.unwrap_or_default();
        let has_older = messages.len() > size;
        messages.truncate(size);
        messages.reverse();
        let before = first(&messages).filter(|_| has_older);
        Ok((messages, before))
    }

    /// The messages after one, the oldest first; and the last of them, if there are newer ones.
    async fn from(
        &self,
        after: MessageId,
        size: usize,
    ) -> Result<(Vec<PageEntry>, Option<MessageId>), StoreError> {
        let mut messages = self.store.following(self.room, after, 0, size + 1).await?;
        let has_newer = messages.len() > size;
        messages.truncate(size);
        let after = last(&messages).filter(|_| has_newer);
        Ok((messages, after))
    }
}

fn first(messages: &[PageEntry]) -> Option<MessageId> {
    messages.first().map(|it| it.key().id)
}

fn last(messages: &[PageEntry]) -> Option<MessageId> {
    messages.last().map(|it| it.key().id)
}
