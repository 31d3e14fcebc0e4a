//! Functions shared by WhatsApp, Messenger and Instagram: handshake, signatures, versions in paths,
//! and errors (channel facts 3.1, 3.5, 4.2).

use serde_json::Value;

use super::credentials::{CredentialName, Credentials};
use super::json_lookup;
use super::proof::{Head, Proof, is_same, is_signed_hex};
use super::provider::Provider;
use super::step::escaped;

pub(super) const ACCESS_TOKEN: &str = "access_token";
pub(super) const APP_SECRET: &str = "app_secret";
pub(super) const VERIFY_TOKEN: &str = "verify_token";
pub(super) const API_VERSION: &str = "api_version";

/// Access token of a channel. All channels of WhatsApp, Messenger and Instagram have this
/// credential and the next three; `SECRET` belongs to the Meta app.
pub(super) const ACCESS: CredentialName = CredentialName::secret(ACCESS_TOKEN);
pub(super) const SECRET: CredentialName = CredentialName::secret(APP_SECRET);
pub(super) const VERIFY: CredentialName = CredentialName::secret(VERIFY_TOKEN);
pub(super) const VERSION: CredentialName = CredentialName::plain(API_VERSION).or_absent();

const VERSION_DEFAULT: &str = "v25.0";

/// Verifies a handshake by the channel's verify token, and any other request by the signature of
/// its body.
pub(super) fn prove(credentials: &Credentials, head: &Head<'_>, raw: &[u8]) -> Proof {
    if head.method == "GET" {
        let token = head.query("hub.verify_token");
        let is_ours = is_same(credentials.get(VERIFY_TOKEN), token.as_deref());
        let is_subscribing = head.query("hub.mode").as_deref() == Some("subscribe");
        let challenge = head.query("hub.challenge").filter(|_| is_ours && is_subscribing);
        return challenge.map_or(Proof::Forged, Proof::Handshake);
    }
    let given = head.header("x-hub-signature-256").and_then(|it| it.strip_prefix("sha256="));
    Proof::of(is_signed_hex(credentials.get(APP_SECRET), raw, given))
}

/// Returns the provider whose events an authenticated webhook body contains; `None` if the provider
/// is unknown.
pub(super) fn provider(raw: &[u8]) -> Option<Provider> {
    let body = json_lookup::parsed(raw).ok()?;
    Provider::of_meta_object(body["object"].as_str()?)
}

/// Builds a path below the API version, with escaped segments.
pub(super) fn path(credentials: &Credentials, parts: &[&str]) -> String {
    let version = Some(credentials.plain(API_VERSION)).filter(|it| !it.is_empty());
    let mut path = format!("/{}", escaped(version.unwrap_or(VERSION_DEFAULT)));
    for part in parts {
        path.push('/');
        path.push_str(&escaped(part));
    }
    path
}

/// An error response of Meta.
pub(super) struct MetaError {
    pub(super) code: i64,
    pub(super) subcode: i64,
    /// Meta's explanation of the error, which staff can read.
    pub(super) why: String,
    pub(super) is_transient: bool,
}

/// Parses the error of a response: `{error{code,error_subcode,message,error_data{details}}}`.
pub(super) fn error(answer: &Value) -> Option<MetaError> {
    let error = &answer["error"];
    Some(MetaError {
        code: json_lookup::integer(&error["code"])?,
        subcode: json_lookup::integer(&error["error_subcode"]).unwrap_or(0),
        why: why(error),
        is_transient: json_lookup::is_true(&error["is_transient"]),
    })
}

/// Returns the most precise explanation in an error.
pub(super) fn why(error: &Value) -> String {
    let details = json_lookup::text(&error["error_data"]["details"]);
    details.or_else(|| json_lookup::any_text(error, &["message", "title"])).unwrap_or_default()
}
