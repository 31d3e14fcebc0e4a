//! The messages of a customer's room, for callers that may see it. Deleted messages are included
//! without their content (design/support).

use confab_domain::channels::channel_message::PartState;
use confab_domain::ids::{ID_END, MessageId, RoomId};
use confab_store::{PageEntry, Store, StoreError};
use confab_wire::omnichannel_api::support::conversation::ConversationPart;

/// One page of a room's messages, oldest first, and the positions of the pages before and after it.
pub struct ConversationPage {
    pub messages: Vec<PageEntry>,
    pub before: Option<MessageId>,
    pub after: Option<MessageId>,
    /// Ids of the messages on the page that were edited.
    pub edited: Vec<MessageId>,
    /// Delivery states of the messages on the page that were sent through a provider.
    pub states: Vec<PartState>,
}

/// Reads a page of a conversation.
pub async fn find(
    store: &Store,
    room: RoomId,
    part: ConversationPart,
    size: usize,
) -> Result<ConversationPage, StoreError> {
    let mut page = found(store, room, part, size).await?;
    if let Some(ends) = first(&page.messages).zip(last(&page.messages)) {
        page.edited = store.edited(room, ends).await?;
        page.states = store.message_states(room, ends).await?;
    }
    Ok(page)
}

async fn found(
    store: &Store,
    room: RoomId,
    part: ConversationPart,
    size: usize,
) -> Result<ConversationPage, StoreError> {
    let place = Place { store, room };
    match part {
        ConversationPart::Newest => {
            let (messages, before) = place.up_to(None, size).await?;
            Ok(ConversationPage {
                messages,
                before,
                after: None,
                edited: Vec::new(),
                states: Vec::new(),
            })
        }
        ConversationPart::Before(id) => {
            let (messages, before) = place.up_to(Some(MessageId(id.0 - 1)), size).await?;
            let after = last(&messages);
            Ok(ConversationPage { messages, before, after, edited: Vec::new(), states: Vec::new() })
        }
        ConversationPart::After(id) => {
            let (messages, after) = place.from(id, size).await?;
            let before = first(&messages);
            Ok(ConversationPage { messages, before, after, edited: Vec::new(), states: Vec::new() })
        }
        ConversationPart::Around(id) => {
            let (mut messages, before) = place.up_to(Some(id), size.div_ceil(2)).await?;
            let (newer, after) = place.from(id, size / 2).await?;
            messages.extend(newer);
            Ok(ConversationPage { messages, before, after, edited: Vec::new(), states: Vec::new() })
        }
    }
}

struct Place<'a> {
    store: &'a Store,
    room: RoomId,
}

impl Place<'_> {
    /// Reads the newest messages up to the id `newest`, oldest first. Also returns the id of the
    /// first one read if there are older messages.
    async fn up_to(
        &self,
        newest: Option<MessageId>,
        size: usize,
    ) -> Result<(Vec<PageEntry>, Option<MessageId>), StoreError> {
        let newest = newest.unwrap_or(MessageId(ID_END));
        let mut messages = self.store.all_up_to(self.room, newest, size + 1).await?;
        let has_older = messages.len() > size;
        messages.truncate(size);
        messages.reverse();
        let before = first(&messages).filter(|_| has_older);
        Ok((messages, before))
    }

    /// Reads the messages after an id, oldest first. Also returns the id of the last one read if
    /// there are newer messages.
    async fn from(
        &self,
        after: MessageId,
        size: usize,
    ) -> Result<(Vec<PageEntry>, Option<MessageId>), StoreError> {
        let mut messages = self.store.all_after(self.room, after, size + 1).await?;
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
