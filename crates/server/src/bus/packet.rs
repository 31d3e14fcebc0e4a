//! What travels: some hints of one sender, numbered without a gap.
//!
//! ```text
//! 1 byte    the version of this format
//! 16 bytes  the sender
//! 8 bytes   the number of the first hint in it; without hints, of the one to come
//! then      for each hint 2 bytes with its length, and the hint
//! ```
//!
//! Numbers are big-endian. A packet without hints says how far its sender is.

use bytes::{Buf, BufMut, Bytes, BytesMut};
use confab_domain::limits;

/// The name of a node, for as long as its process lives.
pub(super) type Sender = [u8; 16];

const VERSION: u8 = 1;
const HEAD_BYTES: usize = 1 + 16 + 8;
const LENGTH_BYTES: usize = 2;

// A hint of any size finds room, and its length fits.
const _: () = assert!(
    HEAD_BYTES + LENGTH_BYTES + limits::BUS_FRAME_BYTES_MAX <= limits::BUS_PACKET_BYTES_MAX
        && limits::BUS_FRAME_BYTES_MAX <= u16::MAX as usize
);

/// A packet that is being filled.
pub(super) struct Filling {
    bytes: BytesMut,
    hints: u64,
}

impl Filling {
    pub(super) fn new(sender: Sender, first: u64) -> Self {
        let mut bytes = BytesMut::with_capacity(HEAD_BYTES);
        bytes.put_u8(VERSION);
        bytes.put_slice(&sender);
        bytes.put_u64(first);
        Self { bytes, hints: 0 }
    }

    pub(super) fn has_room_for(&self, hint: &Bytes) -> bool {
        self.bytes.len() + LENGTH_BYTES + hint.len() <= limits::BUS_PACKET_BYTES_MAX
    }

    pub(super) fn add(&mut self, hint: &Bytes) {
        let length = u16::try_from(hint.len()).expect("hints have a bound");
        self.bytes.put_u16(length);
        self.bytes.put_slice(hint);
        self.hints += 1;
    }

    pub(super) fn seal(self) -> Sealed {
        Sealed { bytes: self.bytes.freeze(), hints: self.hints }
    }
}

/// A packet on its way.
pub(super) struct Sealed {
    pub(super) bytes: Bytes,
    pub(super) hints: u64,
}

/// A packet that came.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Packet {
    pub(super) sender: Sender,
    pub(super) first: u64,
    pub(super) hints: Vec<Bytes>,
}

impl Packet {
    /// Reads a packet; `None` if these bytes are none, or one of another version.
    pub(super) fn read(mut bytes: Bytes) -> Option<Self> {
        if bytes.len() < HEAD_BYTES || bytes.get_u8() != VERSION {
            return None;
        }
        let mut sender = Sender::default();
        bytes.copy_to_slice(&mut sender);
        let first = bytes.get_u64();
        let mut hints = Vec::new();
        while bytes.has_remaining() {
            let length = usize::from(bytes.try_get_u16().ok()?);
            if bytes.remaining() < length {
                return None;
            }
            hints.push(bytes.split_to(length));
        }
        // The number of the hint after them must exist.
        first.checked_add(hints.len() as u64)?;
        Some(Self { sender, first, hints })
    }

    /// The number of the hint after those in it.
    pub(super) fn next(&self) -> u64 {
        self.first + self.hints.len() as u64
    }
}
