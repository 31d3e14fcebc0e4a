//! Tests of gap detection, and of dropping forged and repeated packets.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use confab_domain::limits;
use confab_domain::time::Timestamp;
use confab_runtime::clock;
use confab_store::PacketSealer;
use proptest::prelude::*;
use tokio::sync::mpsc::{Receiver, channel};
use tokio::time::{Instant, timeout};

use super::super::packet::{OpenPacket, Packet, PacketHead, Sender};
use super::super::receiving::{HintArrival, HintReceiver, ReachableNodes};
use super::{Ground, PATIENCE, counted};
use crate::bus::receiving::ReceivedHint;

const OWN: Sender = [1; 16];
const OTHER: Sender = [2; 16];

/// The sealer of one installation. [`foreign_sealer`] has a different key file.
fn sealer() -> PacketSealer {
    static GROUND: OnceLock<Ground> = OnceLock::new();
    GROUND.get_or_init(ground).store.packet_sealer()
}

fn foreign_sealer() -> PacketSealer {
    static GROUND: OnceLock<Ground> = OnceLock::new();
    GROUND.get_or_init(ground).store.packet_sealer()
}

/// Built on a runtime of its own, because the clocks of the tests' runtimes may be paused.
fn ground() -> Ground {
    let make = || {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let ground = runtime.block_on(Ground::new(&[]));
        // The store needs the runtime.
        std::mem::forget(runtime);
        ground
    };
    std::thread::spawn(make).join().expect("the thread does not panic")
}

fn head(sender: Sender, first: u64) -> PacketHead {
    static SEQUENCE: AtomicU64 = AtomicU64::new(1);
    let sequence = SEQUENCE.fetch_add(1, Ordering::Relaxed);
    PacketHead { sender, node: Some(7), sequence, sealed_at: clock::now(), first }
}

fn filled(head: PacketHead, hints: &[&str]) -> OpenPacket {
    let mut filling = OpenPacket::new(head);
    for hint in hints {
        filling.add(&Bytes::copy_from_slice(hint.as_bytes()));
    }
    filling
}

fn packet(sender: Sender, first: u64, hints: &[&str]) -> Bytes {
    filled(head(sender, first), hints).seal(&sealer()).bytes
}

fn hint_receiver(room: usize) -> (HintReceiver, ReachableNodes, Receiver<HintArrival>) {
    let (sender, received) = channel(room);
    let nodes = ReachableNodes::default();
    (HintReceiver::new(OWN, sealer(), nodes.clone(), sender), nodes, received)
}

/// Joins all received items into one line; `-` is a gap.
fn drained(received: &mut Receiver<HintArrival>) -> String {
    let mut all = Vec::new();
    while let Ok((_, received)) = received.try_recv() {
        all.push(match received {
            ReceivedHint::Hint { bytes } => String::from_utf8_lossy(&bytes).into_owned(),
            ReceivedHint::Gap => "-".to_owned(),
        });
    }
    all.join(" ")
}

fn refused(reason: &str) -> u64 {
    counted(&format!("confab_bus_refused_total{{reason=\"{reason}\"}}"))
}

#[tokio::test]
async fn a_skipped_hint_number_is_a_gap_and_an_expected_one_is_not() {
    let (mut hint_receiver, _, mut received) = hint_receiver(100);
    for (first, hints, expected) in [
        (1, &[][..], ""),
        (1, &["a", "b"][..], "a b"),
        (3, &[], ""),
        (3, &["c"], "c"),
        (5, &["e"], "- e"),
        (7, &[], "-"),
        (7, &["g"], "g"),
    ] {
        hint_receiver.receive(&packet(OTHER, first, hints));
        assert_eq!(drained(&mut received), expected, "{first} {hints:?}");
    }
}

#[tokio::test]
async fn a_sender_first_received_midway_is_a_gap_and_own_packets_are_ignored() {
    let (mut hint_receiver, nodes, mut received) = hint_receiver(100);
    assert!(!nodes.has(7));
    hint_receiver.receive(&packet(OTHER, 8, &["h"]));
    assert_eq!(drained(&mut received), "- h");
    assert!(nodes.has(7) && !nodes.has(8));
    hint_receiver.receive(&packet(OWN, 5, &["mine"]));
    assert_eq!(drained(&mut received), "");
}

#[tokio::test]
async fn a_packet_that_cannot_be_unsealed_is_counted_and_causes_no_gap() {
    let (mut hint_receiver, _, mut received) = hint_receiver(100);
    let before = refused("unsealed");
    let foreign = filled(head(OTHER, 1), &["forged"]).seal(&foreign_sealer()).bytes;
    let mut changed = packet(OTHER, 1, &["a"]).to_vec();
    changed[40] ^= 1;
    // A packet as sent by versions without sealing.
    let version_1 = [&[1][..], &OTHER, &1_u64.to_be_bytes(), &[0, 1], b"a"].concat();
    let long = vec![2; limits::BUS_PACKET_BYTES_MAX + 1];
    for forged in [b"what is this?", &b""[..], &foreign, &changed, &version_1, &long] {
        hint_receiver.receive(forged);
        assert_eq!(drained(&mut received), "");
    }
    assert!(refused("unsealed") >= before + 6);
    hint_receiver.receive(&packet(OTHER, 1, &["a"]));
    assert_eq!(drained(&mut received), "a");
}

#[tokio::test]
async fn a_repeated_or_reordered_packet_is_dropped() {
    let (mut hint_receiver, _, mut received) = hint_receiver(100);
    let before = refused("repeated");
    let [one, two, three] = [(1, "a"), (2, "b"), (3, "c")].map(|(n, it)| packet(OTHER, n, &[it]));
    hint_receiver.receive(&one);
    hint_receiver.receive(&three);
    assert_eq!(drained(&mut received), "a - c", "a missing packet is a gap");
    for again in [&two, &one, &three, &three] {
        hint_receiver.receive(again);
        assert_eq!(drained(&mut received), "");
    }
    assert!(refused("repeated") >= before + 4);
    hint_receiver.receive(&packet(OTHER, 4, &["d"]));
    assert_eq!(drained(&mut received), "d");
}

#[tokio::test]
async fn a_packet_sealed_too_long_ago_or_in_the_future_is_dropped() {
    let (mut hint_receiver, _, mut received) = hint_receiver(100);
    let before = refused("stale");
    for by_ms in [-1, 1].map(|sign| sign * (limits::BUS_PACKET_AGE_MAX_MS as i64 + 5_000)) {
        let sealed_at = Timestamp(clock::now().0 + by_ms * 1_000);
        let old = filled(PacketHead { sealed_at, ..head(OTHER, 1) }, &["old"]);
        hint_receiver.receive(&old.seal(&sealer()).bytes);
        assert_eq!(drained(&mut received), "");
    }
    assert!(refused("stale") >= before + 2);
}

#[tokio::test]
async fn hints_beyond_the_queue_limit_become_a_gap_once_there_is_room() {
    let (mut hint_receiver, _, mut received) = hint_receiver(2);
    hint_receiver.receive(&packet(OTHER, 1, &["a", "b", "c", "d"]));
    assert_eq!(drained(&mut received), "a b");
    hint_receiver.receive(&packet(OTHER, 5, &["e"]));
    assert_eq!(drained(&mut received), "- e");
    hint_receiver.receive(&packet(OTHER, 6, &["f", "g", "h"]));
    assert_eq!(drained(&mut received), "f g");
    // No further packets arrive.
    let gap = async {
        while received.is_empty() {
            hint_receiver.run_step().await;
        }
    };
    timeout(PATIENCE, gap).await.expect("the gap is reported without another packet");
    assert_eq!(drained(&mut received), "-");
}

#[tokio::test(start_paused = true)]
async fn a_node_that_falls_silent_is_reported_as_a_gap() {
    let (mut hint_receiver, nodes, mut received) = hint_receiver(100);
    let last = packet(OTHER, 1, &["a"]);
    hint_receiver.receive(&last);
    assert_eq!(drained(&mut received), "a");
    let start = Instant::now();
    while received.is_empty() {
        hint_receiver.run_step().await;
    }
    let silent_ms = start.elapsed().as_millis() as u64;
    assert!((limits::BUS_SILENCE_MAX_MS..limits::BUS_SILENCE_MAX_MS + 1_100).contains(&silent_ms));
    assert_eq!(drained(&mut received), "-");
    assert!(!nodes.has(7));
    // A repeated packet is no sign of life of the node.
    tokio::time::advance(Duration::from_secs(20)).await;
    hint_receiver.run_step().await;
    hint_receiver.receive(&last);
    assert_eq!(drained(&mut received), "");
    assert!(!nodes.has(7));
    hint_receiver.receive(&packet(OTHER, 2, &["b"]));
    assert_eq!(drained(&mut received), "b");
    assert!(nodes.has(7));
}

#[tokio::test]
async fn the_number_of_tracked_senders_is_bounded() {
    let (mut hint_receiver, _, mut received) = hint_receiver(limits::BUS_SENDERS_MAX * 4);
    for number in 0..limits::BUS_SENDERS_MAX as u128 + 2 {
        hint_receiver.receive(&packet((number + 1000).to_be_bytes(), 1, &["a"]));
    }
    hint_receiver.receive(&packet(1000_u128.to_be_bytes(), 2, &["b"]));
    assert!(drained(&mut received).ends_with("a a - b"));
}

proptest! {
    #[test]
    fn arbitrary_bytes_are_not_a_packet(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        Packet::read(Bytes::from(bytes.clone()));
        prop_assert_eq!(Packet::open(&bytes, &sealer()), None);
        let mut of_this_version = vec![2];
        of_this_version.extend(bytes);
        prop_assert_eq!(Packet::open(&of_this_version, &sealer()), None);
    }

    #[test]
    fn an_opened_packet_equals_the_sealed_one(
        sender in any::<Sender>(),
        first in 1..u64::MAX / 2,
        node in proptest::option::of(0..limits::NODES_MAX),
        hints in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..300), 0..20),
    ) {
        let hints: Vec<_> = hints.into_iter().map(Bytes::from).collect();
        let sealed_at = Timestamp(1_769_853_600_000_000);
        let head = PacketHead { node, sealed_at, ..head(sender, first) };
        let mut filling = OpenPacket::new(head);
        hints.iter().for_each(|hint| filling.add(hint));
        let next = first + hints.len() as u64;
        let read = Packet::open(&filling.seal(&sealer()).bytes, &sealer());
        prop_assert_eq!(read.as_ref().map(Packet::next), Some(next));
        prop_assert_eq!(read, Some(Packet { head, hints }));
    }

    #[test]
    fn a_full_packet_fits_into_the_size_limit_of_the_bus(length in 0..7_000_usize) {
        let hint = Bytes::from(vec![0; length]);
        let mut filling = OpenPacket::new(head(OTHER, 1));
        while filling.has_room_for(&hint) {
            filling.add(&hint);
        }
        let sealed = filling.seal(&sealer()).bytes;
        prop_assert!(sealed.len() <= limits::BUS_PACKET_BYTES_MAX);
        prop_assert!(Packet::open(&sealed, &sealer()).is_some());
    }
}
