//! Keys that seal secrets, and the file that holds them.

use aws_lc_rs::aead::{AES_256_GCM_SIV, LessSafeKey, NONCE_LEN, UnboundKey};
use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::hkdf::{HKDF_SHA256, Salt};

use crate::secrets::hex::hex;

/// Length of a key in bytes.
pub const KEY_BYTES: usize = 32;

/// Number of hexadecimal digits of a key's id.
const ID_DIGITS: usize = 12;

/// HKDF info for deriving the key that seals packets between nodes.
const PACKETS: &[&[u8]] = &[b"confab packets between nodes 1"];

/// A key that seals secrets. No `Debug`: it must not be logged.
pub struct SecretKey {
    id: String,
    pub(super) cipher: LessSafeKey,
    /// Key that seals packets between nodes. It is derived, so that packets and secrets share no
    /// key.
    pub(super) packets: LessSafeKey,
}

impl SecretKey {
    /// Creates a key. Its id is derived from its bytes, so keys cannot be confused.
    pub fn new(bytes: &[u8; KEY_BYTES]) -> Self {
        let named = [b"confab secrets key".as_slice(), bytes].concat();
        let mut id = hex(digest(&SHA256, &named).as_ref());
        id.truncate(ID_DIGITS);
        let key = UnboundKey::new(&AES_256_GCM_SIV, bytes).expect("the length of the key is fixed");
        let source = Salt::new(HKDF_SHA256, &[]).extract(bytes);
        let derived = source.expand(PACKETS, &AES_256_GCM_SIV).expect("the length is allowed");
        let packets = LessSafeKey::new(UnboundKey::from(derived));
        Self { id, cipher: LessSafeKey::new(key), packets }
    }

    /// Returns the id, which reveals nothing about the key.
    pub fn id(&self) -> &str {
        &self.id
    }
}

/// The file that holds the keys, outside of the database.
pub trait KeyFile: Send + Sync {
    /// Returns the keys of the file: the first one seals, the others only open. `None` if there is
    /// no file.
    fn read(&self) -> Result<Option<Vec<SecretKey>>, String>;

    /// Creates the file with one new key, unless the file already exists.
    fn make(&self) -> Result<(), String>;

    /// Returns random bytes that are never used twice.
    fn nonce(&self) -> [u8; NONCE_LEN];

    /// Returns the path of the file, for messages to the operator.
    fn shown(&self) -> String;
}
