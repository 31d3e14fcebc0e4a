//! Office hours and automatic replies (wire facts 5.1, 5.7).

use confab_domain::app::App;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::support::automation::auto_reply::AutoReplies;
use confab_domain::support::automation::auto_replying::SetOffice;
use confab_domain::support::automation::office_hours::{OfficeHours, OpenStretch};
use confab_domain::support::settings::Settings;
use confab_domain::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields::kind::Field;
use crate::fields::{Flag, Properties, Short, Within, field};
use crate::reading::{FieldJson, FieldReader};
use crate::request::request;
use crate::time::{distance, is_zone, to_the_plain_second};

/// The text of an automatic reply.
type AutoText = Short<{ limits::MESSAGE_CHARS_MAX }>;

request! {
    /// Automatic replies. Absent fields keep their values.
    struct AutoReplyFields {
        /// Reply to the first message of a session during office hours; an empty string for none.
        online_message: AutoText, optional, example = "Welcome! We are with you in a moment.";
        /// Reply to the first message of a session outside office hours; an empty string for none.
        offline_message: AutoText, optional, example = "We are back at nine.";
        /// Whether `online_message` is also sent in a room with an earlier, resolved session.
        send_online_if_resolved: Flag, optional;
        /// Whether `offline_message` is sent in reply to every message, not only the first.
        send_offline_each_message: Flag, optional;
    }
}

request! {
    /// Body of `POST /api/v2/channels/{id}/configs`. Absent fields keep their values.
    pub struct ChannelConfigsFields as "ChannelConfigs" {
        /// Object with the fields below. If it is present, the fields outside of it are ignored.
        configs: Properties, optional;
        auto_replies: AutoReplyFields, group;
    }
    unread {
        /// Accepted and ignored: the channel id determines the kind of channel.
        source: AutoText, optional;
    }
}

impl From<AutoReplyFields> for AutoReplies {
    fn from(fields: AutoReplyFields) -> Self {
        Self {
            online_text: fields.online_message,
            offline_text: fields.offline_message,
            is_online_if_resolved: fields.send_online_if_resolved,
            is_offline_each_message: fields.send_offline_each_message,
        }
    }
}

/// Parses the automatic replies of a channel.
pub fn read_channel_configs(body: &Body<'_>) -> Result<AutoReplies, Refusal> {
    let ChannelConfigsFields { configs, auto_replies } = body.read()?;
    let Some(configs) = configs else { return Ok(auto_replies.into()) };
    let within: AutoReplyFields = Body::from_json(configs.as_str().as_bytes())?.read()?;
    Ok(within.into())
}

request! {
    /// Body of `POST /api/v1/admin/office_hours`. Absent fields keep their values.
    pub struct OfficeHoursFields as "SetOfficeHours" {
        /// Time zone: an IANA name such as `Asia/Jakarta`, which observes daylight saving time, or
        /// a fixed offset such as `+07:00`.
        timezone: Zone, optional, example = "Asia/Jakarta";
        /// List of `{day, starttime, endtime}`; day 0 is Sunday, times have the format `09:00`. An
        /// empty list means always open.
        office_hours: Week, optional;
        auto_replies: AutoReplyFields, group;
    }
}

/// Parses the office hours and automatic replies of an app.
pub fn read_office_hours(body: &Body<'_>) -> Result<SetOffice, Refusal> {
    let OfficeHoursFields { timezone, office_hours: hours, auto_replies } = body.read()?;
    Ok(SetOffice { timezone, hours, auto_replies: auto_replies.into() })
}

field! {
    /// A time zone, by its IANA name or its offset.
    Zone -> String;
    |reading, field, given| {
        let name = reading.filled_text(field, given)?;
        let problem = "must be a time zone such as Asia/Jakarta, or an offset such as +07:00";
        if is_zone(&name) { Some(name) } else { reading.wrong(field, problem) }
    }
}

field! {
    /// The opening hours of a week.
    Week -> OfficeHours;
    |reading, field, given| {
        if given.is_empty_list() {
            return Some(OfficeHours::default());
        }
        let opened = reading.free_json(field, given)?;
        let items = reading.items(field, FieldJson::of(&opened), limits::OFFICE_STRETCHES_MAX)?;
        let mut stretches = Vec::new();
        for (at, item) in items.into_iter().enumerate() {
            stretches.push(read_stretch(reading, &format!("{field}[{at}]"), item));
        }
        let stretches: Option<Vec<_>> = stretches.into_iter().collect();
        match OfficeHours::new(field, stretches?) {
            Ok(hours) => Some(hours),
            Err(problem) => reading.wrong(field, problem.problem),
        }
    }
}

fn read_stretch(
    reading: &mut FieldReader,
    path: &str,
    given: FieldJson<'_>,
) -> Option<OpenStretch> {
    let object = reading.object(path, given)?;
    let day_path = object.path("day");
    let day = Within::<0, 6>::read(reading, &day_path, object.get("day"));
    let day = reading.needed(&day_path, day);
    let mut time = |name: &str| {
        let path = object.path(name);
        let time = reading.filled_text(&path, object.get(name));
        reading.needed(&path, time)
    };
    let (from, to) = (time("starttime"), time("endtime"));
    let day = u8::try_from(day?).ok()?;
    match OpenStretch::parse(day, &from?, &to?) {
        Ok(stretch) => Some(stretch),
        Err(problem) => reading.wrong(path, problem),
    }
}

/// Office hours and automatic replies of an app.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OfficeHours)]
pub struct OfficeHoursShape<'a> {
    online_message: Option<&'a str>,
    offline_message: Option<&'a str>,
    /// Current UTC offset of the office.
    #[schema(example = "+07:00")]
    timezone: String,
    /// Configured time zone: a name or an offset.
    #[schema(example = "Asia/Jakarta")]
    timezone_name: &'a str,
    send_online_if_resolved: bool,
    send_offline_each_message: bool,
    /// Opening hours; an empty list means always open.
    office_hours: Vec<StretchShape>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OfficeStretch)]
struct StretchShape {
    /// Position in the list, from 1.
    id: usize,
    app_id: i64,
    /// Day of the week; 0 is Sunday.
    day: u8,
    #[schema(example = "09:00")]
    starttime: String,
    #[schema(example = "17:00")]
    endtime: String,
    #[schema(example = "2026-01-31 10:00:00")]
    created_at: String,
    #[schema(example = "2026-01-31 10:00:00")]
    updated_at: String,
}

/// Returns the office hours and automatic replies of an app. `now` determines the UTC offset.
pub fn office_hours<'a>(
    app: &App,
    settings: &'a Settings,
    said: &'a AutoReplies,
    now: Timestamp,
) -> OfficeHoursShape<'a> {
    let (hours, zone) =
        (settings.office_hours(), settings.get(Settings::TIMEZONE).unwrap_or("UTC"));
    let set_at = to_the_plain_second(hours.set_at.unwrap_or(app.created_at));
    let stretch = |(at, it): (usize, &OpenStretch)| StretchShape {
        id: at + 1,
        app_id: app.id.0,
        day: it.day,
        starttime: it.begins(),
        endtime: it.ends(),
        created_at: set_at.clone(),
        updated_at: set_at.clone(),
    };
    OfficeHoursShape {
        online_message: said.online_text.as_deref(),
        offline_message: said.offline_text.as_deref(),
        timezone: distance(zone, now),
        timezone_name: zone,
        send_online_if_resolved: said.is_online_if_resolved.unwrap_or(false),
        send_offline_each_message: said.is_offline_each_message.unwrap_or(false),
        office_hours: hours.stretches().iter().enumerate().map(stretch).collect(),
    }
}

/// Response data with the automatic replies of a channel.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChannelConfigsBox<'a> {
    configs: ChannelConfigsShape<'a>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ShownChannelConfigs)]
struct ChannelConfigsShape<'a> {
    online_message: Option<&'a str>,
    offline_message: Option<&'a str>,
    send_online_if_resolved: bool,
    send_offline_each_message: bool,
}

/// Returns the automatic replies that apply in a channel.
pub fn channel_configs(said: &AutoReplies) -> ChannelConfigsBox<'_> {
    ChannelConfigsBox {
        configs: ChannelConfigsShape {
            online_message: said.online_text.as_deref(),
            offline_message: said.offline_text.as_deref(),
            send_online_if_resolved: said.is_online_if_resolved.unwrap_or(false),
            send_offline_each_message: said.is_offline_each_message.unwrap_or(false),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auto_replies_are_accepted_at_the_top_level_or_in_configs() {
        let read =
            |text: &str| read_channel_configs(&Body::from_json(text.as_bytes()).expect("JSON"));
        let top =
            read(r#"{"source":"custom","online_message":"Hi","configs":null}"#).expect("read");
        assert_eq!(top.online_text.as_deref(), Some("Hi"));
        let within = read(r#"{"configs":{"offline_message":"","send_offline_each_message":1}}"#);
        let within = within.expect("read");
        assert_eq!((within.offline_text.as_deref(), within.online_text), (Some(""), None));
        assert_eq!(within.is_offline_each_message, Some(true));
        for wrong in [r#"{"configs":7}"#, r#"{"configs":{"send_online_if_resolved":"x"}}"#] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
