//! Tests with two nodes on a real bus, including its failures.

mod numbers;
mod on_nats;
mod on_postgres;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use confab_domain::app::AppCode;
use confab_domain::limits;
use confab_runtime::config::{Config, from_everywhere};
use confab_runtime::process::secrets_file::SecretsFile;
use confab_runtime::recorder::recorder;
use confab_runtime::supervisor::Supervisor;
use confab_runtime::{SystemStamps, ids};
use confab_store::{NewApp, Registry, Store};
use tempfile::TempDir;
use tokio::sync::mpsc::Receiver;
use tokio::time::{interval, timeout};

use super::Bus;
use crate::bus::receiving::{HintArrival, ReceivedHint};

const PATIENCE: Duration = Duration::from_secs(60);

/// The shared parts of the nodes: a store with one app, and the configuration.
struct Ground {
    config: Config,
    store: Store,
    _folder: TempDir,
}

impl Ground {
    async fn new(settings: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("confab.toml");
        std::fs::write(&file, "").expect("written");
        let data = folder.path().join("data").display().to_string();
        let settings = [settings, &[("data", data.as_str())]].concat();
        let flag = |key: &str| settings.iter().find(|(name, _)| *name == key).map(|it| it.1.into());
        let effective = from_everywhere(|setting| flag(setting.key), |_| None, Some(&file));
        let config = Config::from_effective(&effective.expect("settings")).expect("settings");
        let stamps = || Arc::new(SystemStamps::new(1));
        let keys = SecretsFile::at(&config.secrets_key_file);
        let sealer = keys.sealer(&config.location).await.expect("keys");
        let registry = Registry::open(&config.location, stamps(), sealer.clone()).await;
        let mut registry = registry.expect("a registry");
        let code = AppCode::parse("shop").expect("a code");
        let app = NewApp {
            code,
            name: "The shop".to_owned(),
            sdk_secret: ids::secret(),
            secret_key: ids::secret(),
            system_token: ids::secret(),
        };
        assert!(registry.create_app(&app, None).await.expect("created"));
        let store = Store::open(&config.location, stamps(), sealer).await.expect("a store");
        Self { config, store, _folder: folder }
    }

    fn node(&self) -> Node {
        let (bus, received) = Bus::start(&self.config, &self.store, Supervisor::default());
        Node { bus, received }
    }

    /// Starts two nodes and waits until they receive each other's hints, with none left in flight.
    async fn pair(&self) -> (Node, Node) {
        let (mut one, mut two) = (self.node(), self.node());
        one.meet(&mut two).await;
        two.meet(&mut one).await;
        (one, two)
    }
}

struct Node {
    bus: Bus,
    received: Receiver<HintArrival>,
}

impl Node {
    fn send(&self, hint: &str) {
        self.bus.send(Bytes::copy_from_slice(hint.as_bytes()));
    }

    async fn next(&mut self) -> ReceivedHint {
        let next = timeout(PATIENCE, self.received.recv()).await;
        next.expect("a hint arrives in time").expect("the bus keeps running").1
    }

    async fn receives(&mut self, hint: &str) {
        let bytes = Bytes::copy_from_slice(hint.as_bytes());
        assert_eq!(self.next().await, ReceivedHint::Hint { bytes });
    }

    async fn receives_gap(&mut self) {
        while self.next().await != ReceivedHint::Gap {}
    }

    /// Sends until the other node receives, and leaves no hint in flight.
    async fn meet(&self, other: &mut Self) {
        let mut every = interval(Duration::from_millis(100));
        let mut count = 0;
        let met = async {
            loop {
                tokio::select! {
                    _ = every.tick() => {
                        count += 1;
                        self.send(&format!("hello {count}"));
                    }
                    received = other.received.recv() => {
                        let (_, received) = received.expect("the bus keeps running");
                        if received != ReceivedHint::Gap {
                            return;
                        }
                    }
                }
            }
        };
        timeout(PATIENCE, met).await.expect("hints arrive in time");
        let last = format!("met {}", ids::secret());
        self.send(&last);
        let last = ReceivedHint::Hint { bytes: Bytes::from(last) };
        while other.next().await != last {}
    }

    async fn until(&self, is_well: bool) {
        let mut every = interval(Duration::from_millis(5));
        let changed = async {
            while self.bus.problem().is_none() != is_well {
                every.tick().await;
            }
        };
        timeout(PATIENCE, changed).await.expect("the state changes in time");
    }
}

/// Returns the value of a counter of this process.
fn counted(name: &str) -> u64 {
    let text = recorder().expect("a recorder").render();
    let line = text.lines().find(|line| line.starts_with(&format!("{name} ")));
    line.map_or(0, |line| line.rsplit(' ').next().expect("a number").parse().expect("a number"))
}

async fn until_counted(name: &str, at_least: u64) {
    let mut every = interval(Duration::from_millis(5));
    let so_many = async {
        while counted(name) < at_least {
            every.tick().await;
        }
    };
    timeout(PATIENCE, so_many).await.expect("they are counted in time");
}

/// Checks that hints arrive in order at the other node, and never at the sender.
async fn check_order(ground: &Ground) {
    let (mut one, mut two) = ground.pair().await;
    let (sent, received) = (counted("confab_bus_sent_total"), counted("confab_bus_received_total"));
    for number in 0..1_000 {
        one.send(&format!("hint {number}"));
    }
    for number in 0..1_000 {
        two.receives(&format!("hint {number}")).await;
    }
    let longest = "\0".repeat(limits::BUS_FRAME_BYTES_MAX);
    two.send(&longest);
    two.send("");
    one.receives(&longest).await;
    one.receives("").await;
    assert!(two.received.try_recv().is_err());
    assert!(counted("confab_bus_received_total") >= received + 1_002);
    // Hints may arrive before the transport has confirmed them.
    until_counted("confab_bus_sent_total", sent + 1_002).await;
    assert!(!one.bus.is_alone() && one.bus.problem().is_none());
}

/// Checks that a dropped hint is counted and detected as a gap, even if no other hint follows.
async fn check_dropped(ground: &Ground) {
    let (one, mut two) = ground.pair().await;
    let (dropped, gaps) = (counted("confab_bus_dropped_total"), counted("confab_bus_gaps_total"));
    one.send(&"x".repeat(limits::BUS_FRAME_BYTES_MAX + 1));
    assert_eq!(two.next().await, ReceivedHint::Gap);
    // No other task runs during this loop, so the queue fills up.
    for number in 0..limits::BUS_QUEUE_MAX + 10 {
        one.send(&number.to_string());
    }
    assert!(counted("confab_bus_dropped_total") >= dropped + 11);
    two.receives_gap().await;
    one.meet(&mut two).await;
    assert!(counted("confab_bus_gaps_total") >= gaps + 2);
}

#[tokio::test]
async fn a_node_with_its_own_data_folder_is_alone() {
    let mut node = Ground::new(&[]).await.node();
    node.send("anybody?");
    assert!(node.bus.is_alone() && node.bus.problem().is_none());
    assert!(matches!(node.received.try_recv(), Err(tokio::sync::mpsc::error::TryRecvError::Empty)));
}
