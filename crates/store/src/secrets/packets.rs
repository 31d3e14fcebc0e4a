//! Sealing of packets between nodes, with a key derived from the server's secret key (D-0209).
//!
//! ```text
//! 1 byte    the version of this format
//! 6 bytes   the name of the key
//! 12 bytes  the nonce
//! then      the sealed packet and its tag
//! ```
//!
//! Guarantees that an opened packet was sealed by a process that has the key file. Does not
//! recognize a packet that is sent again: the packet itself must be numbered.

use std::sync::Arc;

use aws_lc_rs::aead::{Aad, NONCE_LEN, Nonce};

use super::keys::SecretKey;
use super::sealer::Sealer;

/// Version of the packet format. Packets of version 1 were not sealed.
const VERSION: u8 = 2;
const KEY_ID_BYTES: usize = 6;
const HEAD_BYTES: usize = 1 + KEY_ID_BYTES;
const TAG_BYTES: usize = 16;

/// Seals and opens packets between the nodes of one installation. Cheap to clone.
#[derive(Clone)]
pub struct PacketSealer(Arc<Sealer>);

impl PacketSealer {
    /// Number of bytes that sealing adds to a packet.
    pub const OVERHEAD_BYTES: usize = HEAD_BYTES + NONCE_LEN + TAG_BYTES;

    /// Creates a packet sealer that uses the keys of this sealer's key file.
    pub fn new(sealer: Arc<Sealer>) -> Self {
        Self(sealer)
    }

    /// Seals a packet with the first key of the key file.
    pub fn seal(&self, packet: &[u8]) -> Vec<u8> {
        let keys = self.0.keys_of_now();
        let nonce = self.0.file.nonce();
        let mut head = vec![VERSION];
        head.extend(key_id(&keys[0]));
        let mut text = packet.to_vec();
        keys[0]
            .packets
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(&head),
                &mut text,
            )
            .expect("no packet is as long as what cannot be sealed");
        [head.as_slice(), &nonce, &text].concat()
    }

    /// Returns the content of a packet; `None` unless it was sealed with a key of the key file.
    pub fn open(&self, sealed: &[u8]) -> Option<Vec<u8>> {
        let (head, rest) = sealed.split_at_checked(HEAD_BYTES)?;
        let (nonce, text) = rest.split_at_checked(NONCE_LEN)?;
        let (version, id) = head.split_first()?;
        if *version != VERSION {
            return None;
        }
        // Reads the file at most once a second, however many unknown keys are named.
        let keys = self.0.keys_of_now();
        let key = keys.iter().find(|key| key_id(key) == id)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut text = text.to_vec();
        let opened = key.packets.open_in_place(nonce, Aad::from(head), &mut text).ok()?.len();
        text.truncate(opened);
        Some(text)
    }
}

/// Returns the key's id as bytes.
fn key_id(key: &SecretKey) -> [u8; KEY_ID_BYTES] {
    let mut bytes = [0; KEY_ID_BYTES];
    for (at, byte) in bytes.iter_mut().enumerate() {
        let digits = key.id().get(2 * at..2 * at + 2).unwrap_or_default();
        *byte = u8::from_str_radix(digits, 16).unwrap_or_default();
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::sealer::tests::sealer;

    fn packets(seeds: &[u8]) -> PacketSealer {
        PacketSealer::new(Arc::new(sealer(seeds).0))
    }

    #[test]
    fn a_packet_opens_only_with_its_key_and_only_unmodified() {
        let ours = packets(&[1]);
        let sealed = ours.seal(b"a hint");
        assert_eq!(sealed.len(), b"a hint".len() + PacketSealer::OVERHEAD_BYTES);
        assert_eq!(packets(&[1]).open(&sealed).as_deref(), Some(b"a hint".as_slice()));
        assert_ne!(ours.seal(b"a hint"), sealed);
        assert_eq!(packets(&[2]).open(&sealed), None);
        for at in 0..sealed.len() {
            let mut forged = sealed.clone();
            forged[at] ^= 1;
            assert_eq!(ours.open(&forged), None, "byte {at}");
            assert_eq!(ours.open(&sealed[..at]), None, "cut at byte {at}");
        }
    }

    #[test]
    fn nodes_can_open_each_others_packets_at_every_step_of_a_key_change() {
        // The seal key comes first; the others are staged or old.
        let steps = [vec![1], vec![1, 2], vec![2, 1], vec![2]];
        for pair in steps.windows(2) {
            let (one, other) = (packets(&pair[0]), packets(&pair[1]));
            assert!(other.open(&one.seal(b"to the other")).is_some(), "{pair:?}");
            if pair[0].contains(&pair[1][0]) {
                assert!(one.open(&other.seal(b"and back")).is_some(), "{pair:?}");
            }
        }
    }
}
