//! The configuration of Apple's push service: its URL, and the token that authorizes pushes
//! (design/webhooks).

use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use confab_domain::limits;
use confab_domain::time::Timestamp;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use parking_lot::Mutex;
use serde::Serialize;

const HOST: &str = "https://api.push.apple.com";
/// Push host for development builds of mobile apps.
const DEVELOPMENT_HOST: &str = "https://api.sandbox.push.apple.com";
/// Age at which a token is replaced. Apple rejects tokens older than an hour, and more than one new
/// token in twenty minutes.
const RENEWED_AFTER: Duration = Duration::from_secs(40 * 60);
const RENEWED_NOT_WITHIN: Duration = Duration::from_secs(20 * 60);

/// The settings of Apple's push service; all clones share one token. No `Debug`: it has a private
/// key.
#[derive(Clone)]
pub struct Apns(Arc<ApnsInner>);

struct ApnsInner {
    key: EncodingKey,
    key_id: String,
    team_id: String,
    topic: String,
    host: Option<String>,
    token: Mutex<Option<Token>>,
}

struct Token {
    text: Arc<str>,
    made: Instant,
}

/// Reason why Apple rejected a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenRefused {
    /// The token is too old.
    Expired,
    /// The signature, key or team is wrong.
    Invalid,
}

#[derive(Serialize)]
struct ProviderClaims<'a> {
    iss: &'a str,
    iat: i64,
}

impl Apns {
    /// Reads the key file (`.p8`). The array has the key id, the team id and the app's bundle id;
    /// `host` replaces Apple's own.
    pub fn new(
        key_file: &Path,
        [key_id, team_id, topic]: [String; 3],
        host: Option<String>,
    ) -> Result<Self, String> {
        let key = read(key_file).map_err(|error| format!("it cannot be read: {error}"))?;
        let key = EncodingKey::from_ec_pem(&key).map_err(|_| {
            "it does not contain a private key; use a file of Apple such as AuthKey_ABC123.p8"
                .to_owned()
        })?;
        let token = Mutex::default();
        let apns = Self(Arc::new(ApnsInner { key, key_id, team_id, topic, host, token }));
        // Detect an unusable key at start.
        apns.signed(0).map_err(|error| format!("its key cannot sign: {error}"))?;
        Ok(apns)
    }

    /// Returns the push URL that the list of endpoints shows.
    pub fn url(&self) -> &str {
        self.host(false)
    }

    /// Returns the URL for pushes to a device, depending on whether it runs a development build.
    pub fn host(&self, is_development: bool) -> &str {
        match &self.0.host {
            Some(host) => host,
            None if is_development => DEVELOPMENT_HOST,
            None => HOST,
        }
    }

    /// Returns the bundle id of the app on the devices.
    pub fn topic(&self) -> &str {
        &self.0.topic
    }

    /// Returns the current token. Signs a new one if the current one is too old.
    pub fn token(&self, now: Timestamp) -> Result<Arc<str>, jsonwebtoken::errors::Error> {
        let mut token = self.0.token.lock();
        if let Some(known) = token.as_ref().filter(|it| it.made.elapsed() < RENEWED_AFTER) {
            return Ok(known.text.clone());
        }
        let text: Arc<str> = self.signed(now.unix_seconds())?.into();
        *token = Some(Token { text: text.clone(), made: Instant::now() });
        Ok(text)
    }

    /// Discards a token that Apple rejected. A recent token that Apple calls invalid is not
    /// discarded: a new one would be just as invalid, and Apple limits the rate of new tokens.
    pub fn refused(&self, text: &str, why: TokenRefused) {
        let mut token = self.0.token.lock();
        let is_left = |it: &Token| {
            &*it.text != text
                || why == TokenRefused::Invalid && it.made.elapsed() < RENEWED_NOT_WITHIN
        };
        if !token.as_ref().is_some_and(is_left) {
            *token = None;
        }
    }

    fn signed(&self, iat: i64) -> Result<String, jsonwebtoken::errors::Error> {
        let mut header = Header::new(Algorithm::ES256);
        (header.typ, header.kid) = (None, Some(self.0.key_id.clone()));
        encode(&header, &ProviderClaims { iss: &self.0.team_id, iat }, &self.0.key)
    }
}

fn read(file: &Path) -> std::io::Result<Vec<u8>> {
    let mut key = Vec::new();
    fs::File::open(file)?.take(limits::PUSH_KEY_BYTES_MAX).read_to_end(&mut key)?;
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apns() -> Apns {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("AuthKey.p8");
        let key = rcgen::KeyPair::generate_for(&rcgen::PKCS_ECDSA_P256_SHA256).expect("a key");
        fs::write(&file, key.serialize_pem()).expect("written");
        let ids = ["KEY", "TEAM", "com.example"].map(str::to_owned);
        Apns::new(&file, ids, None).expect("settings")
    }

    #[test]
    fn a_token_is_reused_for_many_pushes() {
        let apns = apns();
        let first = apns.token(Timestamp(0)).expect("signed");
        assert_eq!(apns.token(Timestamp(99_000_000)).expect("signed"), first);
    }

    #[test]
    fn an_expired_token_is_replaced_once_and_an_invalid_one_not_immediately() {
        let apns = apns();
        let first = apns.token(Timestamp(0)).expect("signed");
        apns.refused(&first, TokenRefused::Invalid);
        assert_eq!(apns.token(Timestamp(0)).expect("signed"), first);
        apns.refused(&first, TokenRefused::Expired);
        let second = apns.token(Timestamp(5_000_000)).expect("signed");
        assert_ne!(second, first);
        apns.refused(&first, TokenRefused::Expired);
        assert_eq!(apns.token(Timestamp(9_000_000)).expect("signed"), second);
    }

    #[test]
    fn development_devices_use_another_host_than_production_ones() {
        let apns = apns();
        assert_ne!(apns.host(true), apns.host(false));
        assert_eq!(apns.url(), "https://api.push.apple.com");
    }

    #[test]
    fn a_missing_or_invalid_key_file_is_rejected() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("AuthKey.p8");
        let problem = |file: &Path| Apns::new(file, Default::default(), None).err();
        assert!(problem(&file).is_some_and(|it| it.contains("cannot be read")));
        fs::write(&file, "no key").expect("written");
        assert!(problem(&file).is_some_and(|it| it.contains("private key")));
    }
}
