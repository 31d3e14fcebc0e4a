//! Starting conversations with customers who have not written (D-0157).

use std::collections::BTreeSet;

use axum::extract::State;
use confab_app::actions::{self, Recipient, Starter};
use confab_app::channels::linked::LinkedChannel;
use confab_app::services::Services;
use confab_domain::ids::ChannelId;
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::refusal::Refusal;
use confab_runtime::clock;
use confab_store::WriteError;
use confab_wire::omnichannel_api::channels::starting::{
    BroadcastOutcome, BroadcastShape, ClientBroadcastFields, StartConversationFields, broadcast,
    read_broadcast, read_start,
};
use confab_wire::omnichannel_api::channels::templates::template_draft;
use confab_wire::omnichannel_api::support::rooms::CustomerRoomBox;
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::omnichannel::providers::templates::{answered_channel, linked, speaker};
use crate::omnichannel::support::inbox::one;
use crate::requests::access::{Access, Admins, Everyone};
use crate::requests::bodies::{IdempotencyKey, OmnichannelBody, WebhookDepth};
use crate::requests::callers::By;
use crate::requests::quotas::count_message;
use crate::responses::answer::{Answer, data};
use crate::responses::problem::Problem;

calls! {
    "Channels";
    /// Start a conversation with a customer, and assign it to the caller
    POST "/api/v2/customer_rooms/start" start_conversation = start [403 404 409];
    /// Send a template to one or many phone numbers, each in its own room
    POST "/api/v3/admin/broadcast/client" broadcast_to_clients = send_to_many [403 404 409];
}

async fn start(
    State(services): State<Services>,
    caller: By<Everyone>,
    key: IdempotencyKey,
    WebhookDepth(depth): WebhookDepth,
    body: OmnichannelBody<StartConversationFields>,
) -> Answer<Data<CustomerRoomBox<'static>>> {
    let wanted = read_start(body.fields(), key.as_deref())?;
    let linked = open_channel(&services, &caller, wanted.channel).await?;
    let number = actions::typed_number(&linked, &wanted.number).map_err(Refusal::from)?;
    let filled = actions::fill_template(&services, &linked, &wanted.template).await?;
    let (sender, answerer) = speaker(&services, &caller, None).await?;
    let draft = template_draft(&filled, sender, wanted.unique_id);
    count_message(&services, caller.app.id, &draft.sender)?;
    let to = Recipient { number, name: wanted.name };
    let template = filled.content.clone();
    let starter = Starter { answerer, by: &caller, depth, serves: true, template };
    let posted =
        actions::start_conversation(services.decisions(), &linked, to, draft, starter).await?;
    one(services.decisions(), &caller.app, caller.agent.as_ref(), posted.message.room).await
}

async fn send_to_many(
    State(services): State<Services>,
    caller: By<Admins>,
    key: IdempotencyKey,
    WebhookDepth(depth): WebhookDepth,
    body: OmnichannelBody<ClientBroadcastFields>,
) -> Answer<Data<BroadcastShape<'static>>> {
    let now = clock::now();
    let wanted = read_broadcast(body.fields(), key.as_deref(), now)?;
    let linked = open_channel(&services, &caller, wanted.channel).await?;
    let numbers = wanted.numbers.iter().map(|it| actions::typed_number(&linked, it));
    // A number that is listed several times gets one message.
    let numbers: BTreeSet<_> = numbers.collect::<Result<_, _>>().map_err(Refusal::from)?;
    let filled = actions::fill_template(&services, &linked, &wanted.template).await?;
    let (sender, answerer) = speaker(&services, &caller, None).await?;
    let template = filled.content.clone();
    let starter = Starter { answerer, by: &caller, depth, serves: false, template };
    let mut outcomes = Vec::new();
    for number in numbers {
        let unique_id = wanted.unique_id.as_ref().map(|it| of_number(it, &number));
        let draft = template_draft(&filled, sender.clone(), unique_id);
        let to = Recipient { number: number.clone(), name: None };
        let counted = count_message(&services, caller.app.id, &draft.sender);
        let posted = match (counted, outcomes.is_empty()) {
            // Nothing was sent yet, so the whole call fails.
            (Err(problem), true) => return Err(problem),
            (Err(_), false) => Err("too many messages at once; try again later".to_owned()),
            (Ok(()), _) => {
                let starter = starter.clone();
                match actions::start_conversation(services.decisions(), &linked, to, draft, starter)
                    .await
                {
                    Ok(posted) => Ok(posted),
                    Err(WriteError::Refused(refusal)) => Err(refusal.to_string()),
                    Err(failed) if outcomes.is_empty() => return Err(failed.into()),
                    Err(_) => {
                        Err("the server could not store the message; send it again".to_owned())
                    }
                }
            }
        };
        outcomes.push(BroadcastOutcome { number, posted });
    }
    data(broadcast(now.0, &outcomes, &wanted.template.values.body))
}

/// Derives the unique id of the message to a phone number from the unique id of the broadcast, so
/// that a repeated broadcast finds the messages that it already posted.
fn of_number(unique_id: &UniqueId, number: &str) -> UniqueId {
    UniqueId::from_stored(format!("{}.{number}", unique_id.as_str()))
}

/// Returns a channel through which the caller may start conversations. Fails if the channel is
/// inactive, or if its provider does not allow it.
async fn open_channel(
    services: &Services,
    caller: &By<impl Access>,
    id: ChannelId,
) -> Result<LinkedChannel, Problem> {
    let channel = answered_channel(services.store(), caller, id).await?;
    if !channel.is_active {
        return Err(Refusal::ChannelOff(channel.name).into());
    }
    match channel.kind.may_write_first() {
        true => linked(services, &channel).await,
        false => Err(Refusal::CannotStart.into()),
    }
}
