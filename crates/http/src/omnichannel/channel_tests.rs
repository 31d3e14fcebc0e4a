//! `POST /api/v2/custom_channels/{id}/test`: tests a custom channel in either direction
//! (design/channels).

use axum::extract::{Path, State};
use confab_app::actions;
use confab_app::services::Services;
use confab_domain::channels::channel::{Channel, ChannelKind};
use confab_domain::refusal::Refusal;
use confab_domain::webhooks::trying::TryChannel;
use confab_wire::omnichannel_api::channels::testing::{
    ChannelTestBox, Direction, TestChannelFields, made_up, read_direction, tested_in, tested_out,
};
use confab_wire::webhook_api::Data;

use super::channels::channel_of_path;
use crate::calls::calls;
use crate::requests::access::Admins;
use crate::requests::bodies::{OmnichannelBody, WebhookDepth};
use crate::requests::callers::By;
use crate::requests::quotas::count_message;
use crate::responses::answer::{Answer, data};

calls! {
    "Channels";
    /// Post as a test customer, or send an example to the channel's gateway
    POST "/api/v2/custom_channels/{id}/test" test_custom_channel = test [403 404 409];
}

async fn test(
    State(services): State<Services>,
    caller: By<Admins>,
    WebhookDepth(depth): WebhookDepth,
    Path(id): Path<String>,
    body: OmnichannelBody<TestChannelFields>,
) -> Answer<Data<ChannelTestBox>> {
    let (app, id) = (&caller.app, channel_of_path(&id)?);
    let direction = read_direction(body.fields())?;
    let channels = services.store().channels(app.id).await?;
    let is_it = |it: &Channel| it.id == id && it.kind == ChannelKind::Custom;
    let channel = channels.into_iter().find(is_it).ok_or(Refusal::ChannelNotFound(id.0))?;
    if !channel.is_active {
        return Err(Refusal::ChannelOff(channel.name).into());
    }
    match direction {
        Direction::In => {
            let (visitor, draft) = made_up(channel.id);
            count_message(&services, app.id, &draft.sender)?;
            let received = actions::receive_from_channel(
                services.decisions(),
                &caller,
                &channel,
                visitor,
                draft,
                depth,
            );
            data(tested_in(received.await?.customer_room.room))
        }
        Direction::Out => {
            let rule = TryChannel { channel: channel.id };
            data(tested_out(services.decisions().decide_after(depth, &caller, rule).await?))
        }
    }
}
