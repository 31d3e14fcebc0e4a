//! Hints from node to node: "something happened there, look at the store" (D-0040).
//!
//! Who calls: the realtime hub tells what this node committed and hears what others did.
//!
//! What it promises: hints of one node are heard in the order they were told, each at most once,
//! by every other node and never by the one that told them. Packets are sealed with the key file
//! that all nodes share: nobody else can read or forge a hint (D-0209). Hints may be lost. Then,
//! and whenever that cannot be ruled out, [`receiving::ReceivedHint::Gap`] is heard: after every
//! connect, when a number is missing in what a node sent, when a node falls silent, when hints come
//! faster than they are heeded. A hint that was lost last is missed within a second, because a node
//! that has nothing to tell says how far it is. Telling never waits.
//!
//! What it never does: carry what must not be lost, keep anything, look into a hint, or keep the
//! server from starting when nobody answers.
//!
//! Cast: [`outbox`] numbers what is told and holds it until a transport takes it, as sealed packets
//! ([`packet`]); [`nats`] and [`postgres`] are the transports; [`hearing`] opens packets and turns
//! them into [`receiving::ReceivedHint`].

mod line;
mod nats;
pub(crate) mod nats_url;
mod outbox;
mod packet;
mod postgres;
pub(crate) mod receiving;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use confab_domain::limits;
use confab_store::Store;
use receiving::{HeardNodes, HintReceiver};
use tokio::sync::mpsc;

use crate::bus::line::BusLine;
use crate::bus::receiving::HintArrival;
use crate::config::Config;
use crate::ids;
use crate::supervisor::Supervisor;

use outbox::HintOutbox;

pub(crate) use nats::reach as reach_nats;

/// Hints between nodes. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Bus(Kind);

#[derive(Clone)]
enum Kind {
    Alone,
    Nats(Arc<BusLine>),
    Postgres(Arc<BusLine>),
}

impl Bus {
    /// Starts as the settings say: through NATS if there is one, else through the PostgreSQL that
    /// nodes share, else alone. Connects beside, again and again; ends with the receiver.
    pub(crate) fn start(
        config: &Config,
        store: &Store,
        chores: Supervisor,
    ) -> (Self, mpsc::Receiver<HintArrival>) {
        let (heard, receiver) = mpsc::channel(limits::BUS_HEARD_MAX);
        let sender = ids::bus_sender();
        let line = Arc::new(BusLine {
            outbox: HintOutbox::new(sender, store.clone()),
            heard_nodes: HeardNodes::default(),
            is_deaf: AtomicBool::new(false),
            is_mute: AtomicBool::new(false),
        });
        let (told, sealer, nodes) =
            (heard.clone(), store.packet_sealer(), line.heard_nodes.clone());
        let hearing =
            move || HintReceiver::new(sender, sealer.clone(), nodes.clone(), told.clone());
        let shared = line.clone();
        let kind = if let Some(url) = config.nats_url.clone() {
            let store = store.clone();
            let run = move || nats::run(url.clone(), store.clone(), shared.clone(), hearing());
            tokio::spawn(until_closed(heard, chores.keep("hints through NATS", run)));
            Kind::Nats(line)
        } else if let Some(notices) = store.notices() {
            let run = move || postgres::run(notices.clone(), shared.clone(), hearing());
            tokio::spawn(until_closed(heard, chores.keep("hints through PostgreSQL", run)));
            Kind::Postgres(line)
        } else {
            // Nobody is left to say anything, and the receiver must not see an end.
            tokio::spawn(async move { heard.closed().await });
            Kind::Alone
        };
        (Self(kind), receiver)
    }

    /// Tells the other nodes; never waits. A hint that is too long, or that finds too many waiting,
    /// is dropped and counted, and the others will see a gap.
    pub(crate) fn tell(&self, bytes: Bytes) {
        if let Some(line) = self.line() {
            line.outbox.put(bytes);
        }
    }

    /// Has the other nodes look into the store: some hints were not told.
    pub(crate) fn tell_to_look(&self) {
        if let Some(line) = self.line() {
            line.outbox.skip();
        }
    }

    /// Whether there can be no other nodes.
    pub(crate) fn is_alone(&self) -> bool {
        matches!(self.0, Kind::Alone)
    }

    /// Whether packets of the node with this number arrive here.
    pub(crate) fn hears(&self, node: i64) -> bool {
        self.line().is_some_and(|line| line.heard_nodes.has(node))
    }

    /// Plain words for `/ready`, if it is cut off.
    pub(crate) fn problem(&self) -> Option<&'static str> {
        let line = self.line()?;
        let is_cut_off =
            line.is_deaf.load(Ordering::Relaxed) || line.is_mute.load(Ordering::Relaxed);
        is_cut_off.then_some(match self.0 {
            Kind::Nats(_) => "NATS cannot be reached: what happens on other nodes comes late",
            _ => "PostgreSQL passes no notices on: what happens on other nodes comes late",
        })
    }

    fn line(&self) -> Option<&BusLine> {
        match &self.0 {
            Kind::Alone => None,
            Kind::Nats(line) | Kind::Postgres(line) => Some(line),
        }
    }
}

async fn until_closed(heard: mpsc::Sender<HintArrival>, running: impl Future<Output = ()>) {
    tokio::select! {
        () = running => {}
        () = heard.closed() => {}
    }
}
