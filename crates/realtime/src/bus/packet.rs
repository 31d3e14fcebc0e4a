//! The packet format: consecutively numbered hints of one sender, sealed as a whole (D-0209).
//!
//! ```text
//! 16 bytes  id of the sender
//! 1 byte    its node number, 255 for none
//! 8 bytes   number of this packet
//! 8 bytes   time of sealing, in milliseconds
//! 8 bytes   number of the first hint in it; without hints, of the next one
//! then      for each hint 2 bytes with its length, and the hint
//! ```
//!
//! Numbers are big-endian. A packet without hints states the position of its sender. The number and
//! the time of a packet let a receiver drop repeated packets.

use bytes::{Buf, BufMut, Bytes, BytesMut};
use confab_domain::limits;
use confab_domain::time::Timestamp;
use confab_store::PacketSealer;

/// Random id of a sending process.
pub(super) type Sender = [u8; 16];

const NO_NODE: u8 = u8::MAX;
const HEAD_BYTES: usize = 16 + 1 + 8 + 8 + 8;
const LENGTH_BYTES: usize = 2;
/// Maximum total size of the hints in one packet in bytes, including their length fields.
const HINT_BYTES_MAX: usize =
    limits::BUS_PACKET_BYTES_MAX - PacketSealer::OVERHEAD_BYTES - HEAD_BYTES;

// A hint of maximum size fits into a packet, and its length into two bytes.
const _: () = assert!(
    LENGTH_BYTES + limits::BUS_FRAME_BYTES_MAX <= HINT_BYTES_MAX
        && limits::BUS_FRAME_BYTES_MAX <= u16::MAX as usize
        && limits::NODES_MAX <= NO_NODE as i64
);

/// Header of a packet: its sender, its sequence number, its time, and the number of its first hint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PacketHead {
    pub(super) sender: Sender,
    /// Node number of the sender, if its store assigned one.
    pub(super) node: Option<i64>,
    /// Sequence number of the packet, which increases with every packet of the sender.
    pub(super) sequence: u64,
    pub(super) sealed_at: Timestamp,
    /// Number of the first hint in the packet, or of the sender's next hint if the packet has none.
    pub(super) first: u64,
}

/// A packet under construction, to which hints are added.
pub(super) struct OpenPacket {
    head: PacketHead,
    hint_bytes: BytesMut,
    hints: u64,
}

impl OpenPacket {
    pub(super) fn new(head: PacketHead) -> Self {
        Self { head, hint_bytes: BytesMut::new(), hints: 0 }
    }

    pub(super) fn has_room_for(&self, hint: &Bytes) -> bool {
        self.hint_bytes.len() + LENGTH_BYTES + hint.len() <= HINT_BYTES_MAX
    }

    pub(super) fn add(&mut self, hint: &Bytes) {
        let length = u16::try_from(hint.len()).expect("hints are shorter than 64 KiB");
        self.hint_bytes.put_u16(length);
        self.hint_bytes.put_slice(hint);
        self.hints += 1;
    }

    pub(super) fn seal(self, sealer: &PacketSealer) -> SealedPacket {
        let PacketHead { sender, node, sequence, sealed_at, first } = self.head;
        let mut packet = BytesMut::with_capacity(HEAD_BYTES + self.hint_bytes.len());
        packet.put_slice(&sender);
        packet.put_u8(node.and_then(|node| u8::try_from(node).ok()).unwrap_or(NO_NODE));
        packet.put_u64(sequence);
        packet.put_i64(sealed_at.unix_ms());
        packet.put_u64(first);
        packet.put_slice(&self.hint_bytes);
        SealedPacket { bytes: sealer.seal(&packet).into(), hints: self.hints }
    }
}

/// A sealed packet, ready to send.
pub(super) struct SealedPacket {
    pub(super) bytes: Bytes,
    pub(super) hints: u64,
}

/// A received packet.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Packet {
    pub(super) head: PacketHead,
    pub(super) hints: Vec<Bytes>,
}

impl Packet {
    /// Decrypts and parses a packet. Returns `None` unless a node with the same key file sealed it.
    pub(super) fn open(sealed: &[u8], sealer: &PacketSealer) -> Option<Self> {
        if sealed.len() > limits::BUS_PACKET_BYTES_MAX {
            return None;
        }
        Self::read(sealer.open(sealed)?.into())
    }

    /// Parses a decrypted packet. Returns `None` if the bytes are malformed.
    pub(super) fn read(mut bytes: Bytes) -> Option<Self> {
        if bytes.len() < HEAD_BYTES {
            return None;
        }
        let mut sender = Sender::default();
        bytes.copy_to_slice(&mut sender);
        let node = Some(i64::from(bytes.get_u8())).filter(|node| *node < limits::NODES_MAX);
        let sequence = bytes.get_u64();
        let sealed_at = Timestamp(bytes.get_i64().checked_mul(1_000)?);
        let first = bytes.get_u64();
        let mut hints = Vec::new();
        while bytes.has_remaining() {
            let length = usize::from(bytes.try_get_u16().ok()?);
            if bytes.remaining() < length {
                return None;
            }
            hints.push(bytes.split_to(length));
        }
        // The number of the next hint must not overflow.
        first.checked_add(hints.len() as u64)?;
        Some(Self { head: PacketHead { sender, node, sequence, sealed_at, first }, hints })
    }

    /// Returns the number of the sender's first hint after this packet.
    pub(super) fn next(&self) -> u64 {
        self.head.first + self.hints.len() as u64
    }
}
