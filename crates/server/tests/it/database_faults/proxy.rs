//! A network between a node and its database, with the faults that a network has.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What becomes of what is sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Network {
    /// It arrives.
    Works,
    /// It is held back: nothing arrives, nothing is closed. It arrives once the network works.
    HoldsBack,
    /// It vanishes, and with it all that is ever sent on the same connection.
    Swallows,
    /// The next COMMIT does not arrive, and its connection breaks.
    LosesCommit,
    /// The next COMMIT takes place; then its connection breaks before the answer arrives.
    LosesAnswer,
    /// The next COMMIT takes place; its answer vanishes, and all that follows on its connection.
    SwallowsAnswer,
}

/// The network. It is gone when this is dropped, with the runtime of the test.
pub(super) struct Proxy {
    server: u16,
    port: u16,
    network: Arc<watch::Sender<Network>>,
    broken: Arc<AtomicUsize>,
}

impl Proxy {
    /// Between whoever connects to it and the server at this port.
    pub(super) async fn to(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let network = Arc::new(watch::Sender::new(Network::Works));
        let broken = Arc::new(AtomicUsize::new(0));
        let (orders, count) = (network.clone(), broken.clone());
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(carry(client, server, orders.clone(), count.clone()));
            }
        });
        Self { server, port, network, broken }
    }

    /// Where it is reached by way of this network.
    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// The same address of the server, by way of this network.
    pub(super) fn url(&self, direct: &str) -> String {
        direct.replace(&format!(":{}/", self.server), &format!(":{}/", self.port))
    }

    pub(super) fn set(&self, network: Network) {
        self.network.send_replace(network);
    }

    /// How many connections broke at their COMMIT.
    pub(super) fn broken(&self) -> usize {
        self.broken.load(Ordering::Relaxed)
    }
}

/// Carries one connection until one of its ends closes it.
async fn carry(
    mut client: TcpStream,
    server: u16,
    network: Arc<watch::Sender<Network>>,
    broken: Arc<AtomicUsize>,
) {
    let mut orders = network.subscribe();
    arrives(&mut orders).await;
    let Ok(mut server) = TcpStream::connect(("127.0.0.1", server)).await else { return };
    let (mut sent, mut answered) = (vec![0; 65536], vec![0; 65536]);
    loop {
        tokio::select! {
            count = client.read(&mut sent) => {
                let Ok(count @ 1..) = count else { return };
                arrives(&mut orders).await;
                let fault = fault_at(&network, &sent[..count]);
                if fault == Some(Network::LosesCommit) {
                    broken.fetch_add(1, Ordering::Relaxed);
                    return;
                }
                if server.write_all(&sent[..count]).await.is_err() {
                    return;
                }
                if let Some(fault) = fault {
                    assert!(answers_commit(&mut server).await, "the commit takes place");
                    broken.fetch_add(1, Ordering::Relaxed);
                    if fault == Network::SwallowsAnswer {
                        std::future::pending::<()>().await;
                    }
                    return;
                }
            }
            count = server.read(&mut answered) => {
                let Ok(count @ 1..) = count else { return };
                arrives(&mut orders).await;
                if client.write_all(&answered[..count]).await.is_err() {
                    return;
                }
            }
        }
    }
}

/// Waits while the network holds back; for ever once it has swallowed something.
async fn arrives(orders: &mut watch::Receiver<Network>) {
    if *orders.borrow() == Network::Swallows {
        std::future::pending::<()>().await;
    }
    // The proxy's end is the end of all connections.
    let _ = orders.wait_for(|network| *network != Network::HoldsBack).await;
}

/// The fault that is to happen to this COMMIT; then the network works again.
fn fault_at(network: &watch::Sender<Network>, sent: &[u8]) -> Option<Network> {
    let mut fault = None;
    if has_commit(sent) {
        network.send_if_modified(|network| {
            let is_fault = matches!(
                *network,
                Network::LosesCommit | Network::LosesAnswer | Network::SwallowsAnswer
            );
            fault = is_fault.then(|| std::mem::replace(network, Network::Works));
            is_fault
        });
    }
    fault
}

/// Reads up to the answer of a COMMIT, which goes nowhere.
async fn answers_commit(server: &mut TcpStream) -> bool {
    let mut answered = vec![0; 65536];
    while let Ok(count @ 1..) = server.read(&mut answered).await {
        if has_commit(&answered[..count]) {
            return true;
        }
    }
    false
}

/// COMMIT as a statement and as its answer. Both are short and come at the end of what is sent at
/// once, so that they are not cut in two.
fn has_commit(bytes: &[u8]) -> bool {
    bytes.windows(7).any(|part| part == b"COMMIT\0")
}
