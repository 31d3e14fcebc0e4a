//! Rules that create, change and delete custom channels and the widget channel.
//!
//! The endpoint that receives a channel's replies changes together with the channel.

use crate::app::App;
use crate::audit::deed::AuditAction;
use crate::audit::differences::Differences;
use crate::audit::entry::AuditTarget;
use crate::channels::channel::{Channel, ChannelKind};
use crate::decision::change::{Change, ChannelChange};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::{OmnichannelQuestion, Question};
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::field_problem::FieldProblem;
use crate::ids::ChannelId;
use crate::limits;
use crate::refusal::Refusal;
use crate::webhooks::delivery::Lane;
use crate::webhooks::endpoint::DeliveryPolicy;
use crate::webhooks::event_kind::EventKind;
use crate::webhooks::subscribing::{self, EndpointInput};

/// The fields of a channel to be stored. Fields that are `None` keep their value. No `Debug`: it
/// holds a key.
#[derive(Clone, Default)]
pub struct ChannelInput {
    /// Display name.
    pub name: Option<String>,
    /// URL to which replies are sent, already checked; an empty string removes it.
    pub webhook_url: Option<String>,
    /// Key with which the gateway authenticates.
    pub identifier_key: Option<String>,
    /// Whether the channel receives and sends messages.
    pub is_active: Option<bool>,
    /// URL of a picture.
    pub logo_url: Option<String>,
}

/// Creates a custom channel. No `Debug`: it holds a key.
pub struct ConnectChannel {
    pub wanted: ChannelInput,
    /// Key that is used if `wanted` has none.
    pub new_key: String,
}

impl Rule for ConnectChannel {
    type Outcome = Channel;

    fn question(&self, app: &App) -> Question {
        question(app)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Channel>, Refusal> {
        may_have_another(facts)?;
        let channel = blank(context, ChannelKind::Custom, &self.new_key, stamp);
        let decision = put(context, facts, as_wanted(&channel, &self.wanted), stamp)?;
        let entry = created(context, &decision.outcome, stamp);
        Ok(decision.also([entry]))
    }
}

/// Changes a custom channel or the widget's channel. No `Debug`: it holds a key.
pub struct ChangeChannel {
    pub channel: ChannelId,
    pub wanted: ChannelInput,
}

impl Rule for ChangeChannel {
    type Outcome = Channel;

    fn question(&self, app: &App) -> Question {
        question(app)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Channel>, Refusal> {
        let before = found(facts, self.channel)?;
        if before.kind.is_service() {
            return Err(Refusal::ChannelNotFound(self.channel.0));
        }
        let after = as_wanted(before, &self.wanted);
        if after.kind == ChannelKind::Widget && after.webhook_url.is_some() {
            let problem = "must be empty for a widget channel";
            return Err(FieldProblem::new("webhook_url", problem).into());
        }
        if after == *before {
            return Ok(Decision::nothing(after));
        }
        let entries = changed(context, before, &after, stamp);
        Ok(put(context, facts, after, stamp)?.also(entries))
    }
}

/// Deletes a custom channel. Its rooms and messages stay.
pub struct DisconnectChannel {
    pub channel: ChannelId,
}

impl Rule for DisconnectChannel {
    type Outcome = Channel;

    fn question(&self, app: &App) -> Question {
        question(app)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Channel>, Refusal> {
        let before = found(facts, self.channel)?;
        if before.kind != ChannelKind::Custom {
            return Err(Refusal::ChannelNotFound(self.channel.0));
        }
        let deleted_at = Some(stamp.now);
        let gone = Channel { is_active: false, deleted_at, ..before.clone() };
        let was = Differences::default().was("name", &*before.name);
        let entry = context.audited(stamp, AuditAction::ChannelDeleted, target(before), was);
        Ok(put(context, facts, gone, stamp)?.also([entry]))
    }
}

/// Returns the app's widget channel, and creates it if the app has none. No `Debug`: it holds a
/// key.
pub struct ConnectWidget {
    pub new_key: String,
}

impl Rule for ConnectWidget {
    type Outcome = Channel;

    fn question(&self, app: &App) -> Question {
        question(app)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Channel>, Refusal> {
        let known = facts.omni.channels.iter().find(|it| it.kind == ChannelKind::Widget);
        if let Some(known) = known {
            return Ok(Decision::nothing(known.clone()));
        }
        let channel = blank(context, ChannelKind::Widget, &self.new_key, stamp);
        let channel = Channel { name: "Widget".to_owned(), ..channel };
        let entry = created(context, &channel, stamp);
        Ok(put(context, facts, channel, stamp)?.also([entry]))
    }
}

/// Returns the question for the facts that the rules of this module need. They all use the lane of
/// the app, so that their changes of endpoints do not run concurrently.
fn question(app: &App) -> Question {
    Question {
        endpoints: Some((Lane(app.id.0), vec![EventKind::ChannelMessage])),
        omni: Some(OmnichannelQuestion { finds_channels: true, ..OmnichannelQuestion::default() }),
        ..Question::default()
    }
}

/// Fails if the app already has the maximum number of channels of all kinds.
pub(super) fn may_have_another(facts: &Facts) -> Result<(), Refusal> {
    let channels_max = limits::CHANNELS_MAX;
    if facts.omni.channels.len() >= channels_max {
        return Err(Refusal::TooManyChannels { channels_max });
    }
    Ok(())
}

pub(super) fn blank(context: &Context, kind: ChannelKind, key: &str, stamp: &Stamp<'_>) -> Channel {
    Channel {
        id: ChannelId(stamp.next_id()),
        app: context.app.id,
        kind,
        name: String::new(),
        is_active: true,
        identifier_key: key.to_owned(),
        webhook_url: None,
        logo_url: None,
        phone: String::new(),
        created_at: stamp.now,
        updated_at: stamp.now,
        deleted_at: None,
    }
}

fn as_wanted(before: &Channel, wanted: &ChannelInput) -> Channel {
    let ChannelInput { name, webhook_url, identifier_key, is_active, logo_url } = wanted.clone();
    let or_nowhere = |url: Option<String>, before: &Option<String>| match url {
        Some(url) => Some(url).filter(|url| !url.is_empty()),
        None => before.clone(),
    };
    Channel {
        name: name.unwrap_or_else(|| before.name.clone()),
        webhook_url: or_nowhere(webhook_url, &before.webhook_url),
        identifier_key: identifier_key.unwrap_or_else(|| before.identifier_key.clone()),
        is_active: is_active.unwrap_or(before.is_active),
        logo_url: or_nowhere(logo_url, &before.logo_url),
        ..before.clone()
    }
}

pub(super) fn target(channel: &Channel) -> AuditTarget {
    AuditTarget::new("channel", channel.id, &channel.name)
}

fn created(context: &Context, channel: &Channel, stamp: &Stamp<'_>) -> Change {
    let made = Differences::default().now("name", &*channel.name).address(
        "webhook_url",
        None,
        channel.webhook_url.as_deref(),
    );
    context.audited(stamp, AuditAction::ChannelCreated, target(channel), made)
}

/// Returns the audit entries of a changed channel. A changed key gets a separate entry without the
/// key.
fn changed(
    context: &Context,
    before: &Channel,
    after: &Channel,
    stamp: &Stamp<'_>,
) -> impl Iterator<Item = Change> + use<> {
    let differences = Differences::default()
        .of("name", &*before.name, &*after.name)
        .of("is_active", before.is_active, after.is_active)
        .address("webhook_url", before.webhook_url.as_deref(), after.webhook_url.as_deref())
        .address("logo_url", before.logo_url.as_deref(), after.logo_url.as_deref());
    let deed = AuditAction::ChannelChanged;
    let changed = context.audited_change(stamp, deed, target(before), differences);
    let key = Differences::default();
    let key = key.secret("identifier_key", before.identifier_key != after.identifier_key);
    let rotated =
        context.audited_change(stamp, AuditAction::ChannelKeyRotated, target(before), key);
    changed.into_iter().chain(rotated)
}

pub(super) fn found(facts: &Facts, channel: ChannelId) -> Result<&Channel, Refusal> {
    let known = facts.omni.channels.iter().find(|it| it.id == channel);
    known.ok_or(Refusal::ChannelNotFound(channel.0))
}

fn put(
    context: &Context,
    facts: &Facts,
    channel: Channel,
    stamp: &Stamp<'_>,
) -> Result<Decision<Channel>, Refusal> {
    if is_key_taken(facts, &channel) {
        return Err(Refusal::ChannelKeyTaken);
    }
    let channel = Channel { updated_at: stamp.now, ..channel };
    let mut changes = vec![ChannelChange::Put(channel.clone()).into()];
    if let Some(wanted) = wanted_endpoint(facts, &channel) {
        let name = channel.id.to_string();
        let put = subscribing::put_named(facts, &context.app, &wanted, &name, stamp);
        changes.extend(put.changes);
    }
    Ok(Decision::new(changes, channel))
}

/// Whether another channel has the same key.
pub(super) fn is_key_taken(facts: &Facts, channel: &Channel) -> bool {
    let mut others = facts.omni.channels.iter().filter(|it| it.id != channel.id);
    others.any(|it| it.identifier_key == channel.identifier_key)
}

/// Returns the endpoint for a channel's replies; `None` if the channel never had a URL.
fn wanted_endpoint(facts: &Facts, channel: &Channel) -> Option<EndpointInput> {
    let kind = EventKind::ChannelMessage;
    let before = subscribing::found(facts, kind, &channel.id.to_string());
    let policy = before.as_ref().map_or_else(DeliveryPolicy::default, |before| before.policy);
    let is_enabled = channel.is_active && channel.webhook_url.is_some();
    let url = channel.webhook_url.clone().or(before.map(|before| before.url.clone()))?;
    Some(EndpointInput { kind, url, is_enabled, policy })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::change::WebhookChange;
    use crate::example::decided;

    fn wanted(url: &str) -> ChannelInput {
        let (name, webhook_url) = (Some("SMS".to_owned()), Some(url.to_owned()));
        ChannelInput { name, webhook_url, ..ChannelInput::default() }
    }

    fn connect(facts: &Facts, url: &str) -> Result<Decision<Channel>, Refusal> {
        let rule = ConnectChannel { wanted: wanted(url), new_key: "key-1".to_owned() };
        decided(facts, &rule)
    }

    fn connected(url: &str) -> Decision<Channel> {
        connect(&Facts::default(), url).unwrap_or_else(|refused| panic!("{refused}"))
    }

    fn with(channel: Channel) -> Facts {
        let mut facts = Facts::default();
        facts.omni.channels.push(channel);
        facts
    }

    #[test]
    fn a_channel_with_a_url_has_an_endpoint_named_after_it() {
        let created = connected("https://gateway.example/");
        let Some(Change::Webhook(WebhookChange::PutEndpoint(endpoint))) = created.changes.get(1)
        else {
            panic!("the change stores an endpoint")
        };
        assert_eq!(endpoint.name, created.outcome.id.to_string());
        assert!(endpoint.is_enabled && endpoint.kind == EventKind::ChannelMessage);
        assert_eq!(connected("").changes.len(), 2, "the channel and the audit entry only");
    }

    #[test]
    fn the_endpoint_is_disabled_with_its_channel() {
        let facts = with(connected("https://gateway.example/").outcome);
        let id = facts.omni.channels[0].id;
        let off = ChannelInput { is_active: Some(false), ..ChannelInput::default() };
        let changed = decided(&facts, &ChangeChannel { channel: id, wanted: off });
        let deleted = decided(&facts, &DisconnectChannel { channel: id });
        for decision in [changed, deleted] {
            let Ok(Decision { changes, .. }) = decision else { panic!("the rule does not refuse") };
            let Some(Change::Webhook(WebhookChange::PutEndpoint(endpoint))) = changes.get(1) else {
                panic!("the change stores an endpoint")
            };
            assert!(!endpoint.is_enabled);
        }
    }

    #[test]
    fn channel_keys_are_unique_and_unknown_channels_are_not_found() {
        let facts = with(Channel { id: ChannelId(7), ..connected("").outcome });
        let refused = |decision: Result<Decision<Channel>, Refusal>| decision.err();
        assert_eq!(refused(connect(&facts, "")), Some(Refusal::ChannelKeyTaken));
        let unknown = decided(&facts, &DisconnectChannel { channel: ChannelId(5) });
        assert_eq!(refused(unknown), Some(Refusal::ChannelNotFound(5)));
    }
}
