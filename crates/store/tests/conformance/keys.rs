//! In-memory keys, which tests change as an operator changes the key file.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use confab_store::{KEY_BYTES, KeyFile, SecretKey};
use parking_lot::Mutex;

/// Keys derived from seeds; the first one seals.
#[derive(Clone)]
pub struct TestKeys(Arc<Mutex<Option<Vec<u8>>>>);

impl TestKeys {
    pub fn new(seeds: &[u8]) -> Self {
        Self(Arc::new(Mutex::new(Some(seeds.to_vec()))))
    }

    /// Returns a key file that does not exist.
    pub fn none() -> Self {
        Self(Arc::default())
    }

    pub fn set(&self, seeds: &[u8]) {
        *self.0.lock() = Some(seeds.to_vec());
    }

    pub fn is_there(&self) -> bool {
        self.0.lock().is_some()
    }

    /// Returns the id of the key of a seed.
    pub fn id(seed: u8) -> String {
        SecretKey::new(&[seed; KEY_BYTES]).id().to_owned()
    }
}

impl KeyFile for TestKeys {
    fn read(&self) -> Result<Option<Vec<SecretKey>>, String> {
        let key = |seed: &u8| SecretKey::new(&[*seed; KEY_BYTES]);
        Ok(self.0.lock().as_ref().map(|seeds| seeds.iter().map(key).collect()))
    }

    fn make(&self) -> Result<(), String> {
        self.0.lock().get_or_insert_with(|| vec![99]);
        Ok(())
    }

    /// Returns a new nonce on each call, also across concurrent tests.
    fn nonce(&self) -> [u8; 12] {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let mut nonce = [0; 12];
        nonce[..8].copy_from_slice(&COUNT.fetch_add(1, Ordering::Relaxed).to_le_bytes());
        nonce
    }

    fn shown(&self) -> String {
        "the test's keys".to_owned()
    }
}
