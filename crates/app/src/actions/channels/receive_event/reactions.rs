//! Reactions to messages, and presses of buttons, such as ratings.

use confab_domain::ids::MessageId;
use confab_domain::json_text::JsonText;
use confab_domain::messages::message::Message;
use confab_domain::messages::payload::Payload;
use confab_providers::{
    self as providers, Contact, DraftContent, Press, PressedButton, Provider, ProviderEvent,
    Reaction,
};
use serde_json::json;

use super::{EventFailure, Handling, never};

impl Handling<'_> {
    /// Posts a reaction without opening a session.
    pub(super) async fn react(
        &self,
        by: &Contact,
        event: &ProviderEvent,
        reaction: &Reaction,
    ) -> Result<(), EventFailure> {
        let Some(emoji) = &reaction.emoji else { return Ok(()) };
        let admitted = self.admit(by, None).await?;
        let room = admitted.customer_room.room;
        let to = self.message_named(Some(&reaction.to)).await?.filter(|it| it.room == room);
        let to = to.map(|it| it.message.0);
        let content = json!({"emoji": emoji, "replied_comment_id": to});
        let json = json!({"type": "reaction", "content": content}).to_string();
        let payload = Payload::Custom(JsonText::from_checked(json));
        let content = DraftContent { text: emoji.clone(), payload, extras: None };
        let external = self.external(&event.key, 0);
        self.receive(by, admitted, content, (external, None), true, true).await
    }

    pub(super) async fn press(&self, by: &Contact, press: &Press) -> Result<(), EventFailure> {
        let message = match press.button {
            PressedButton::Ours { message, .. } => self.message_to(by, message).await?,
            PressedButton::Foreign(_) => None,
        };
        // Telegram clients may send arbitrary button data (channel facts 4.1).
        if self.linked.provider == Provider::Telegram && !press.is_of_button(message.as_ref()) {
            return Err(never("The pressed button was never sent."));
        }
        let content = providers::pressed(press, message.as_ref(), confab_wire::rating_in_button);
        let admitted = self.admit(by, Some(&content)).await?;
        let names = (self.external(&press.id, 0), None);
        self.receive(by, admitted, content, names, false, true).await
    }

    /// Returns the message with this id if it is in the customer's newest room. A customer may
    /// press a button of a message even after the room's session has ended.
    async fn message_to(
        &self,
        by: &Contact,
        id: MessageId,
    ) -> Result<Option<Message>, EventFailure> {
        let (store, linked) = (self.services.store(), self.linked);
        let (user_id, _) = self.identified(by).await?;
        match store.room_of_customer(linked.app.id, linked.channel.id, &user_id).await? {
            Some(room) => self.message(room.room, id).await,
            None => Ok(None),
        }
    }
}
