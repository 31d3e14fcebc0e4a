//! Identity tokens: JWTs signed with HS256 and the app's SDK secret (wire facts 4.1).
//!
//! No other algorithm is created or accepted, even if a token's header declares one.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use confab_domain::app::App;
use confab_domain::ids::ChannelId;
use confab_domain::people::user::{Realm, UserId, UserRef};
use confab_domain::time::Timestamp;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

/// Maximum length of a token in bytes. Longer tokens are rejected unread.
const BYTES_MAX: usize = 8_192;

#[derive(Serialize, Deserialize)]
struct Header {
    alg: String,
    typ: String,
    ver: String,
}

/// The claims of an identity token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdentityClaims {
    /// App id of the issuer.
    pub(crate) iss: String,
    /// Issue time, in Unix seconds.
    pub(crate) iat: i64,
    /// Expiry time, in Unix seconds.
    pub(crate) exp: i64,
    /// Time before which the token is not valid, in Unix seconds.
    pub(crate) nbf: i64,
    /// Nonce, which can be used once.
    pub nce: String,
    /// Id of the user whom the token identifies.
    pub(crate) prn: String,
    /// Id of the channel, if the user is a customer of a channel. Only this server sets it: tokens
    /// that an app's own server signs are for users of the app.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) chn: Option<i64>,
    /// New display name of the user; absent to leave it unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// New avatar URL of the user; absent to leave it unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub avatar_url: Option<String>,
}

impl IdentityClaims {
    /// Returns the user of the token, or `None` if `prn` is not a valid user id.
    pub fn user(&self) -> Option<UserRef> {
        let realm = self.chn.map_or(Realm::App, |channel| Realm::Channel(ChannelId(channel)));
        UserId::parse("prn", &self.prn).ok().map(|user_id| UserRef::Of(realm, user_id))
    }
}

/// Signs a token with these claims.
pub(crate) fn token(app: &App, claims: &IdentityClaims) -> String {
    let header = Header { alg: "HS256".into(), typ: "JWT".into(), ver: "v2".into() };
    let signed = format!("{}.{}", part(&header), part(claims));
    let mac = mac(app, &signed).finalize().into_bytes();
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(mac))
}

/// Returns the claims of a token that this app signed and that is valid now.
pub fn claims(app: &App, token: &str, now: Timestamp) -> Option<IdentityClaims> {
    if token.len() > BYTES_MAX {
        return None;
    }
    let (signed, signature) = token.rsplit_once('.')?;
    let (header, said) = signed.split_once('.')?;
    let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
    // Compares in constant time.
    mac(app, signed).verify_slice(&signature).ok()?;
    let header: serde_json::Value = read(header)?;
    let claims: IdentityClaims = read(said)?;
    let now = now.unix_seconds();
    let is_good = header["alg"] == "HS256"
        && claims.iss == app.code.as_str()
        // This server issues no nonce with a NUL, and PostgreSQL cannot store a text with one.
        && !claims.nce.contains('\0')
        && claims.nbf <= now
        && now < claims.exp;
    is_good.then_some(claims)
}

fn mac(app: &App, signed: &str) -> Hmac<Sha256> {
    let mac = Hmac::<Sha256>::new_from_slice(app.sdk_secret.as_bytes());
    let mut mac = mac.expect("HMAC accepts keys of any length");
    mac.update(signed.as_bytes());
    mac
}

fn part(value: &impl Serialize) -> String {
    let json = serde_json::to_vec(value).expect("JSON keys are strings");
    URL_SAFE_NO_PAD.encode(json)
}

fn read<T: serde::de::DeserializeOwned>(part: &str) -> Option<T> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use confab_domain::app::AppCode;
    use confab_domain::ids::{AppId, UserKey};

    use super::*;

    const NOW: Timestamp = Timestamp(1_769_853_600_000_000);

    fn app(code: &str, secret: &str) -> App {
        App {
            id: AppId(1),
            code: AppCode::parse(code).expect("a code"),
            name: String::new(),
            sdk_secret: secret.to_owned(),
            secret_key: "another".to_owned(),
            other_key: None,
            system_user: UserKey(2),
            created_at: NOW,
            has_chat_message_webhook: false,
            shows_sender_extras: false,
        }
    }

    fn valid_claims() -> IdentityClaims {
        let now = NOW.unix_seconds();
        let (nce, prn) = ("nonce".to_owned(), "ana".to_owned());
        IdentityClaims {
            iss: "shop".to_owned(),
            iat: now,
            exp: now + 600,
            nbf: now,
            nce,
            prn,
            chn: None,
            name: Some("Ana".to_owned()),
            avatar_url: None,
        }
    }

    #[test]
    fn a_token_is_valid_from_its_start_until_its_expiry() {
        let shop = app("shop", "secret");
        let token = token(&shop, &valid_claims());
        assert_eq!(claims(&shop, &token, NOW), Some(valid_claims()));
        let at = |seconds: i64| Timestamp(NOW.0 + seconds * 1_000_000);
        assert!(claims(&shop, &token, at(599)).is_some());
        assert!(claims(&shop, &token, at(600)).is_none());
        assert!(claims(&shop, &token, at(-1)).is_none());
    }

    #[test]
    fn a_token_that_is_unsigned_or_signed_with_another_key_is_rejected() {
        let shop = app("shop", "secret");
        let good = token(&shop, &valid_claims());
        assert!(claims(&app("shop", "other"), &good, NOW).is_none());
        assert!(claims(&app("other", "secret"), &good, NOW).is_none());
        let unsigned = part(&serde_json::json!({"alg": "none", "typ": "JWT"}));
        let unsigned = format!("{unsigned}.{}.", part(&valid_claims()));
        let odd_header = part(&serde_json::json!({"alg": "none"}));
        let odd = format!("{odd_header}.{}", part(&valid_claims()));
        let odd_mac = URL_SAFE_NO_PAD.encode(mac(&shop, &odd).finalize().into_bytes());
        let (start, _) = good.rsplit_once('.').expect("a token has three parts");
        let long = "x".repeat(BYTES_MAX + 1);
        let forged = [unsigned, format!("{odd}.{odd_mac}"), format!("{start}."), start.to_owned()];
        for forged in forged.iter().chain([&String::new(), &"a.b.c".to_owned(), &long]) {
            assert!(claims(&shop, forged, NOW).is_none(), "{forged}");
        }
        let mut changed = good.into_bytes();
        changed[60] ^= 1;
        let changed = String::from_utf8_lossy(&changed).into_owned();
        assert!(claims(&shop, &changed, NOW).is_none());
    }
}
