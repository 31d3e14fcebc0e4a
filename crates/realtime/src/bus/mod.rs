//! The bus: hints from node to node, which name changed rows in the store (D-0040).
//!
//! The realtime feed sends hints for the commits of this node, and receives those of other nodes.
//!
//! Guarantees: hints of one node arrive in order, each at most once, at every other node and never
//! at the sender. Packets are sealed with the key file that all nodes share, so no one else can
//! read or forge a hint (D-0209). Hints may be lost. Whenever a loss is possible, the receiver gets
//! [`receiving::ReceivedHint::Gap`]: after every connect, when a number in a node's sequence is
//! missing, when a node falls silent, and when hints arrive faster than they are handled. The loss
//! of a node's last hint is detected within a second, because an idle node sends the number of its
//! next hint. Sending never blocks.
//!
//! The bus never carries data that must not be lost, stores nothing, does not parse hints, and does
//! not keep the server from starting when its transport is unavailable.
//!
//! [`outbox`] numbers hints and queues them for the transport as sealed packets ([`packet`]);
//! [`nats`] and [`postgres`] are the transports; [`receiving`] opens packets and turns them into
//! [`receiving::ReceivedHint`].

mod line;
mod nats;

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
use confab_runtime::config::Config;
use confab_runtime::ids;
use confab_runtime::supervisor::Supervisor;
use confab_store::Store;
use tokio::sync::mpsc;

use crate::bus::line::BusLine;
use crate::bus::receiving::HintArrival;
use outbox::HintOutbox;
use receiving::{HintReceiver, ReachableNodes};

pub use nats::reach as reach_nats;

/// Handle to send hints to other nodes. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Bus(Kind);

#[derive(Clone)]
enum Kind {
    Alone,
    Nats(Arc<BusLine>),
    Postgres(Arc<BusLine>),
}

impl Bus {
    /// Starts the configured transport: NATS if `nats_url` is set, else PostgreSQL if the store
    /// uses it, else none. The transport connects in the background and retries until the receiver
    /// is dropped.
    pub(crate) fn start(
        config: &Config,
        store: &Store,
        supervisor: Supervisor,
    ) -> (Self, mpsc::Receiver<HintArrival>) {
        let (hints, receiver) = mpsc::channel(limits::BUS_HINTS_MAX);
        let sender = ids::bus_sender();
        let line = Arc::new(BusLine {
            outbox: HintOutbox::new(sender, store.clone()),
            live_nodes: ReachableNodes::default(),
            is_deaf: AtomicBool::new(false),
            is_mute: AtomicBool::new(false),
        });
        let (told, sealer, nodes) = (hints.clone(), store.packet_sealer(), line.live_nodes.clone());
        let hearing =
            move || HintReceiver::new(sender, sealer.clone(), nodes.clone(), told.clone());
        let shared = line.clone();
        let kind = if let Some(url) = config.nats_url.clone() {
            let store = store.clone();
            let run = move || nats::run(url.clone(), store.clone(), shared.clone(), hearing());
            tokio::spawn(until_closed(hints, supervisor.keep("NATS bus", run)));
            Kind::Nats(line)
        } else if let Some(notices) = store.notices() {
            let run = move || postgres::run(notices.clone(), shared.clone(), hearing());
            tokio::spawn(until_closed(hints, supervisor.keep("PostgreSQL bus", run)));
            Kind::Postgres(line)
        } else {
            // Keep the sender alive, so that the receiver does not see an end.
            tokio::spawn(async move { hints.closed().await });
            Kind::Alone
        };
        (Self(kind), receiver)
    }

    /// Sends a hint to the other nodes without blocking. A hint that is too long, or for which the
    /// queue has no room, is dropped and counted; the other nodes detect the gap.
    pub(crate) fn send(&self, bytes: Bytes) {
        if let Some(line) = self.line() {
            line.outbox.put(bytes);
        }
    }

    /// Makes the other nodes detect a gap and check the store, because some hints may not have been
    /// sent.
    pub(crate) fn publish_resync(&self) {
        if let Some(line) = self.line() {
            line.outbox.skip();
        }
    }

    /// Whether this server runs without other nodes.
    pub(crate) fn is_alone(&self) -> bool {
        matches!(self.0, Kind::Alone)
    }

    /// Whether packets of the node with this number arrive here.
    pub(crate) fn hears(&self, node: i64) -> bool {
        self.line().is_some_and(|line| line.live_nodes.has(node))
    }

    /// Returns why `/ready` must report a problem, if the transport is disconnected.
    pub(crate) fn problem(&self) -> Option<&'static str> {
        let line = self.line()?;
        let is_cut_off =
            line.is_deaf.load(Ordering::Relaxed) || line.is_mute.load(Ordering::Relaxed);
        is_cut_off.then_some(match self.0 {
            Kind::Nats(_) => "NATS cannot be reached, so events of other nodes arrive late",
            _ => "PostgreSQL forwards no notifications, so events of other nodes arrive late",
        })
    }

    fn line(&self) -> Option<&BusLine> {
        match &self.0 {
            Kind::Alone => None,
            Kind::Nats(line) | Kind::Postgres(line) => Some(line),
        }
    }
}

async fn until_closed(hints: mpsc::Sender<HintArrival>, running: impl Future<Output = ()>) {
    tokio::select! {
        () = running => {}
        () = hints.closed() => {}
    }
}
