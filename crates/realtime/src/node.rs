//! The realtime state of a node, which all its connections share.

use std::sync::{Arc, OnceLock};

use confab_runtime::admission::connections::Connections;
use confab_runtime::config::Config;
use confab_runtime::supervisor::Supervisor;
use confab_store::Store;
use parking_lot::Mutex;
use tokio::sync::mpsc;

use crate::bus::Bus;
use crate::feed::Feed;
use crate::hub::{EphemeralSignal, Hub};
use crate::mqtt::sessions::Sessions;
use crate::presence::Presences;
use crate::viewers::Viewers;

/// The clients of this node and the other nodes.
pub struct Realtime {
    pub store: Store,
    /// The clients that are connected to this node.
    pub hub: Hub,
    /// The conversations that agents have open.
    pub viewers: Viewers,
    pub presences: Arc<Presences>,
    pub(crate) connections: Connections,
    pub(crate) mqtt_sessions: Sessions,
    passing: Mutex<Option<mpsc::Receiver<EphemeralSignal>>>,
    bus: OnceLock<Bus>,
}

impl Realtime {
    pub fn new(store: Store, connections: Connections) -> Self {
        let (hub, passing) = Hub::new(matches!(store, Store::Sqlite(_)));
        Self {
            viewers: Viewers::new(hub.clone()),
            presences: Arc::new(Presences::new(store.clone(), hub.clone())),
            store,
            hub,
            connections,
            mqtt_sessions: Sessions::default(),
            passing: Mutex::new(Some(passing)),
            bus: OnceLock::new(),
        }
    }

    /// Creates the feed, which sends events to connected clients. Returns `None` from the second
    /// call on.
    pub fn feed(&self, config: &Config, supervisor: Supervisor) -> Option<Feed> {
        let passing = self.passing.lock().take()?;
        let bus = Bus::start(config, &self.store, supervisor);
        // The feed exists once per process, so the bus is set once; a second value would be equal.
        let _ = self.bus.set(bus.0.clone());
        let (store, hub) = (self.store.clone(), self.hub.clone());
        let (presences, viewers) = (self.presences.clone(), self.viewers.clone());
        Some(Feed::new(store, hub, presences, viewers, passing, bus))
    }

    /// Returns why events of other nodes arrive late, or `None` if they arrive at once.
    pub fn bus_problem(&self) -> Option<&'static str> {
        self.bus.get().and_then(Bus::problem)
    }
}
