//! Leaving without being missed (D-0184): what a server does between the word that it shall stop
//! and its stop, so that other nodes take over and nobody is left without an answer.
//!
//! Called by `commands::serve`. Promises: while it lasts every request is taken and answered;
//! `/ready` is red from the first moment, and connections are told to end with their next answer
//! (`http::envelope`); those who stay connected are sent away little by little; at the end nobody
//! is between a connection that the kernel has taken and the server that answers. Stops nothing by
//! itself, and may be dropped at any time.

use std::io;
use std::net::TcpListener;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use crate::services::Services;

/// How often some of those who stay connected are sent away.
const STEP: Duration = Duration::from_millis(250);
/// How long connections that have begun may take to be there, and to say what they want.
const ARRIVING_STEPS: usize = 2;

/// Tells everybody that this server leaves, for so long, and lets no connection in at the end.
pub(crate) async fn leave(services: &Services, message_source: &TcpListener, over: Duration) {
    services.begin_leaving();
    tracing::info!("leaving: everything is taken for {} s more", over.as_secs());
    let mut step = interval(STEP);
    step.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let steps = (over.as_millis() / STEP.as_millis()) as usize;
    for left in (1..=steps).rev() {
        step.tick().await;
        services.hub().send_away(left);
    }
    step.tick().await;
    if let Err(error) = shut(message_source) {
        tracing::debug!("the listener is open to the end: {error}");
    }
    for _ in 0..ARRIVING_STEPS {
        step.tick().await;
    }
}

/// Lets the kernel begin no connection any more; those that have begun are taken as before.
///
/// A listener that is closed resets whatever it has not handed over. Balancers without health
/// checks would have sent a request by then, which nobody may repeat. Who is not let in tries again
/// a second later, is refused, and knows that nothing was taken.
#[cfg(target_os = "linux")]
fn shut(message_source: &TcpListener) -> io::Result<()> {
    use socket2::{SockFilter, SockRef};
    const LOAD_BYTE: u16 = 0x30;
    const AND: u16 = 0x54;
    const JUMP_IF_EQUAL: u16 = 0x15;
    const RETURN: u16 = 0x06;
    const FLAGS_AT: u32 = 13;
    const SYN: u32 = 0x02;
    const ACK: u32 = 0x10;
    SockRef::from(message_source).attach_filter(&[
        SockFilter::new(LOAD_BYTE, 0, 0, FLAGS_AT),
        SockFilter::new(AND, 0, 0, SYN | ACK),
        SockFilter::new(JUMP_IF_EQUAL, 0, 1, SYN),
        // The packet is dropped.
        SockFilter::new(RETURN, 0, 0, 0),
        // All of it is let through.
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
    fn who_has_begun_is_let_in_and_who_comes_later_is_not() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a listener");
        let address = listener.local_addr().expect("an address");
        let mut early = TcpStream::connect(address).expect("connected");
        let message_source = listener.try_clone().expect("the same door");
        shut(&message_source).expect("shut");
        drop(message_source);
        let late = TcpStream::connect_timeout(&address, Duration::from_millis(50));
        assert_eq!(late.expect_err("nobody").kind(), io::ErrorKind::TimedOut);
        early.write_all(b"hello").expect("written");
        let (mut taken, _) = listener.accept().expect("it was there before");
        let mut said = [0; 5];
        taken.read_exact(&mut said).expect("what it says arrives");
        assert_eq!(&said, b"hello");
        taken.write_all(b"hello").expect("written");
        early.read_exact(&mut said).expect("and what it is answered");
        drop(listener);
        let refused = TcpStream::connect(address).expect_err("nobody listens");
        assert_eq!(refused.kind(), io::ErrorKind::ConnectionRefused);
    }
}
