//! An app's keys for its admins: how they end, the keys themselves, and the steps of a change
//! (D-0134).

use confab_domain::app::{App, KeyState};
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields::{Password, Within};
use crate::request::request;
use crate::time::to_the_second;

/// Shorter keys do not show how they end.
const SHOWN_FROM_CHARS: usize = 12;

request! {
    /// `POST /api/v2/app/keys/{step}`
    pub struct KeyStepFields as "TakeKeyStep" {
        /// Your own password.
        password: Password, required;
        /// With `promote`: for how many days the old key goes on.
        overlap_days: Within<0, { limits::KEY_OVERLAP_DAYS_MAX }>,
            or limits::KEY_OVERLAP_DAYS_DEFAULT,
            default = || limits::KEY_OVERLAP_DAYS_DEFAULT.into();
    }
}

/// What can be done with the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyDeed {
    Reveal,
    Stage,
    Unstage,
    Promote {
        /// For how many days the old key goes on.
        overlap_days: u32,
    },
    Retire,
    Rotate,
}

/// Reads what is to be done by its name in the path, and the password of who does it; nothing if
/// there is no such step.
pub fn read_key_step(name: &str, body: &Body<'_>) -> Result<Option<(KeyDeed, String)>, Refusal> {
    let known = ["reveal", "stage", "unstage", "promote", "retire", "rotate"];
    if !known.contains(&name) {
        return Ok(None);
    }
    let KeyStepFields { password, overlap_days } = body.read()?;
    let deed = match name {
        "reveal" => KeyDeed::Reveal,
        "stage" => KeyDeed::Stage,
        "unstage" => KeyDeed::Unstage,
        "promote" => KeyDeed::Promote { overlap_days },
        "retire" => KeyDeed::Retire,
        _ => KeyDeed::Rotate,
    };
    Ok(Some((deed, password)))
}

/// `{keys}`
#[derive(Debug, Serialize, ToSchema)]
pub struct AppKeysBox<'a> {
    keys: AppKeysShape<'a>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AppKeys)]
struct AppKeysShape<'a> {
    #[schema(example = "shop")]
    app_code: &'a str,
    sdk_secret: SdkSecretShape<'a>,
    secret_key: SecretKeyShape<'a>,
    /// How far a change of the secret key is; null if there is none.
    change: Option<KeyChangeShape>,
}

#[derive(Debug, Serialize, ToSchema)]
struct SdkSecretShape<'a> {
    is_set: bool,
    /// How it ends.
    #[schema(example = "x3Qk")]
    last4: &'a str,
}

#[derive(Debug, Serialize, ToSchema)]
struct SecretKeyShape<'a> {
    /// How it ends.
    #[schema(example = "x3Qk")]
    last4: &'a str,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = KeyChange)]
struct KeyChangeShape {
    /// `staged` or `promoted`.
    #[schema(value_type = String, example = "staged")]
    step: &'static str,
    /// When that was; null if nobody wrote it down.
    #[schema(example = "2026-01-31T10:00:00Z")]
    since: Option<String>,
    /// When the old key ends.
    #[schema(example = "2026-02-07T10:00:00Z")]
    ends_at: Option<String>,
}

/// How an app's keys stand; `since` is when the last step was taken.
pub fn app_keys(app: &App, since: Option<Timestamp>, now: Timestamp) -> AppKeysBox<'_> {
    let change = app.other_key.as_ref().map(|other| other.standing);
    let change = change.filter(|standing| standing.counts_at(now)).map(|standing| {
        let (step, ends_at) = match standing {
            KeyState::Staged => ("staged", None),
            KeyState::Old { until } => ("promoted", Some(to_the_second(until))),
        };
        KeyChangeShape { step, since: since.map(to_the_second), ends_at }
    });
    let sdk_secret =
        SdkSecretShape { is_set: !app.sdk_secret.is_empty(), last4: end_of(&app.sdk_secret) };
    let secret_key = SecretKeyShape { last4: end_of(&app.secret_key) };
    let app_code = app.code.as_str();
    AppKeysBox { keys: AppKeysShape { app_code, sdk_secret, secret_key, change } }
}

fn end_of(key: &str) -> &str {
    let chars = key.chars().count();
    if chars < SHOWN_FROM_CHARS {
        return "";
    }
    key.char_indices().nth(chars - 4).map_or("", |(at, _)| &key[at..])
}

/// `{keys}`: those that a step shows, once.
#[derive(Serialize, ToSchema)]
pub struct RevealedKeysBox {
    pub keys: RevealedKeys,
}

/// The keys themselves; no `Debug`.
#[derive(Default, Serialize, ToSchema)]
pub struct RevealedKeys {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_key: Option<String>,
    /// The one that is staged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub staged_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sdk_secret: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_of_a_long_key_is_shown() {
        assert_eq!(end_of("0123456789abcdef"), "cdef");
        assert_eq!(end_of("short"), "");
        assert_eq!(end_of("ääääääääääääé"), "äääé");
    }

    #[test]
    fn steps_have_names_and_a_password() {
        let body = Body::from_json(br#"{"password":"pw","overlap_days":3}"#).expect("JSON");
        let read = |name| read_key_step(name, &body).expect("read");
        assert_eq!(read("promote"), Some((KeyDeed::Promote { overlap_days: 3 }, "pw".to_owned())));
        assert_eq!(read("rotate"), Some((KeyDeed::Rotate, "pw".to_owned())));
        assert_eq!(read("burn"), None);
        assert!(read_key_step("stage", &Body::from_json(b"{}").expect("JSON")).is_err());
    }
}
