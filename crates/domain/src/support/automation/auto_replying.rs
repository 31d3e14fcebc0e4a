//! Sending of automatic replies inside and outside office hours (design/support).
//!
//! The module `receiving` calls it while it decides on the customer's message, so the reply is
//! stored in the same transaction as the message.

use crate::app::App;
use crate::audit::deed::AuditAction;
use crate::audit::differences::Differences;
use crate::audit::entry::AuditTarget;
use crate::decision::change::{Change, SupportChange};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::{BeforeQuestion, OmnichannelQuestion, Question};
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::ChannelId;
use crate::refusal::Refusal;
use crate::support::automation::auto_reply::AutoReplies;
use crate::support::automation::office_hours::OfficeHours;
use crate::support::conversations::answering;
use crate::support::conversations::support_room::SupportRoom;
use crate::support::settings::Settings;

/// Posts and sends the automatic reply to a customer's message, if one applies.
pub(crate) fn reply(
    serving: &mut SupportRoom<'_>,
    context: &Context,
    facts: &Facts,
    is_new_session: bool,
    stamp: &Stamp<'_>,
) -> Result<(), Refusal> {
    let auto_replies = facts.omni.auto_replies.of(serving.now.channel);
    if auto_replies == AutoReplies::default() {
        return Ok(());
    }
    let settings = &facts.omni.settings;
    let zone = settings.get(Settings::TIMEZONE).unwrap_or_default();
    let time = (context.renderers.local_time)(zone, stamp.now);
    let is_first = serving.before.customer_room.session.is_none();
    let text = if settings.office_hours().is_open(time) {
        let again = auto_replies.is_online_if_resolved.unwrap_or(false);
        auto_replies.online_text.filter(|_| is_new_session && (is_first || again))
    } else {
        let each = auto_replies.is_offline_each_message.unwrap_or(false);
        auto_replies.offline_text.filter(|_| is_new_session || each)
    };
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(()) };
    let differences = serving.post_text(text)?;
    answering::deliver(serving, context, answering::Answerer::Bot, &differences);
    Ok(())
}

/// Changes the office hours and the app's automatic replies. Fields that are `None` keep their
/// value.
#[derive(Debug, Clone, Default)]
pub struct SetOffice {
    /// Name of a time zone in the server's database, or an offset from UTC.
    pub timezone: Option<String>,
    pub hours: Option<OfficeHours>,
    pub auto_replies: AutoReplies,
}

impl Rule for SetOffice {
    type Outcome = ();

    fn question(&self, _: &App) -> Question {
        let omni = OmnichannelQuestion {
            finds_settings: true,
            locks_settings: true,
            before: Some(BeforeQuestion::AutoReplies),
            ..OmnichannelQuestion::default()
        };
        Question { omni: Some(omni), ..Question::default() }
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<()>, Refusal> {
        let hours = self.hours.clone().map(|hours| hours.set(stamp.now));
        let settings = [
            (Settings::TIMEZONE, self.timezone.clone()),
            (Settings::OFFICE_HOURS, hours.as_ref().map(OfficeHours::stored)),
        ];
        let mut changes: Vec<Change> = Vec::new();
        let before = &facts.omni.before.auto_replies.of_app;
        let mut differences = differences(before, &self.auto_replies);
        for (name, value) in settings {
            if let Some(value) = &value {
                let before = facts.omni.settings.get(name);
                differences = differences.of(name, before, Some(value.as_str()));
            }
            let name = name.to_owned();
            changes.extend(
                value.map(|value| {
                    Change::from(SupportChange::SetSetting { name, value: Some(value) })
                }),
            );
        }
        let auto_replies = self.auto_replies.clone();
        changes.push(SupportChange::PutAutoReplies { channel: None, auto_replies }.into());
        let (deed, target) =
            (AuditAction::OfficeHoursChanged, AuditTarget::nameless("office_hours", ""));
        changes.extend(context.audited_change(stamp, deed, target, differences));
        Ok(Decision::new(changes, ()))
    }
}

/// Returns the differences between the stored and the new replies, for the audit log.
fn differences(before: &AutoReplies, replies: &AutoReplies) -> Differences {
    let after = replies.clone().or(before);
    let (was, is) = (before.is_online_if_resolved, after.is_online_if_resolved);
    let (was_each, is_each) = (before.is_offline_each_message, after.is_offline_each_message);
    Differences::default()
        .text("online_message", before.online_text.as_deref(), after.online_text.as_deref())
        .text("offline_message", before.offline_text.as_deref(), after.offline_text.as_deref())
        .of("send_online_if_resolved", was, is)
        .of("send_offline_each_message", was_each, is_each)
}

/// Changes the automatic replies of one channel. Fields that are `None` keep their value.
pub struct SetChannelReplies {
    pub channel: ChannelId,
    pub auto_replies: AutoReplies,
}

impl Rule for SetChannelReplies {
    type Outcome = ();

    fn question(&self, _: &App) -> Question {
        let (channels, before) = (vec![self.channel], Some(BeforeQuestion::AutoReplies));
        let omni = OmnichannelQuestion { channels, before, ..OmnichannelQuestion::default() };
        Question { omni: Some(omni), ..Question::default() }
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<()>, Refusal> {
        let channel = self.channel;
        let found = facts.omni.channels.iter().find(|it| it.id == channel);
        let found = found.ok_or(Refusal::ChannelNotFound(channel.0))?;
        let auto_replies = self.auto_replies.clone();
        let change = SupportChange::PutAutoReplies { channel: Some(channel), auto_replies };
        let target = AuditTarget::new("channel", found.id, &found.name);
        let before = facts.omni.before.auto_replies.own(channel);
        let differences = differences(&before, &self.auto_replies);
        let entry = context.audited_change(stamp, AuditAction::ChannelChanged, target, differences);
        Ok(Decision::new(vec![change.into()], ()).also(entry))
    }
}
