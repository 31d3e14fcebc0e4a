//! A proxy between a node and its database that simulates faults of a network.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// State of the simulated network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Network {
    /// All data is forwarded.
    Works,
    /// Data is held back, without closing connections, until the network works again.
    HoldsBack,
    /// Data is discarded, as is all later data on the same connection.
    Swallows,
    /// The next COMMIT is discarded, and its connection is closed.
    LosesCommit,
    /// The next COMMIT is executed, and its connection is closed before the response arrives.
    LosesAnswer,
    /// The next COMMIT is executed. Its response and all later data on its connection are
    /// discarded.
    SwallowsAnswer,
}

/// A proxy, which runs until the runtime of the test ends.
pub(super) struct Proxy {
    server: u16,
    port: u16,
    network: Arc<watch::Sender<Network>>,
    broken: Arc<AtomicUsize>,
}

impl Proxy {
    /// Starts a proxy of the server at this port.
    pub(super) async fn to(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let network = Arc::new(watch::Sender::new(Network::Works));
        let broken = Arc::new(AtomicUsize::new(0));
        let (orders, count) = (network.clone(), broken.clone());
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(forward(client, server, orders.clone(), count.clone()));
            }
        });
        Self { server, port, network, broken }
    }

    /// Returns the port of the proxy.
    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Replaces the port of the server in a URL by that of the proxy.
    pub(super) fn url(&self, direct: &str) -> String {
        direct.replace(&format!(":{}/", self.server), &format!(":{}/", self.port))
    }

    pub(super) fn set(&self, network: Network) {
        self.network.send_replace(network);
    }

    /// Returns the number of connections that broke at a COMMIT.
    pub(super) fn broken(&self) -> usize {
        self.broken.load(Ordering::Relaxed)
    }
}

/// Forwards one connection until either end closes it.
async fn forward(
    mut client: TcpStream,
    server: u16,
    network: Arc<watch::Sender<Network>>,
    broken: Arc<AtomicUsize>,
) {
    let mut orders = network.subscribe();
    until_forwarded(&mut orders).await;
    let Ok(mut server) = TcpStream::connect(("127.0.0.1", server)).await else { return };
    let (mut sent, mut answered) = (vec![0; 65536], vec![0; 65536]);
    loop {
        tokio::select! {
            count = client.read(&mut sent) => {
                let Ok(count @ 1..) = count else { return };
                until_forwarded(&mut orders).await;
                let fault = fault_at(&network, &sent[..count]);
                if fault == Some(Network::LosesCommit) {
                    broken.fetch_add(1, Ordering::Relaxed);
                    return;
                }
                if server.write_all(&sent[..count]).await.is_err() {
                    return;
                }
                if let Some(fault) = fault {
                    assert!(answers_commit(&mut server).await, "the commit is executed");
                    broken.fetch_add(1, Ordering::Relaxed);
                    if fault == Network::SwallowsAnswer {
                        std::future::pending::<()>().await;
                    }
                    return;
                }
            }
            count = server.read(&mut answered) => {
                let Ok(count @ 1..) = count else { return };
                until_forwarded(&mut orders).await;
                if client.write_all(&answered[..count]).await.is_err() {
                    return;
                }
            }
        }
    }
}

/// Waits while the network holds data back; never returns if it swallows data.
async fn until_forwarded(orders: &mut watch::Receiver<Network>) {
    if *orders.borrow() == Network::Swallows {
        std::future::pending::<()>().await;
    }
    // An error means that the sender is gone; the caller still owns it.
    let _ = orders.wait_for(|network| *network != Network::HoldsBack).await;
}

/// Returns the fault for this COMMIT, if it is one; from then on, the network works.
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

/// Reads and discards data up to the response to a COMMIT; returns whether it arrived.
async fn answers_commit(server: &mut TcpStream) -> bool {
    let mut answered = vec![0; 65536];
    while let Ok(count @ 1..) = server.read(&mut answered).await {
        if has_commit(&answered[..count]) {
            return true;
        }
    }
    false
}

/// Whether data contains COMMIT, as a statement or as its response. Both are short and at the end
/// of a write, so they are not split.
fn has_commit(bytes: &[u8]) -> bool {
    bytes.windows(7).any(|part| part == b"COMMIT\0")
}
