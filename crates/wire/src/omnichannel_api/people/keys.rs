//! Calls by which admins view the keys of their app and replace the secret key in steps
//! (design/sign-in-and-limits).

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

/// Minimum number of characters of a key whose last four characters are shown.
const SHOWN_FROM_CHARS: usize = 12;

request! {
    /// Body of `POST /api/v2/app/keys/{step}`.
    pub struct KeyStepFields as "TakeKeyStep" {
        /// Password of the caller.
        password: Password, required;
        /// For `promote`: number of days that the old key stays valid.
        overlap_days: Within<0, { limits::KEY_OVERLAP_DAYS_MAX }>,
            or limits::KEY_OVERLAP_DAYS_DEFAULT,
            default = || limits::KEY_OVERLAP_DAYS_DEFAULT.into();
    }
}

/// An action on the keys of an app.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyAction {
    Reveal,
    Stage,
    Unstage,
    Promote {
        /// Number of days that the old key stays valid.
        overlap_days: u32,
    },
    Retire,
    Rotate,
}

/// Parses the action `name` from the path, and the caller's password; `None` if there is no such
/// action.
pub fn read_key_step(name: &str, body: &Body<'_>) -> Result<Option<(KeyAction, String)>, Refusal> {
    let known = ["reveal", "stage", "unstage", "promote", "retire", "rotate"];
    if !known.contains(&name) {
        return Ok(None);
    }
    let KeyStepFields { password, overlap_days } = body.read()?;
    let deed = match name {
        "reveal" => KeyAction::Reveal,
        "stage" => KeyAction::Stage,
        "unstage" => KeyAction::Unstage,
        "promote" => KeyAction::Promote { overlap_days },
        "retire" => KeyAction::Retire,
        _ => KeyAction::Rotate,
    };
    Ok(Some((deed, password)))
}

/// Response data with the last characters of an app's keys, and the progress of a key change.
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
    /// Progress of a change of the secret key; null if no change is in progress.
    change: Option<KeyChangeShape>,
}

#[derive(Debug, Serialize, ToSchema)]
struct SdkSecretShape<'a> {
    is_set: bool,
    /// Last four characters of the SDK secret; empty if it has fewer than 12.
    #[schema(example = "x3Qk")]
    last4: &'a str,
}

#[derive(Debug, Serialize, ToSchema)]
struct SecretKeyShape<'a> {
    /// Last four characters of the secret key; empty if it has fewer than 12.
    #[schema(example = "x3Qk")]
    last4: &'a str,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = KeyChange)]
struct KeyChangeShape {
    /// Last completed step: `staged` or `promoted`.
    #[schema(value_type = String, example = "staged")]
    step: &'static str,
    /// Time of the last completed step; null if unknown.
    #[schema(example = "2026-01-31T10:00:00Z")]
    since: Option<String>,
    /// Expiry time of the old key; null if the new key is not yet promoted.
    #[schema(example = "2026-02-07T10:00:00Z")]
    ends_at: Option<String>,
}

/// Returns the last characters of an app's keys, and the progress of a key change. `since` is the
/// time of the last completed step.
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

/// Response data of an action that returns the app's keys unmasked.
#[derive(Serialize, ToSchema)]
pub struct RevealedKeysBox {
    pub keys: RevealedKeys,
}

/// The complete keys in the response to an action. No `Debug`, because they are secret.
#[derive(Default, Serialize, ToSchema)]
pub struct RevealedKeys {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_key: Option<String>,
    /// New key that is staged but not yet in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub staged_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sdk_secret: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_keys_show_their_last_four_characters() {
        assert_eq!(end_of("0123456789abcdef"), "cdef");
        assert_eq!(end_of("short"), "");
        assert_eq!(end_of("ääääääääääääé"), "äääé");
    }

    #[test]
    fn a_key_step_needs_a_known_name_and_a_password() {
        let body = Body::from_json(br#"{"password":"pw","overlap_days":3}"#).expect("JSON");
        let read = |name| read_key_step(name, &body).expect("read");
        assert_eq!(
            read("promote"),
            Some((KeyAction::Promote { overlap_days: 3 }, "pw".to_owned()))
        );
        assert_eq!(read("rotate"), Some((KeyAction::Rotate, "pw".to_owned())));
        assert_eq!(read("burn"), None);
        assert!(read_key_step("stage", &Body::from_json(b"{}").expect("JSON")).is_err());
    }
}
