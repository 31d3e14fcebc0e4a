//! Draining (design/operations): the time between the stop signal and the stop, during which other
//! nodes take over and every request is still answered.
//!
//! `confab serve` calls it. Guarantees: `/ready` fails from the first moment, and connections are
//! asked to close with their next response (`envelope` in `http`); connected clients are
//! disconnected gradually; at the end, no connection that the kernel has established is left
//! without an answer. Draining stops nothing by itself and may be dropped at any time.

use std::io;
use std::net::TcpListener;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use crate::services::Services;

/// Interval at which some of the connected clients are disconnected.
const STEP: Duration = Duration::from_millis(250);
/// Number of steps at the end, in which connections that are being established may still arrive and
/// send their request.
const ARRIVING_STEPS: usize = 2;

/// Drains this server for a duration, and accepts no new connections at the end.
pub async fn leave(services: &Services, listener: &TcpListener, over: Duration) {
    services.begin_leaving();
    tracing::info!(drain_s = over.as_secs(), "drain started; requests are still accepted");
    let mut step = interval(STEP);
    step.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let steps = (over.as_millis() / STEP.as_millis()) as usize;
    for left in (1..=steps).rev() {
        step.tick().await;
        services.realtime().hub.send_away(left);
    }
    step.tick().await;
    if let Err(error) = shut(listener) {
        tracing::debug!(%error, "failed to stop accepting connections before the stop");
    }
    for _ in 0..ARRIVING_STEPS {
        step.tick().await;
    }
}

/// Makes the kernel drop packets that open new connections. Connections that are already being
/// established are accepted as before.
///
/// Closing the listener would instead reset all connections that the kernel has established and the
/// server has not accepted. A load balancer without health checks may have sent a request on them,
/// which it must not repeat. A client whose first packet is dropped retries a second later, is
/// refused, and knows that its request was not received.
#[cfg(target_os = "linux")]
fn shut(listener: &TcpListener) -> io::Result<()> {
    use socket2::{SockFilter, SockRef};
    const LOAD_BYTE: u16 = 0x30;
    const AND: u16 = 0x54;
    const JUMP_IF_EQUAL: u16 = 0x15;
    const RETURN: u16 = 0x06;
    const FLAGS_AT: u32 = 13;
    const SYN: u32 = 0x02;
    const ACK: u32 = 0x10;
    SockRef::from(listener).attach_filter(&[
        SockFilter::new(LOAD_BYTE, 0, 0, FLAGS_AT),
        SockFilter::new(AND, 0, 0, SYN | ACK),
        SockFilter::new(JUMP_IF_EQUAL, 0, 1, SYN),
        // Drop the packet: it opens a connection.
        SockFilter::new(RETURN, 0, 0, 0),
        // Let all other packets through.
        SockFilter::new(RETURN, 0, 0, u32::MAX),
    ])
}

#[cfg(not(target_os = "linux"))]
fn shut(_: &TcpListener) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use super::*;

    #[test]
    fn a_shut_listener_accepts_earlier_connections_and_refuses_later_ones() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a listener");
        let address = listener.local_addr().expect("an address");
        let mut early = TcpStream::connect(address).expect("connected");
        let duplicate = listener.try_clone().expect("the listener can be duplicated");
        shut(&duplicate).expect("shut");
        drop(duplicate);
        let late = TcpStream::connect_timeout(&address, Duration::from_millis(50));
        assert_eq!(
            late.expect_err("the connection is not accepted").kind(),
            io::ErrorKind::TimedOut
        );
        early.write_all(b"hello").expect("written");
        let (mut accepted, _) = listener.accept().expect("the early connection is accepted");
        let mut bytes = [0; 5];
        accepted.read_exact(&mut bytes).expect("the request arrives");
        assert_eq!(&bytes, b"hello");
        accepted.write_all(b"hello").expect("written");
        early.read_exact(&mut bytes).expect("the client receives the answer");
        drop(listener);
        let refused = TcpStream::connect(address).expect_err("the listener is closed");
        assert_eq!(refused.kind(), io::ErrorKind::ConnectionRefused);
    }
}
