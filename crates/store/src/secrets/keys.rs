//! The keys that secrets are sealed with, and where they are kept.

use aws_lc_rs::aead::{AES_256_GCM_SIV, LessSafeKey, NONCE_LEN, UnboundKey};
use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::hkdf::{HKDF_SHA256, Salt};

use crate::secrets::hex::hex;

/// Bytes of a key.
pub const KEY_BYTES: usize = 32;

/// Digits of a key's name.
const ID_DIGITS: usize = 12;

/// Sets the key of packets apart from every other key that is derived from the same bytes.
const PACKETS: &[&[u8]] = &[b"confab packets between nodes 1"];

/// A key that secrets are sealed with. No `Debug`.
pub struct SecretKey {
    id: String,
    pub(super) cipher: LessSafeKey,
    /// Seals packets between nodes: derived, so that packets and secrets share no key.
    pub(super) packets: LessSafeKey,
}

impl SecretKey {
    /// The key of these bytes. Its name is made of them, so it cannot be mistaken for another.
    pub fn new(bytes: &[u8; KEY_BYTES]) -> Self {
        let named = [b"confab secrets key".as_slice(), bytes].concat();
        let mut id = hex(digest(&SHA256, &named).as_ref());
        id.truncate(ID_DIGITS);
        let key = UnboundKey::new(&AES_256_GCM_SIV, bytes).expect("as many bytes as it takes");
        let source = Salt::new(HKDF_SHA256, &[]).extract(bytes);
        let derived = source.expand(PACKETS, &AES_256_GCM_SIV).expect("the length is allowed");
        let packets = LessSafeKey::new(UnboundKey::from(derived));
        Self { id, cipher: LessSafeKey::new(key), packets }
    }

    /// Its name, which tells nothing about it.
    pub fn id(&self) -> &str {
        &self.id
    }
}

/// Where the keys are kept, outside of the database.
pub trait KeyFile: Send + Sync {
    /// The keys: first the one that seals, then those that only open. `None` without a file.
    fn read(&self) -> Result<Option<Vec<SecretKey>>, String>;

    /// Makes the file, with one new key, unless there is one meanwhile.
    fn make(&self) -> Result<(), String>;

    /// Random bytes that are not used twice.
    fn nonce(&self) -> [u8; NONCE_LEN];

    /// Its name, for whoever must do something about it.
    fn shown(&self) -> String;
}
