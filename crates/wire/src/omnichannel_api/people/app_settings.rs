//! One call for all settings of an app (D-0090), except for those with their own calls: webhooks,
//! the bot, office hours, the widget.

use confab_domain::agents::page_settings::LANGUAGES;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::support::automation::surveying::SurveyTexts;
use confab_domain::support::configuring::ChangeSettings;
use confab_domain::support::settings::Settings;
use serde::Serialize;
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields::{Flag, Label, NonEmptyIfPresent, Properties, Within, field};
use crate::reading::{FieldReader, Object};
use crate::request::request;
use crate::time::is_zone;

/// New values of settings by name; `None` restores the default.
type Wanted = Vec<(&'static str, Option<String>)>;

request! {
    /// Body of `PATCH /api/v2/settings`. Absent fields keep their values.
    pub struct ChangeSettingsFields as "ChangeSettings" {
        /// Display name of the app.
        app_name: NonEmptyIfPresent<Label<{ limits::NAME_CHARS_MAX }>>, optional, example = "Shop";
        /// Whether a customer who writes again after their conversation was resolved gets a new
        /// room.
        is_sessional: Flag, optional;
        /// Whether agents may assign waiting customers to themselves.
        is_agent_takeover_enabled: Flag, optional;
        /// Whether the bot receives every message, even while an agent is assigned.
        is_force_send_bot: Flag, optional;
        /// Automatic assignment of agents: `{is_on, per_agent_max, per_room_max}`. A null number
        /// restores its default.
        allocation: Allocation, optional;
        /// Seconds that an agent may be disconnected before their customers wait again.
        grace_s: Within<0, { limits::OFFLINE_GRACE_MAX_S }>, optional;
        /// Time zone of the office, by its IANA name.
        time_zone: ZoneName, optional, example = "Asia/Jakarta";
        /// Seconds after which a waiting customer is shown in amber.
        waiting_amber_s: Within<1, { limits::WAITING_SHOWN_MAX_S }>, optional;
        /// Seconds after which a waiting customer is shown in red.
        waiting_red_s: Within<1, { limits::WAITING_SHOWN_MAX_S }>, optional;
        /// Resolved conversations that agents see: `served` for those that they served, `all` for
        /// all conversations of their channels.
        who_sees_resolved: WhoSees, optional, pattern = "^(served|all)$";
        /// Minutes without a message after which a conversation is resolved automatically; null for
        /// never.
        idle_resolve_minutes: Within<1, { limits::IDLE_RESOLVE_MINUTES_MAX }>, optional;
        /// Whether customers are asked for a rating when an agent resolves their conversation.
        is_rating_asked: Flag, optional;
        /// Rating question and its three answers: `{question, good, okay, bad}`. A null text
        /// restores its default.
        rating_texts: RatingWords, optional;
        /// Whether `load_comments` and `load_comments_with_range` include `user.extras`, by which
        /// clients distinguish customers from agents.
        shows_sender_extras: Flag, optional;
        /// Security settings, with the values of `POST /api/v2/app/config/security`:
        /// `{visitor_proof, registration, user_list, agent_and_customer_presence,
        /// agent_and_customer_rooms}`.
        security: Security, optional;
    }
}

/// Parses new values of settings; rejects unknown settings.
pub fn read_change_of_settings(body: &Body<'_>) -> Result<ChangeSettings, Refusal> {
    body.refuse_unknown::<ChangeSettingsFields>("is not a setting that can be changed")?;
    let given = body.given::<ChangeSettingsFields>()?;
    let fields: ChangeSettingsFields = given.read()?;
    let text = |number: Option<u32>| number.map(|number| number.to_string());
    let flag = |flag: Option<bool>| flag.map(|flag| flag.to_string());
    let plain = [
        (Settings::IS_SESSIONAL, flag(fields.is_sessional)),
        (Settings::TAKEOVER, flag(fields.is_agent_takeover_enabled)),
        (Settings::FORCES_BOT, flag(fields.is_force_send_bot)),
        (Settings::OFFLINE_GRACE_S, text(fields.grace_s)),
        (Settings::TIMEZONE, fields.time_zone),
        (Settings::WAITING_AMBER_S, text(fields.waiting_amber_s)),
        (Settings::WAITING_RED_S, text(fields.waiting_red_s)),
        (Settings::WHO_SEES_RESOLVED, fields.who_sees_resolved),
        (Settings::IDLE_RESOLVE_MINUTES, text(fields.idle_resolve_minutes)),
        (Settings::ASKS_RATING, flag(fields.is_rating_asked)),
        (Settings::SHOWS_SENDER_EXTRAS, flag(fields.shows_sender_extras)),
    ];
    let plain = plain.into_iter().filter_map(|(name, value)| Some((name, Some(value?))));
    let groups = [fields.allocation, fields.rating_texts, fields.security];
    let never = given.is_null("idle_resolve_minutes");
    let never = never.then_some((Settings::IDLE_RESOLVE_MINUTES, None));
    let groups = groups.into_iter().flatten().flatten().chain(never);
    let wanted: Wanted = plain.chain(groups).collect();
    Ok(ChangeSettings { app_name: fields.app_name, wanted })
}

field! {
    /// A time zone by its IANA name.
    ZoneName -> String;
    |reading, field, given| {
        let name = reading.filled_text(field, given)?;
        let is_name = !name.starts_with(['+', '-']) && is_zone(&name);
        let problem = "must be the name of a time zone such as Asia/Jakarta";
        if is_name { Some(name) } else { reading.wrong(field, problem) }
    }
}

field! {
    WhoSees -> String;
    |reading, field, given| {
        let word = reading.filled_text(field, given)?;
        let is_word = ["served", "all"].contains(&word.as_str());
        if is_word { Some(word) } else { reading.wrong(field, "must be served or all") }
    }
}

field! {
    Allocation -> Wanted, Properties::SHAPE;
    |reading, field, given| {
        let object = reading.object(field, given)?;
        let keys = ["is_on", "per_agent_max", "per_room_max"];
        must_be_only(reading, &object, &keys);
        let mut wanted = switch(reading, &object, Settings::ALLOCATES);
        let numbers = [
            ("per_agent_max", Settings::AGENT_CUSTOMERS_MAX, limits::AGENT_CUSTOMERS_MAX),
            ("per_room_max", Settings::ROOM_AGENTS_MAX, limits::ROOM_AGENTS_MAX),
        ];
        for (key, name, max) in numbers {
            wanted.extend(number(reading, &object, key, max).map(|it| (name, it)));
        }
        Some(wanted)
    }
}

field! {
    RatingWords -> Wanted, Properties::SHAPE;
    |reading, field, given| {
        let object = reading.object(field, given)?;
        let words = [
            ("question", Settings::RATING_QUESTION, limits::RATING_QUESTION_CHARS_MAX),
            ("good", Settings::RATING_GOOD, limits::RATING_LABEL_CHARS_MAX),
            ("okay", Settings::RATING_OKAY, limits::RATING_LABEL_CHARS_MAX),
            ("bad", Settings::RATING_BAD, limits::RATING_LABEL_CHARS_MAX),
        ];
        must_be_only(reading, &object, &words.map(|(key, ..)| key));
        let mut wanted = Vec::new();
        for (key, name, max) in words.into_iter().filter(|(key, ..)| object.has(key)) {
            let path = object.path(key);
            if object.get(key).is_absent() {
                wanted.push((name, None));
            } else if let Some(text) = reading.short_text(&path, object.get(key), max) {
                match text.trim() {
                    "" => drop(reading.wrong::<()>(&path, "must not be empty")),
                    text => wanted.push((name, Some(text.to_owned()))),
                }
            }
        }
        Some(wanted)
    }
}

field! {
    Security -> Wanted, Properties::SHAPE;
    |reading, field, given| {
        let object = reading.object(field, given)?;
        must_be_only(reading, &object, &Settings::CHOICES.map(|(name, _)| name));
        let mut wanted = Vec::new();
        for (name, words) in Settings::CHOICES {
            let path = object.path(name);
            let Some(word) = reading.filled_text(&path, object.get(name)) else { continue };
            if words.contains(&word.as_str()) {
                wanted.push((name, Some(word)));
            } else {
                reading.wrong::<()>(&path, format!("must be {}", words.join(" or ")));
            }
        }
        Some(wanted)
    }
}

fn must_be_only(reading: &mut FieldReader, object: &Object<'_>, known: &[&str]) {
    let unknown: Vec<_> = object.keys().filter(|key| !known.contains(key)).collect();
    for key in unknown {
        reading.wrong::<()>(&object.path(key), "is not a setting that can be changed");
    }
}

fn switch(reading: &mut FieldReader, object: &Object<'_>, name: &'static str) -> Wanted {
    let is_on = reading.boolean(&object.path("is_on"), object.get("is_on"));
    is_on.map(|is_on| (name, Some(is_on.to_string()))).into_iter().collect()
}

/// Parses a number from 1 to `max`. `Some(None)` stands for null, which restores the default.
fn number(
    reading: &mut FieldReader,
    object: &Object<'_>,
    key: &str,
    max: u32,
) -> Option<Option<String>> {
    let path = object.path(key);
    if object.has(key) && object.get(key).is_absent() {
        return Some(None);
    }
    let number = reading.integer(&path, object.get(key))?;
    match (1..=i64::from(max)).contains(&number) {
        true => Some(Some(number.to_string())),
        false => reading.wrong(&path, format!("must be from 1 to {max}")),
    }
}

/// Response data with the settings of an app.
#[derive(Debug, Serialize, ToSchema)]
pub struct SettingsBox<'a> {
    settings: SettingsShape<'a>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AppSettings)]
struct SettingsShape<'a> {
    app_name: &'a str,
    is_sessional: bool,
    is_agent_takeover_enabled: bool,
    #[schema(example = "Asia/Jakarta")]
    time_zone: &'a str,
    /// Languages of the dashboard and the widget.
    #[schema(value_type = Vec<String>, example = json!(["en", "id"]))]
    languages: &'static [&'static str],
    #[schema(example = 120)]
    waiting_amber_s: u32,
    #[schema(example = 300)]
    waiting_red_s: u32,
    /// Resolved conversations that agents see: `served` for those that they served, `all` for all
    /// conversations of their channels.
    #[schema(value_type = String, example = "served")]
    who_sees_resolved: &'static str,
    /// Settings that only admins and supervisors see.
    #[serde(flatten)]
    office: Option<OfficeSettings<'a>>,
}

/// Settings that only admins and supervisors see.
#[derive(Debug, Serialize, ToSchema)]
struct OfficeSettings<'a> {
    is_force_send_bot: bool,
    allocation: AllocationShape,
    #[schema(example = 60)]
    grace_s: u32,
    /// Minutes without a message after which a conversation is resolved automatically; null for
    /// never.
    #[schema(example = 60)]
    idle_resolve_minutes: Option<u32>,
    /// Whether customers are asked for a rating when an agent resolves their conversation.
    is_rating_asked: bool,
    rating_texts: RatingTextsShape<'a>,
    /// Whether `load_comments` and `load_comments_with_range` include `user.extras`.
    shows_sender_extras: bool,
    security: SecurityShape<'a>,
}

#[derive(Debug, Serialize, ToSchema)]
struct AllocationShape {
    is_on: bool,
    per_agent_max: u32,
    per_room_max: u32,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RatingTexts)]
struct RatingTextsShape<'a> {
    #[schema(example = "How was this conversation?")]
    question: &'a str,
    #[schema(example = "Good")]
    good: &'a str,
    #[schema(example = "Okay")]
    okay: &'a str,
    #[schema(example = "Bad")]
    bad: &'a str,
}

#[derive(Debug, Serialize, ToSchema)]
struct SecurityShape<'a> {
    visitor_proof: &'a str,
    registration: &'a str,
    user_list: &'a str,
    agent_and_customer_presence: &'a str,
    agent_and_customer_rooms: &'a str,
}

/// Returns the settings of an app. If `is_office` is true, they include the settings that only
/// admins and supervisors see.
pub fn app_settings<'a>(
    app_name: &'a str,
    settings: &'a Settings,
    is_office: bool,
) -> SettingsBox<'a> {
    let (waiting_amber_s, waiting_red_s) = settings.waiting_s();
    let settings = SettingsShape {
        app_name,
        is_sessional: settings.is_on(Settings::IS_SESSIONAL),
        is_agent_takeover_enabled: settings.is_on(Settings::TAKEOVER),
        time_zone: settings.get(Settings::TIMEZONE).unwrap_or("UTC"),
        languages: &LANGUAGES,
        waiting_amber_s,
        waiting_red_s,
        who_sees_resolved: if settings.shows_all_resolved() { "all" } else { "served" },
        office: is_office.then(|| office(settings)),
    };
    SettingsBox { settings }
}

fn office(settings: &Settings) -> OfficeSettings<'_> {
    let SurveyTexts { question, good, okay, bad } = SurveyTexts::of(settings);
    OfficeSettings {
        is_force_send_bot: settings.is_on(Settings::FORCES_BOT),
        allocation: AllocationShape {
            is_on: settings.is_on(Settings::ALLOCATES),
            per_agent_max: settings.agent_customers_max(),
            per_room_max: settings.room_agents_max(),
        },
        grace_s: settings.offline_grace_s(),
        idle_resolve_minutes: settings.idle_resolve_minutes(),
        is_rating_asked: settings.is_on(Settings::ASKS_RATING),
        rating_texts: RatingTextsShape { question, good, okay, bad },
        shows_sender_extras: settings.is_on(Settings::SHOWS_SENDER_EXTRAS),
        security: SecurityShape {
            visitor_proof: settings.choice(Settings::VISITOR_PROOF),
            registration: settings.choice(Settings::REGISTRATION),
            user_list: settings.choice(Settings::USER_LIST),
            agent_and_customer_presence: settings.choice(Settings::AGENT_AND_CUSTOMER_PRESENCE),
            agent_and_customer_rooms: settings.choice(Settings::AGENT_AND_CUSTOMER_ROOMS),
        },
    }
}
