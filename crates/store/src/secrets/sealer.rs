//! Encrypts (seals) and decrypts (opens) secrets. A sealed secret is bound to its row.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aws_lc_rs::aead::{Aad, NONCE_LEN, Nonce};
use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use parking_lot::RwLock;

use super::keys::{KeyFile, SecretKey};
use crate::error::StoreError;
use crate::secrets::hex::hex;

/// Prefix of every sealed text, which identifies the sealing method. The id of the key and the
/// ciphertext follow, separated by a colon.
const WAY: &str = "s1:";

/// Interval at which the key file is read again, because an operator may have changed the first
/// key.
const REREAD_AFTER: Duration = Duration::from_secs(1);

/// The column and row that hold a secret. A sealed text opens only at its own location.
#[derive(Clone, Copy)]
pub(crate) enum SecretLocation<'a> {
    /// An app's secret for the message API.
    AppSecret(&'a str),
    /// One of an app's secret keys: the current one and the other one share a location, because
    /// they swap columns.
    AppKey(&'a str),
    /// A user's access token.
    UserToken(i64),
    /// Key with which a channel's gateway authenticates.
    ChannelKey(i64),
    /// Credential of a channel's account at its provider.
    ChannelSecret(i64, &'a str),
    /// Body of a webhook that contains a key.
    DeliveryBody(i64),
    /// A known text, sealed to check later whether a key is the right one.
    Proof,
}

impl fmt::Display for SecretLocation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AppSecret(code) => write!(f, "apps.sdk_secret of {code}"),
            Self::AppKey(code) => write!(f, "apps.secret_key of {code}"),
            Self::UserToken(user) => write!(f, "users.sealed_token of {user}"),
            Self::ChannelKey(channel) => write!(f, "channels.identifier_key of {channel}"),
            Self::ChannelSecret(channel, name) => {
                write!(f, "channel_secrets.sealed of {channel} {name}")
            }
            Self::DeliveryBody(delivery) => write!(f, "deliveries.body of {delivery}"),
            Self::Proof => f.write_str("secret_keys.proof"),
        }
    }
}

/// Seals and opens secrets. No `Debug`: it holds keys.
pub struct Sealer {
    pub(super) file: Box<dyn KeyFile>,
    loaded: RwLock<Loaded>,
}

struct Loaded {
    keys: Arc<[SecretKey]>,
    at: Instant,
}

impl Sealer {
    pub(super) fn new(file: Box<dyn KeyFile>, keys: Vec<SecretKey>) -> Self {
        let loaded = Loaded { keys: keys.into(), at: Instant::now() };
        Self { file, loaded: RwLock::new(loaded) }
    }

    /// Seals a text for a location with the first key of the file.
    pub(crate) fn seal(&self, place: SecretLocation<'_>, clear: &str) -> String {
        self.seal_with(&self.keys_of_now()[0], place, clear)
    }

    pub(super) fn seal_with(
        &self,
        key: &SecretKey,
        place: SecretLocation<'_>,
        clear: &str,
    ) -> String {
        let nonce = self.file.nonce();
        let mut sealed = nonce.to_vec();
        let mut text = clear.as_bytes().to_vec();
        let place = Aad::from(place.to_string().into_bytes());
        key.cipher
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), place, &mut text)
            .expect("secrets are shorter than the limit of the cipher");
        sealed.append(&mut text);
        format!("{}{}", prefix(key.id()), URL_SAFE_NO_PAD.encode(sealed))
    }

    /// Opens a sealed text at its location. The error names the location and the key.
    pub(crate) fn open_text(
        &self,
        place: SecretLocation<'_>,
        sealed: &str,
    ) -> Result<String, StoreError> {
        let opened = self.opened(place, sealed);
        opened.map_err(StoreError::while_doing("decrypting a secret"))
    }

    pub(super) fn opened(&self, place: SecretLocation<'_>, sealed: &str) -> Result<String, String> {
        let (id, rest) = sealed
            .strip_prefix(WAY)
            .and_then(|rest| rest.split_once(':'))
            .ok_or_else(|| format!("{place} is not encrypted"))?;
        let is_it = |key: &&SecretKey| key.id() == id;
        let mut keys = self.loaded.read().keys.clone();
        if !keys.iter().any(|key| is_it(&key)) {
            // The key may have been added just now.
            keys = self.reread();
        }
        let key = keys.iter().find(is_it).ok_or_else(|| {
            format!("{place} is encrypted with the key {id}, which is not in {}", self.file.shown())
        })?;
        let broken = || format!("{place} was not encrypted for this location, or was modified");
        let mut bytes = URL_SAFE_NO_PAD.decode(rest).map_err(|_| broken())?;
        let (nonce, text) = bytes.split_at_mut_checked(NONCE_LEN).ok_or_else(broken)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| broken())?;
        let bound = Aad::from(place.to_string().into_bytes());
        let clear = key.cipher.open_in_place(nonce, bound, text).map_err(|_| broken())?;
        String::from_utf8(clear.to_vec()).map_err(|_| broken())
    }

    /// Opens a webhook's body, which is sealed only if it contains a key. JSON never begins with
    /// the prefix of a sealed text.
    pub(crate) fn open_body(&self, delivery: i64, body: String) -> Result<String, StoreError> {
        match body.starts_with(WAY) {
            true => self.open_text(SecretLocation::DeliveryBody(delivery), &body),
            false => Ok(body),
        }
    }

    /// Returns the keys, reread at most a second ago: a text must not be sealed with a key that the
    /// operator has already removed.
    pub(super) fn keys_of_now(&self) -> Arc<[SecretKey]> {
        {
            let loaded = self.loaded.read();
            if loaded.at.elapsed() < REREAD_AFTER {
                return loaded.keys.clone();
            }
        }
        self.reread()
    }

    /// Reads the key file again. If it is missing, the cached keys remain in use until the next
    /// start.
    pub(super) fn reread(&self) -> Arc<[SecretKey]> {
        let read = self.file.read();
        let mut loaded = self.loaded.write();
        if let Ok(Some(keys)) = read
            && !keys.is_empty()
        {
            loaded.keys = keys.into();
        }
        loaded.at = Instant::now();
        loaded.keys.clone()
    }
}

/// Returns the prefix of texts sealed with this key.
pub(super) fn prefix(key_id: &str) -> String {
    format!("{WAY}{key_id}:")
}

/// Returns the hash under which a token's user is stored. Tokens have 256 random bits and cannot be
/// guessed from their hash, so the hash needs no key.
pub(crate) fn token_hash(token: &str) -> String {
    hex(digest(&SHA256, token.as_bytes()).as_ref())
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::KEY_BYTES;
    use crate::secrets::statements;
    use std::sync::Mutex;

    use confab_domain::decision::stamp::Stamps;
    use confab_domain::time::Timestamp;

    use super::*;

    /// A key file in memory. Each nonce is used once.
    pub(crate) struct SealerKeys(pub(crate) Arc<Mutex<Vec<u8>>>);

    impl KeyFile for SealerKeys {
        fn read(&self) -> Result<Option<Vec<SecretKey>>, String> {
            let seeds = self.0.lock().expect("not poisoned");
            Ok(Some(seeds.iter().map(|seed| SecretKey::new(&[*seed; KEY_BYTES])).collect()))
        }

        fn make(&self) -> Result<(), String> {
            Err("there is one".to_owned())
        }

        fn nonce(&self) -> [u8; NONCE_LEN] {
            static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
            let count = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let mut nonce = [0; NONCE_LEN];
            nonce[..4].copy_from_slice(&count.to_le_bytes());
            nonce
        }

        fn shown(&self) -> String {
            "the file".to_owned()
        }
    }

    /// Stamps for a store to which nothing is written.
    pub(crate) struct NoStamps;

    impl Stamps for NoStamps {
        fn now(&self) -> Timestamp {
            Timestamp(0)
        }

        fn next_id(&self, after: i64) -> i64 {
            after + 1
        }

        fn serve_as(&self, _: i64) {}
    }

    /// Returns a sealer with keys made from these seeds, and the seeds, which tests can change.
    pub(crate) fn sealer(seeds: &[u8]) -> (Sealer, Arc<Mutex<Vec<u8>>>) {
        let seeds = Arc::new(Mutex::new(seeds.to_vec()));
        let file = SealerKeys(seeds.clone());
        let keys = file.read().expect("read").expect("keys");
        (Sealer::new(Box::new(file), keys), seeds)
    }

    fn refusal(sealer: &Sealer, place: SecretLocation<'_>, sealed: &str) -> String {
        sealer.open_text(place, sealed).expect_err("refused").source.to_string()
    }

    #[test]
    fn sealed_texts_open_only_at_their_location_and_are_never_identical() {
        let (sealer, _) = sealer(&[1]);
        let place = SecretLocation::UserToken(7);
        let sealed = sealer.seal(place, "the token");
        assert!(!sealed.contains("token") && sealed.starts_with(WAY), "{sealed}");
        assert_ne!(sealed, sealer.seal(place, "the token"));
        assert_eq!(sealer.open_text(place, &sealed).expect("opens"), "the token");
        for other in [
            SecretLocation::UserToken(8),
            SecretLocation::ChannelKey(7),
            SecretLocation::ChannelSecret(7, "bot_token"),
            SecretLocation::AppKey("7"),
            SecretLocation::Proof,
        ] {
            let error = refusal(&sealer, other, &sealed);
            assert!(error.contains("not encrypted for this location"), "{error}");
        }
    }

    #[test]
    fn malformed_sealed_texts_are_rejected_without_quoting_them() {
        let (sealer, _) = sealer(&[1]);
        let whole = sealer.seal(SecretLocation::UserToken(7), "the token");
        let id = SecretKey::new(&[1; KEY_BYTES]).id().to_owned();
        let half = whole[..whole.len() / 2].to_owned();
        for text in ["plain-secret", "", "s1:", &half, &format!("s1:{id}:"), &format!("s1:{id}:é")]
        {
            let error = refusal(&sealer, SecretLocation::UserToken(7), text);
            assert!(
                error.contains("users.sealed_token of 7") && !error.contains("plain"),
                "{error}"
            );
        }
        assert_eq!(whole.find(&prefix(&id)), Some(0));
        // Statements rely on this length.
        assert_eq!(prefix(&id).len(), 16);
    }

    #[test]
    fn an_added_key_is_used_and_a_missing_one_is_reported() {
        let (first, seeds) = sealer(&[1]);
        let old = first.seal(SecretLocation::UserToken(7), "the token");
        let (second, _) = sealer(&[2, 1]);
        let new = second.seal(SecretLocation::UserToken(7), "the token");
        let error = refusal(&first, SecretLocation::UserToken(7), &new);
        assert!(error.contains("which is not in the file"), "{error}");
        *seeds.lock().expect("not poisoned") = vec![2, 1];
        for sealed in [&new, &old] {
            let opened = first.open_text(SecretLocation::UserToken(7), sealed);
            assert_eq!(opened.expect("opens"), "the token");
        }
        // New texts are sealed with the key that is now first.
        assert!(first.seal(SecretLocation::UserToken(7), "the token").starts_with(&new[..16]));
    }

    #[test]
    fn the_statements_select_the_kinds_that_hold_a_key() {
        use confab_domain::webhooks::event_kind::EventKind;
        let kinds = EventKind::ALL.into_iter().filter(|kind| kind.holds_key());
        let quoted: Vec<_> = kinds.map(|kind| format!("'{}'", kind.as_str())).collect();
        let named = format!("kind IN ({})", quoted.join(", "));
        for statement in [
            &statements::SQLITE_DELIVERIES,
            &statements::POSTGRES_DELIVERIES,
            &statements::COUNT_DELIVERIES,
        ] {
            assert!(statement.postgres().contains(&named), "{named}");
        }
    }

    #[test]
    fn a_body_without_keys_is_not_sealed() {
        let (sealer, _) = sealer(&[1]);
        let body = |text: String| sealer.open_body(3, text).expect("opens");
        assert_eq!(body("{\"a\":1}".to_owned()), "{\"a\":1}");
        assert_eq!(body(sealer.seal(SecretLocation::DeliveryBody(3), "{\"b\":2}")), "{\"b\":2}");
    }
}
