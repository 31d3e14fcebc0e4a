//! WhatsApp templates, which can be sent to customers at any time (design/channels).

use axum::extract::{Path, State};
use axum::http::StatusCode;
use confab_app::actions::{self, TemplateRefused};
use confab_app::channels::linked::LinkedChannel;
use confab_app::channels::templates::NoTemplates;
use confab_app::services::Services;
use confab_domain::channels::channel::Channel;
use confab_domain::ids::{ChannelId, RoomId};
use confab_domain::people::user::{UserId, UserRef};
use confab_domain::refusal::Refusal;
use confab_domain::support::conversations::answering::{AnswerCustomer, Answerer, SendTemplate};
use confab_domain::support::conversations::customer_room::AgentRecord;
use confab_domain::support::conversations::seeing;
use confab_queries::customer_rooms::seen_room;
use confab_store::Store;
use confab_wire::message_api::comments::{CommentBox, posted};
use confab_wire::omnichannel_api::channels::templates::{
    SendTemplateFields, TemplateList, TemplateRequest, template_draft, template_list,
};
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::omnichannel::channels::channel_of_path;
use crate::omnichannel::room_in_path;
use crate::requests::access::{Access, Everyone};
use crate::requests::bodies::{IdempotencyKey, OmnichannelBody, WebhookDepth};
use crate::requests::callers::By;
use crate::requests::quotas::count_message;
use crate::responses::answer::{Answer, data};
use crate::responses::problem::Problem;

calls! {
    "Channels";
    /// List the approved templates of a channel
    GET "/api/v2/channels/{id}/templates" list_channel_templates = list [404 409];
    /// Send a template to a customer, even after the messaging window closed
    POST "/api/v2/customer_rooms/{room_id}/templates" send_template = send [403 404 409];
}

async fn list(
    State(services): State<Services>,
    caller: By<Everyone>,
    Path(id): Path<String>,
) -> Answer<Data<TemplateList<'static>>> {
    let id = channel_of_path(&id)?;
    let channel = answered_channel(services.store(), &caller, id).await?;
    let linked = linked(&services, &channel).await?;
    let templates = linked.templates(&services).await?;
    data(template_list(&templates))
}

async fn send(
    State(services): State<Services>,
    caller: By<Everyone>,
    key: IdempotencyKey,
    WebhookDepth(depth): WebhookDepth,
    Path(room): Path<String>,
    body: OmnichannelBody<SendTemplateFields>,
) -> Answer<Data<CommentBox<'static>>> {
    let (app, agent, room) = (&caller.app, caller.agent.as_ref(), room_in_path(&room)?);
    let wanted = TemplateRequest::read(body.fields(), key.as_deref())?;
    let TemplateRequest { template, unique_id } = wanted;
    seen_room(services.store(), app, agent, room).await?;
    let customer = services.store().customer_of_room(app.id, room).await?;
    let (_, channel) = customer.ok_or_else(|| Refusal::NotACustomerRoom(room.to_string()))?;
    if !channel.is_active {
        return Err(Refusal::ChannelOff(channel.name).into());
    }
    let linked = linked(&services, &channel).await?;
    let filled = actions::fill_template(&services, &linked, &template).await?;
    let (sender, answerer) = speaker(&services, &caller, Some(room)).await?;
    let draft = template_draft(&filled, sender, unique_id);
    count_message(&services, app.id, &draft.sender)?;
    let template = filled.content.clone();
    let rule = SendTemplate { answer: AnswerCustomer { room, draft, answerer }, template };
    let message = services.decisions().decide_after(depth, &caller, rule).await?;
    data(posted(&message))
}

/// Returns a channel in which the caller may reply: agents in the channels that they serve, other
/// callers in all channels of the app.
pub(crate) async fn answered_channel(
    store: &Store,
    caller: &By<impl Access>,
    id: ChannelId,
) -> Result<Channel, Problem> {
    let agent = caller.agent.as_ref();
    let limited = agent.filter(|it| seeing::limited(Some(&it.profile.user)).is_some());
    let is_theirs = limited.is_none_or(|it| it.serves_channel(id));
    let channels = store.channels(caller.app.id).await?;
    let found = channels.into_iter().find(|it| it.id == id && is_theirs);
    found.ok_or_else(|| Refusal::ChannelNotFound(id.0).into())
}

/// Loads a channel with its provider account. Fails for channels without a provider, because they
/// have no templates.
pub(crate) async fn linked(
    services: &Services,
    channel: &Channel,
) -> Result<LinkedChannel, Problem> {
    let linked = LinkedChannel::load(services, channel.id).await?;
    linked.ok_or_else(|| NoTemplates::OtherKind.into())
}

/// Returns the user as whom the caller posts: the agent's user, or the app's bot user if the app
/// made the request.
pub(crate) async fn speaker(
    services: &Services,
    caller: &By<impl Access>,
    room: Option<RoomId>,
) -> Result<(UserRef, Answerer), Problem> {
    if let Some(agent) = &caller.agent {
        let AgentRecord { profile, .. } = agent;
        let sender = UserRef::own(profile.sdk_user.clone());
        return Ok((sender, Answerer::Staff(profile.user.id)));
    }
    let named = format!("{}_admin@bot", caller.app.code.as_str());
    let named = UserId::parse("sender_email", &named).map_err(Refusal::from)?;
    let room = room.unwrap_or(RoomId(0));
    let sender = actions::bot_user(services, caller, room, named).await?;
    Ok((sender, Answerer::Bot))
}

impl From<TemplateRefused> for Problem {
    fn from(refused: TemplateRefused) -> Self {
        match refused {
            TemplateRefused::None(none) => none.into(),
            TemplateRefused::Wrong(problems) => Refusal::Invalid(problems).into(),
        }
    }
}

impl From<NoTemplates> for Problem {
    fn from(none: NoTemplates) -> Self {
        match none {
            NoTemplates::OtherKind => {
                let message =
                    "Channels of this kind have no templates. Only WhatsApp channels have them.";
                Self::new(StatusCode::CONFLICT, "no_templates", message)
            }
            NoTemplates::NoBusiness => {
                let message = "The channel's business account is not set, so its templates cannot \
                    be read. Set business_id of the channel.";
                Self::new(StatusCode::CONFLICT, "no_business_account", message)
            }
            NoTemplates::Refused(why) => {
                let message = format!("WhatsApp refused to list the templates: {why}");
                Self::new(StatusCode::CONFLICT, "service_refused", message)
            }
            NoTemplates::NotNow => {
                let message =
                    "WhatsApp cannot be reached, so the templates cannot be read. Try again.";
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "service_unreachable", message)
                    .retry_after(RETRY_AFTER_S)
            }
        }
    }
}

const RETRY_AFTER_S: u64 = 5;
