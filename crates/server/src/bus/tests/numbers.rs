//! What is missing is noticed, whatever comes.

use bytes::Bytes;
use confab_domain::limits;
use proptest::prelude::*;
use tokio::sync::mpsc::{Receiver, channel};
use tokio::time::{Instant, timeout};

use super::super::packet::{Filling, Packet, Sender};
use super::super::receiving::HintReceiver;
use super::PATIENCE;
use crate::bus::receiving::ReceivedHint;

const OWN: Sender = [1; 16];
const OTHER: Sender = [2; 16];

fn packet(sender: Sender, first: u64, hints: &[&str]) -> Bytes {
    let mut filling = Filling::new(sender, first);
    for hint in hints {
        filling.add(&Bytes::copy_from_slice(hint.as_bytes()));
    }
    filling.seal().bytes
}

fn hearing(room: usize) -> (HintReceiver, Receiver<ReceivedHint>) {
    let (sender, heard) = channel(room);
    (HintReceiver::new(OWN, sender), heard)
}

/// Everything that was heard, in one line; `-` is a gap.
fn taken(heard: &mut Receiver<ReceivedHint>) -> String {
    let mut all = Vec::new();
    while let Ok(heard) = heard.try_recv() {
        all.push(match heard {
            ReceivedHint::Told { bytes } => String::from_utf8_lossy(&bytes).into_owned(),
            ReceivedHint::Gap => "-".to_owned(),
        });
    }
    all.join(" ")
}

#[tokio::test]
async fn a_missing_number_is_a_gap_and_a_known_one_is_not() {
    let (mut hearing, mut heard) = hearing(100);
    for (first, hints, expected) in [
        (1, &[][..], ""),
        (1, &["a", "b"][..], "a b"),
        (3, &[], ""),
        (3, &["c"], "c"),
        (5, &["e"], "- e"),
        (7, &[], "-"),
        (7, &["g"], "g"),
    ] {
        hearing.hear(packet(OTHER, first, hints));
        assert_eq!(taken(&mut heard), expected, "{first} {hints:?}");
    }
}

#[tokio::test]
async fn who_comes_in_the_middle_is_a_gap_and_oneself_is_never_heard() {
    let (mut hearing, mut heard) = hearing(100);
    hearing.hear(packet(OTHER, 8, &["h"]));
    assert_eq!(taken(&mut heard), "- h");
    hearing.hear(packet(OWN, 5, &["mine"]));
    assert_eq!(taken(&mut heard), "");
    hearing.hear(Bytes::from_static(b"what is this?"));
    assert_eq!(taken(&mut heard), "-");
}

#[tokio::test]
async fn what_finds_no_room_is_a_gap_as_soon_as_there_is_some() {
    let (mut hearing, mut heard) = hearing(2);
    hearing.hear(packet(OTHER, 1, &["a", "b", "c", "d"]));
    assert_eq!(taken(&mut heard), "a b");
    hearing.hear(packet(OTHER, 5, &["e"]));
    assert_eq!(taken(&mut heard), "- e");
    hearing.hear(packet(OTHER, 6, &["f", "g", "h"]));
    assert_eq!(taken(&mut heard), "f g");
    // Nobody says anything any more.
    let gap = async {
        while heard.is_empty() {
            hearing.chore().await;
        }
    };
    timeout(PATIENCE, gap).await.expect("it is told by itself");
    assert_eq!(taken(&mut heard), "-");
}

#[tokio::test(start_paused = true)]
async fn a_node_that_falls_silent_may_have_taken_its_last_hint_with_it() {
    let (mut hearing, mut heard) = hearing(100);
    hearing.hear(packet(OTHER, 1, &["a"]));
    assert_eq!(taken(&mut heard), "a");
    let start = Instant::now();
    while heard.is_empty() {
        hearing.chore().await;
    }
    let silent_ms = start.elapsed().as_millis() as u64;
    assert!((limits::BUS_SILENCE_MAX_MS..limits::BUS_SILENCE_MAX_MS + 1_100).contains(&silent_ms));
    assert_eq!(taken(&mut heard), "-");
}

#[tokio::test]
async fn the_memory_of_senders_is_bounded() {
    let (mut hearing, mut heard) = hearing(limits::BUS_SENDERS_MAX * 4);
    for number in 0..limits::BUS_SENDERS_MAX as u128 + 2 {
        hearing.hear(packet((number + 1000).to_be_bytes(), 1, &["a"]));
    }
    hearing.hear(packet(1000_u128.to_be_bytes(), 2, &["b"]));
    assert!(taken(&mut heard).ends_with("a a - b"));
}

proptest! {
    #[test]
    fn any_bytes_are_a_packet_or_none(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        Packet::read(Bytes::from(bytes.clone()));
        let mut of_this_version = vec![1];
        of_this_version.extend(bytes);
        Packet::read(Bytes::from(of_this_version));
    }

    #[test]
    fn a_packet_is_read_as_it_was_written(
        sender in any::<Sender>(),
        first in 1..u64::MAX / 2,
        hints in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..300), 0..20),
    ) {
        let hints: Vec<_> = hints.into_iter().map(Bytes::from).collect();
        let mut filling = Filling::new(sender, first);
        hints.iter().for_each(|hint| filling.add(hint));
        let next = first + hints.len() as u64;
        let read = Packet::read(filling.seal().bytes);
        prop_assert_eq!(read.as_ref().map(Packet::next), Some(next));
        prop_assert_eq!(read, Some(Packet { sender, first, hints }));
    }
}
