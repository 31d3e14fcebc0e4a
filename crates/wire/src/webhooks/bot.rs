//! The bot webhook (spec 2.5, wire facts 6.1).

use confab_domain::webhooks::event::{Bot, MessageSource};
use serde::Serialize;
use utoipa::ToSchema;

use super::channel::ChannelShape;
use super::message::{MessageShape, SenderShape};
use super::room::WebhookRoomShape;

#[derive(Serialize, ToSchema)]
#[schema(as = WebhookBotBody)]
pub(super) struct BotBody<'a> {
    app_code: &'a str,
    channel: ChannelShape<'a>,
    payload: BotPayload<'a>,
    r#type: &'static str,
}

#[derive(Serialize, ToSchema)]
#[schema(as = WebhookBotPayload)]
struct BotPayload<'a> {
    from: SenderShape<'a>,
    message: MessageShape<'a>,
    room: WebhookRoomShape<'a>,
    r#type: &'static str,
}

impl<'a> From<&'a Bot> for BotBody<'a> {
    fn from(bot: &'a Bot) -> Self {
        let r#type = type_of(bot.message_source);
        let payload = BotPayload {
            from: (&*bot.customer).into(),
            message: (&bot.message).into(),
            room: (&bot.room).into(),
            r#type,
        };
        Self { app_code: bot.app.as_str(), channel: (&bot.channel).into(), payload, r#type }
    }
}

pub(super) fn type_of(message_source: MessageSource) -> &'static str {
    match message_source {
        MessageSource::Client => "post_comment_mobile",
        MessageSource::MessageApi => "post_comment_rest",
    }
}
