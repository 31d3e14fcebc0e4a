//! Tests of the protocol without sockets: edge cases of the codec, and robustness against any
//! input.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use confab_domain::limits;
use mqute_codec::codec::{Encode, PacketCodec};
use mqute_codec::protocol::v4::{
    Connect, Packet, PingReq, PubAck, PubComp, PubRec, PubRel, Publish, Subscribe, TopicQosFilter,
    Unsubscribe,
};
use mqute_codec::protocol::{Flags, QoS};
use proptest::prelude::*;

use super::outbox::{MqttOutbox, OutgoingMessage};
use super::packets::{self, Broken};
use super::protocol::{ClientCommand, Protocol};

fn bytes_of(packet: &impl Encode) -> BytesMut {
    let mut bytes = BytesMut::new();
    packet.encode(&mut bytes).expect("written");
    bytes
}

fn taken(bytes: &[u8]) -> Result<Option<Packet>, Broken> {
    packets::take(&mut BytesMut::from(bytes))
}

fn connect() -> Connect {
    Connect::new("client", None, None, Duration::from_secs(30), true)
}

fn begun() -> Protocol {
    let mut protocol = Protocol::default();
    protocol.inward.extend_from_slice(&bytes_of(&connect()));
    assert!(matches!(protocol.next(), Ok(Some(ClientCommand::Connect(_)))));
    protocol
}

/// Parses all written bytes as a client would.
fn written(protocol: &mut Protocol) -> Vec<Packet> {
    let codec = PacketCodec::new(None, None);
    let mut bytes = std::mem::take(&mut protocol.outward);
    let mut packets = Vec::new();
    while !bytes.is_empty() {
        let raw = codec.try_decode(&mut bytes).expect("whole packets");
        packets.push(Packet::decode(raw).expect("packets that can be read"));
    }
    packets
}

fn message(payload: &'static str, qos: QoS) -> OutgoingMessage {
    let (topic, payload) = ("abc/c".into(), Bytes::from(payload));
    OutgoingMessage { topic, payload, qos, is_retained: false }
}

#[test]
fn packets_that_make_the_codec_panic_are_rejected_before_decoding() {
    let malformed: [&[u8]; 12] = [
        // CONNECT that ends inside or directly after the protocol's name.
        b"\x10\x00",
        b"\x10\x01\x00",
        b"\x10\x06\x00\x04MQTT",
        b"\x10\x07\x00\x04MQTT\x04",
        // CONNECT with reserved flags, a will's QoS without a will, a password without a name.
        b"\x10\x0e\x00\x04MQTT\x04\x03\x00\x3c\x00\x02ab",
        b"\x10\x0e\x00\x04MQTT\x04\x0a\x00\x3c\x00\x02ab",
        b"\x10\x0e\x00\x04MQTT\x04\x42\x00\x3c\x00\x02ab",
        // Packet id 0.
        b"\x40\x02\x00\x00",
        b"\x62\x02\x00\x00",
        b"\x82\x06\x00\x00\x00\x01a\x00",
        b"\xa2\x05\x00\x00\x00\x01a",
        // SUBSCRIBE without a filter.
        b"\x82\x02\x00\x01",
    ];
    for bytes in malformed {
        assert_eq!(taken(bytes), Err(Broken::Malformed), "{bytes:x?}");
    }
}

#[test]
fn other_protocol_versions_are_distinguished_from_malformed_packets() {
    let mqtt_5 = b"\x10\x0f\x00\x04MQTT\x05\x02\x00\x3c\x00\x00\x02ab";
    assert_eq!(taken(mqtt_5), Err(Broken::WrongLevel));
    let mqtt_3_1 = b"\x10\x10\x00\x06MQIsdp\x03\x02\x00\x3c\x00\x02ab";
    assert_eq!(taken(mqtt_3_1), Err(Broken::WrongLevel));
    assert_eq!(taken(b"\x10\x0e\x00\x04NATS\x04\x02\x00\x3c\x00\x02ab"), Err(Broken::Malformed));
}

#[test]
fn a_packet_that_announces_too_large_a_size_is_rejected_at_once() {
    let mut bytes = BytesMut::from(&b"\x30\xff\xff\x7f"[..]);
    assert_eq!(packets::take(&mut bytes), Err(Broken::TooMuch));
    assert_eq!(
        taken(b"\x30\xff\xff\xff\xff\x7f"),
        Err(Broken::Malformed),
        "a length has at most four bytes"
    );
    let mut bytes = BytesMut::from(&b"\x30\x80\x80\x08"[..]);
    assert_eq!(packets::take(&mut bytes), Ok(None), "the announced size is allowed");
    assert!(bytes.capacity() < 1024, "no memory is reserved for an announced size");
}

#[test]
fn connect_is_accepted_first_and_only_once() {
    let mut early = Protocol::default();
    early.inward.extend_from_slice(&bytes_of(&PingReq {}));
    assert!(matches!(early.next(), Err(Broken::OutOfOrder)));
    let mut twice = begun();
    twice.inward.extend_from_slice(&bytes_of(&connect()));
    assert!(matches!(twice.next(), Err(Broken::OutOfOrder)));
}

#[test]
fn a_repeated_qos_2_message_is_published_once() {
    let mut protocol = begun();
    let flags = |dup| Flags { dup, qos: QoS::ExactlyOnce, retain: false };
    let publish = |dup| bytes_of(&Publish::new("u/ana/s", 7, Bytes::from("1"), flags(dup)));
    protocol.inward.extend_from_slice(&publish(false));
    assert!(matches!(protocol.next(), Ok(Some(ClientCommand::Publish(..)))));
    protocol.inward.extend_from_slice(&publish(true));
    assert!(matches!(protocol.next(), Ok(Some(ClientCommand::Nothing))));
    protocol.inward.extend_from_slice(&bytes_of(&PubRel::new(7)));
    assert!(matches!(protocol.next(), Ok(Some(ClientCommand::Nothing))));
    let answers = [PubRec::new(7).into(), PubRec::new(7).into(), PubComp::new(7).into()];
    assert_eq!(written(&mut protocol), answers);
    protocol.inward.extend_from_slice(&publish(false));
    assert!(
        matches!(protocol.next(), Ok(Some(ClientCommand::Publish(..)))),
        "the id is free again"
    );
}

#[test]
fn a_rejected_filter_is_answered_with_0x80() {
    let mut protocol = begun();
    protocol.granted(3, vec![Some(QoS::ExactlyOnce), None, Some(QoS::AtMostOnce)]);
    assert_eq!(protocol.outward[..], *b"\x90\x05\x00\x03\x02\x80\x00");
}

#[test]
fn messages_in_flight_and_queued_messages_are_limited() {
    let mut protocol = begun();
    let all = limits::MQTT_IN_FLIGHT_MAX + limits::MQTT_QUEUED_MAX;
    for _ in 0..all {
        protocol.show(message("hello", QoS::AtLeastOnce)).expect("the queue has room");
    }
    assert!(protocol.show(message("one more", QoS::AtLeastOnce)).is_err());
    assert_eq!(written(&mut protocol).len(), limits::MQTT_IN_FLIGHT_MAX);
    protocol.inward.extend_from_slice(&bytes_of(&PubAck::new(1)));
    assert!(matches!(protocol.next(), Ok(Some(ClientCommand::Nothing))));
    assert_eq!(written(&mut protocol).len(), 1, "the next message is sent");
}

#[test]
fn unacknowledged_messages_are_resent_marked_and_in_order() {
    let (mut outbox, mut out) = (MqttOutbox::default(), BytesMut::new());
    for (text, qos) in [("a", QoS::AtLeastOnce), ("b", QoS::ExactlyOnce), ("c", QoS::ExactlyOnce)] {
        outbox.send(message(text, qos), &mut out).expect("the queue has room");
    }
    outbox.release(2, &mut out);
    let mut protocol = begun();
    protocol.exchange.outbox = outbox;
    protocol.exchange.outbox.resend(&mut protocol.outward);
    let dup = |text: &'static str, id, qos| {
        let flags = Flags { dup: true, qos, retain: false };
        Packet::from(Publish::new("abc/c", id, Bytes::from(text), flags))
    };
    let again =
        [dup("a", 1, QoS::AtLeastOnce), PubRel::new(2).into(), dup("c", 3, QoS::ExactlyOnce)];
    assert_eq!(written(&mut protocol), again);
}

fn any_packet() -> impl Strategy<Value = Vec<u8>> {
    let text = "[a-z/+#é]{1,20}";
    let qos = (0u8..3).prop_map(|it| QoS::try_from(it).expect("a QoS"));
    let id = 1u16..20;
    let publish = ("[a-z/é]{1,20}", id.clone(), any::<Vec<u8>>(), qos.clone(), any::<bool>());
    let filters = proptest::collection::vec("[a-z/]{1,9}", 1..4);
    prop_oneof![
        Just(bytes_of(&connect()).to_vec()),
        Just(bytes_of(&PingReq {}).to_vec()),
        publish.prop_map(|(topic, id, payload, qos, dup)| {
            let flags = Flags { dup, qos, retain: dup };
            bytes_of(&Publish::new(topic, id, payload.into(), flags)).to_vec()
        }),
        id.clone().prop_map(|id| bytes_of(&PubAck::new(id)).to_vec()),
        id.clone().prop_map(|id| bytes_of(&PubRec::new(id)).to_vec()),
        id.clone().prop_map(|id| bytes_of(&PubRel::new(id)).to_vec()),
        id.clone().prop_map(|id| bytes_of(&PubComp::new(id)).to_vec()),
        (id.clone(), filters.clone(), qos).prop_map(|(id, filters, qos)| {
            let filters = filters.into_iter().map(|it| TopicQosFilter::new(it, qos));
            bytes_of(&Subscribe::new(id, filters)).to_vec()
        }),
        (id, filters).prop_map(|(id, it)| bytes_of(&Unsubscribe::new(id, it)).to_vec()),
        text.prop_map(String::into_bytes),
    ]
}

/// Feeds all bytes in pieces, and sends a message after each.
fn feed(protocol: &mut Protocol, bytes: &[u8], piece: usize) {
    for (place, piece) in bytes.chunks(piece.max(1)).enumerate() {
        protocol.inward.extend_from_slice(piece);
        loop {
            match protocol.next() {
                Ok(Some(ClientCommand::Subscribe(id, filters))) => {
                    filters.iter().for_each(|it| drop(super::topic::Topic::parse(&it.topic)));
                    protocol.granted(id, vec![None; filters.len()]);
                }
                Ok(Some(ClientCommand::Publish(topic, _))) => {
                    drop(super::topic::Topic::parse(&topic))
                }
                Ok(Some(ClientCommand::Unsubscribe(id, _))) => protocol.unsubscribed(id),
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(_) => {
                    written(protocol);
                    return;
                }
            }
        }
        let qos = [QoS::AtMostOnce, QoS::AtLeastOnce, QoS::ExactlyOnce][place % 3];
        // A client that does not acknowledge is cut off, which is correct.
        let _ = protocol.show(message("hello", qos));
    }
    written(protocol);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn arbitrary_bytes_cause_no_panic(bytes: Vec<u8>, piece in 1usize..40, has_begun: bool) {
        let mut protocol = if has_begun { begun() } else { Protocol::default() };
        feed(&mut protocol, &bytes, piece);
    }

    #[test]
    fn arbitrary_packets_cause_no_panic(
        packets in proptest::collection::vec(any_packet(), 0..20),
        piece in 1usize..200,
        flip in proptest::option::of((any::<usize>(), any::<u8>())),
    ) {
        let mut bytes: Vec<_> = packets.concat();
        if let (Some((place, with)), false) = (flip, bytes.is_empty()) {
            let place = place % bytes.len();
            bytes[place] ^= with;
        }
        feed(&mut begun(), &bytes, piece);
    }

    #[test]
    fn arbitrary_topic_names_cause_no_panic(text in "\\PC{0,40}") {
        drop(super::topic::Topic::parse(&text));
    }
}

#[test]
fn the_cost_of_a_subscription_grows_with_its_filters() {
    let filters = |count: usize| {
        let filters = (0..count).map(|it| TopicQosFilter::new(it.to_string(), QoS::AtMostOnce));
        ClientCommand::Subscribe(1, filters.collect())
    };
    assert_eq!(filters(3).cost(), 1, "a first subscription is cheap");
    let most = filters(limits::MQTT_FILTERS_PER_PACKET).cost();
    assert!(
        (800..limits::MQTT_PACKETS_BURST).contains(&most),
        "{most}: one full subscription fits into the burst"
    );
    assert_eq!(ClientCommand::Unsubscribe(1, vec![String::new(); 100]).cost(), 11);
}
