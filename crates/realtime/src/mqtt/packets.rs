//! Reads MQTT packets. Rejects invalid ones that the codec does not detect or that make it panic.

use bytes::{Bytes, BytesMut};
use confab_domain::limits;
use mqute_codec::Error;
use mqute_codec::codec::{PacketCodec, RawPacket};
use mqute_codec::protocol::PacketType;
use mqute_codec::protocol::v4::Packet;

/// Protocol violation for which a client is cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Broken {
    /// The bytes are not a valid packet.
    Malformed,
    /// The packet is too large, or has too many entries.
    TooMuch,
    /// A packet of this type is not allowed now, or not from a client.
    OutOfOrder,
    /// The client uses another version of MQTT.
    WrongLevel,
}

/// Protocol level of MQTT 3.1.1.
const LEVEL: u8 = 4;

/// Removes the next packet from the buffer, if it has arrived completely.
pub(super) fn take(buffer: &mut BytesMut) -> Result<Option<Packet>, Broken> {
    let codec = PacketCodec::new(Some(limits::MQTT_PACKET_BYTES_MAX), None);
    // Not `decode`: it reserves as much memory as the client announces.
    let raw = match codec.try_decode(buffer) {
        Ok(raw) => raw,
        Err(Error::NotEnoughBytes(_)) => return Ok(None),
        Err(Error::PayloadSizeLimitExceeded(_)) => return Err(Broken::TooMuch),
        Err(_) => return Err(Broken::Malformed),
    };
    check(&raw)?;
    Packet::decode(raw).map(Some).map_err(|_| Broken::Malformed)
}

/// Rejects invalid packets that the codec does not detect or that make it panic.
fn check(raw: &RawPacket) -> Result<(), Broken> {
    match raw.header.packet_type() {
        PacketType::Connect => check_connect(&raw.payload),
        PacketType::PubAck | PacketType::PubRec | PacketType::PubRel | PacketType::PubComp => {
            // The payload is the packet id alone, which is never 0.
            let is_whole = raw.payload.len() == 2 && raw.payload[..] != [0, 0];
            if is_whole { Ok(()) } else { Err(Broken::Malformed) }
        }
        PacketType::Subscribe | PacketType::Unsubscribe => match raw.payload[..] {
            [0, 0, ..] | [] | [_] => Err(Broken::Malformed),
            _ => Ok(()),
        },
        PacketType::Publish | PacketType::PingReq | PacketType::Disconnect => Ok(()),
        PacketType::ConnAck
        | PacketType::SubAck
        | PacketType::UnsubAck
        | PacketType::PingResp
        | PacketType::Auth => Err(Broken::OutOfOrder),
    }
}

fn check_connect(payload: &Bytes) -> Result<(), Broken> {
    let [high, low, rest @ ..] = &payload[..] else { return Err(Broken::Malformed) };
    let name_end = usize::from(u16::from_be_bytes([*high, *low]));
    let name = rest.get(..name_end).ok_or(Broken::Malformed)?;
    let [level, flags, ..] = rest[name_end..] else { return Err(Broken::Malformed) };
    if name == b"MQIsdp" || (name == b"MQTT" && level != LEVEL) {
        return Err(Broken::WrongLevel);
    }
    let is_set = |bit: u8| flags & (1 << bit) != 0;
    let is_reserved_set = is_set(0);
    let has_will_without_will = !is_set(2) && flags & 0b0011_1000 != 0;
    let has_password_without_name = is_set(6) && !is_set(7);
    if is_reserved_set || has_will_without_will || has_password_without_name {
        return Err(Broken::Malformed);
    }
    Ok(())
}
