//! Interprets the responses and error codes of WhatsApp's Cloud API (channel facts 3.5).

use std::time::Duration;

use serde_json::Value;

use crate::health::{AccountAtProvider, ChannelHealth, CheckAnswer, HealthState};
use crate::json_lookup;
use crate::meta::{self, MetaError};
use crate::provider_event::{ExternalId, Failure, IdKind};
use crate::verdict::{Pause, Verdict};

const WINDOW_CLOSED: i64 = 131_047;

/// Pause of one customer's lane: WhatsApp allows about one message every 6 s to the same customer,
/// with bursts.
const PAIR: Pause =
    Pause::Doubling { first: Duration::from_secs(6), most: Duration::from_secs(60) };

/// Interprets a response. An accepted message may still fail: WhatsApp reports most failures later,
/// in a status event.
pub fn verdict(status: u16, body: &[u8]) -> Verdict {
    let answer = json_lookup::parsed(body).unwrap_or(Value::Null);
    if let Some(error) = meta::error(&answer) {
        return refused(status, error);
    }
    match status {
        200..300 => taken(&answer),
        504 => Verdict::Uncertain,
        // The response is from a proxy between us and WhatsApp.
        _ => Verdict::trouble(),
    }
}

fn taken(answer: &Value) -> Verdict {
    let ids: Vec<_> = json_lookup::list(&answer["messages"])
        .iter()
        .filter_map(|it| json_lookup::text(&it["id"]))
        .collect();
    // Read receipts and uploads have a response without a message.
    let is_other =
        json_lookup::is_true(&answer["success"]) || json_lookup::text(&answer["id"]).is_some();
    if ids.is_empty() && !is_other {
        return Verdict::Uncertain;
    }
    let contact = &answer["contacts"][0];
    let number = ExternalId::of(IdKind::Number, json_lookup::text(&contact["wa_id"]));
    let scoped = ExternalId::of(IdKind::BusinessScoped, json_lookup::text(&contact["user_id"]));
    Verdict::Sent { ids, also_known_as: number.into_iter().chain(scoped).collect() }
}

fn refused(status: u16, error: MetaError) -> Verdict {
    let MetaError { code, subcode, why, is_transient } = error;
    match code {
        0 | 190 | 3 | 10 | 200..=299 | 131_005 => {
            Verdict::bad_token(code, format!("WhatsApp rejects the token: {why}"))
        }
        368 | 130_497 | 131_031 | 131_042 | 131_045 | 131_057 | 133_000..=133_099 => {
            stopped(code, why)
        }
        // The sending number does not exist or does not belong to this token.
        100 if subcode == 33 => stopped(code, why),
        WINDOW_CLOSED => Verdict::WindowClosed,
        131_056 => Verdict::Again { after: PAIR, whole_channel: false, instead: None },
        1 | 2 | 4 | 80_007 | 130_429 | 131_000 | 131_016 => Verdict::trouble(),
        _ if is_transient || status >= 500 => Verdict::trouble(),
        _ => Verdict::never(code, plain(code, &why)),
    }
}

fn stopped(code: i64, why: String) -> Verdict {
    let health = HealthState::Misconfigured;
    Verdict::BadToken { health, code: code.to_string(), why }
}

/// Returns the explanation of an error code for staff.
fn plain(code: i64, why: &str) -> String {
    let known = match code {
        131_026 => "The customer cannot be reached at WhatsApp.",
        131_021 => "The channel cannot write to itself.",
        131_030 => "The customer is not among those whom a test number may write to.",
        131_062 => "This message needs the customer's phone number, which is not known.",
        131_048 => "WhatsApp is withholding messages of this channel: too many were reported.",
        131_049 => "WhatsApp does not deliver another marketing message to this customer now.",
        131_050 => "The customer has opted out of this business's marketing messages.",
        131_064 | 130_472 => "WhatsApp does not deliver this message to this customer now.",
        131_051 => "WhatsApp does not support this type of message.",
        131_052 | 131_053 => "WhatsApp could not process the file.",
        _ if why.is_empty() => "WhatsApp refused it without a reason.",
        _ => return format!("WhatsApp refused it: {why}"),
    };
    known.to_owned()
}

/// Parses the error in a status event.
pub(super) fn failure(error: &Value) -> Failure {
    let code = json_lookup::integer(&error["code"]).unwrap_or(0);
    let is_window_closed = code == WINDOW_CLOSED;
    let why = match is_window_closed {
        true => {
            "The customer wrote more than 24 hours ago: only a template reaches them.".to_owned()
        }
        false => plain(code, &meta::why(error)),
    };
    Failure { code: code.to_string(), why, is_window_closed }
}

/// Determines a channel's health from the responses about the phone number, and about the apps
/// subscribed to its business account.
pub fn health(answers: &[CheckAnswer<'_>]) -> ChannelHealth {
    let [number, apps] = [0, 1].map(|at| answers.get(at).copied());
    let Some((number, status)) = number.and_then(|it| Some((it, it.status?))) else {
        return ChannelHealth::unreachable("WhatsApp");
    };
    match verdict(status, number.body) {
        Verdict::Sent { .. } => {}
        Verdict::BadToken { health: HealthState::Unauthorized, .. } => {
            return ChannelHealth::unauthorized("WhatsApp");
        }
        Verdict::BadToken { why, .. } | Verdict::Never { why, .. } => {
            let todo = "Check the account at Meta: it is blocked, unpaid or not registered.";
            return ChannelHealth::is(HealthState::Misconfigured, why, todo);
        }
        _ => return ChannelHealth::unreachable("WhatsApp"),
    }
    let number = json_lookup::parsed(number.body).unwrap_or(Value::Null);
    let apps =
        apps.filter(|it| it.status == Some(200)).and_then(|it| json_lookup::parsed(it.body).ok());
    number_health(&number, apps.as_ref()).with_account(account(&number))
}

fn account(number: &Value) -> Option<AccountAtProvider> {
    let username = json_lookup::text(&number["display_phone_number"]).unwrap_or_default();
    let name = json_lookup::name(&number["verified_name"]).unwrap_or_else(|| username.clone());
    Some(AccountAtProvider { id: json_lookup::text(&number["id"])?, name, username })
}

fn number_health(number: &Value, apps: Option<&Value>) -> ChannelHealth {
    let state = json_lookup::text(&number["status"]).unwrap_or_else(|| "CONNECTED".to_owned());
    if state != "CONNECTED" {
        let why = format!("WhatsApp reports that the number is {state}.");
        let todo = "Check the number in Meta's WhatsApp manager.";
        return ChannelHealth::is(HealthState::Misconfigured, why, todo);
    }
    if apps.is_some_and(|apps| apps["data"].as_array().is_some_and(Vec::is_empty)) {
        let why = "No app is subscribed to this account's messages, so none arrive.";
        let todo = "Subscribe the Meta app to the WhatsApp business account.";
        return ChannelHealth::is(HealthState::Misconfigured, why, todo);
    }
    if json_lookup::text(&number["quality_rating"]).as_deref() == Some("RED") {
        let why = "WhatsApp rates the number low: many customers blocked or reported it.";
        let todo = "Send fewer unsolicited templates.";
        return ChannelHealth::is(HealthState::Limited, why, todo);
    }
    ChannelHealth::ok(None)
}
