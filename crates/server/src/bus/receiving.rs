//! What other nodes told: counted, so that what is missing is noticed.
//!
//! The numbers of a sender rise by one. Whatever was lost, and wherever, shows as a number that is
//! missing, at the latest when the sender says how far it is. A sender that ended may have taken
//! its last hint with it, so its silence is a gap as well.

use std::collections::HashMap;
use std::time::Duration;

use bytes::Bytes;
use confab_domain::limits;
use tokio::sync::mpsc;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval};

use super::packet::{Packet, Sender};

const SILENCE_MAX: Duration = Duration::from_millis(limits::BUS_SILENCE_MAX_MS);
const LOOK_EVERY: Duration = Duration::from_secs(1);

pub(super) struct HintReceiver {
    own: Sender,
    senders: HashMap<Sender, KnownNode>,
    heard: mpsc::Sender<ReceivedHint>,
    /// A gap is to be told before anything else.
    gap_is_due: bool,
    look: Interval,
}

struct KnownNode {
    /// The number of the hint to come.
    next: u64,
    last_heard: Instant,
}

impl HintReceiver {
    pub(super) fn new(own: Sender, heard: mpsc::Sender<ReceivedHint>) -> Self {
        let mut look = interval(LOOK_EVERY);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self { own, senders: HashMap::new(), heard, gap_is_due: false, look }
    }

    /// A packet came.
    pub(super) fn hear(&mut self, bytes: Bytes) {
        // What cannot be read may be of a newer version: it says something, if not what.
        let Some(packet) = Packet::read(bytes) else { return self.gap() };
        if packet.sender == self.own {
            return;
        }
        if self.senders.len() >= limits::BUS_SENDERS_MAX
            && !self.senders.contains_key(&packet.sender)
        {
            self.senders.clear();
        }
        let known = KnownNode { next: packet.next(), last_heard: Instant::now() };
        let before = self.senders.insert(packet.sender, known);
        // Who is new has told nothing before its first hint.
        let expected = before.map_or(1, |known| known.next);
        if packet.first != expected {
            self.gap();
        }
        for bytes in packet.hints {
            self.tell(bytes);
        }
    }

    /// Something may have been missed.
    pub(super) fn gap(&mut self) {
        if !self.gap_is_due {
            metrics::counter!("confab_bus_gaps_total").increment(1);
        }
        self.gap_is_due = true;
        self.settle();
    }

    /// We hear from now on. Whoever was not heard before need not have been silent.
    pub(super) fn joined(&mut self) {
        let now = Instant::now();
        self.senders.values_mut().for_each(|known| known.last_heard = now);
        self.gap();
    }

    /// Does what is to be done beside hearing, one thing at a time; may be dropped at any time.
    pub(super) async fn chore(&mut self) {
        let heard = self.heard.clone();
        tokio::select! {
            permit = heard.reserve(), if self.gap_is_due => {
                if let Ok(permit) = permit {
                    permit.send(ReceivedHint::Gap);
                }
                self.gap_is_due = false;
            }
            _ = self.look.tick() => self.miss_silent(),
        }
    }

    fn miss_silent(&mut self) {
        let known = self.senders.len();
        self.senders.retain(|_, sender| sender.last_heard.elapsed() < SILENCE_MAX);
        if self.senders.len() < known {
            self.gap();
        }
    }

    fn tell(&mut self, bytes: Bytes) {
        self.settle();
        // What comes before a gap that is due is covered by it.
        if self.gap_is_due {
            return;
        }
        if self.heard.try_send(ReceivedHint::Told { bytes }).is_err() {
            return self.gap();
        }
        metrics::counter!("confab_bus_heard_total").increment(1);
    }

    fn settle(&mut self) {
        if self.gap_is_due && self.heard.try_send(ReceivedHint::Gap).is_ok() {
            self.gap_is_due = false;
        }
    }
}

/// What comes from other nodes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ReceivedHint {
    /// A hint.
    Told {
        /// As it was told.
        bytes: Bytes,
    },
    /// Something may have been missed: the store knows.
    Gap,
}
