//! Mails that a mail server hands over by LMTP (RFC 2033, D-0170).
//!
//! [`serve`] takes connections, as many as may be; [`session`] is what is said on one of them,
//! [`command`] one line of it, and [`content`] the bytes of a mail until their end; [`delivering`]
//! finds the channel of a recipient and commits the mail. Started by `commands::serve` if the
//! operator says where to listen.
//!
//! Promises: 250 is said for a recipient after the commit; each has an answer of their own;
//! whatever is sent is bounded. Never: a mail that goes anywhere but into the rooms of a channel,
//! an address or a line of a mail in a log.

mod command;
mod content;
mod delivering;
mod session;

use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use confab_domain::limits;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

pub(super) use delivering::claimant;

use crate::services::Services;

/// How long to wait before taking connections again when that failed, for want of files mostly.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

/// What is said to one connection too many.
const FULL: &[u8] = b"421 4.3.2 Too many connections, come again\r\n";

/// What all connections share.
#[derive(Clone)]
struct Room {
    connections: Arc<Semaphore>,
    /// KiB of mails that are on their way in.
    mails: Arc<Semaphore>,
}

/// Takes connections until it is dropped, and they are cut off then.
pub async fn serve(listener: TcpListener, services: Services) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = Arc::new(tokio::net::TcpListener::from_std(listener)?);
    let room = Room {
        connections: Arc::new(Semaphore::new(limits::LMTP_CONNECTIONS_MAX)),
        mails: Arc::new(Semaphore::new(limits::LMTP_MAILS_KIB_MAX as usize)),
    };
    let chores = services.chores();
    let take = move || take_connections(listener.clone(), services.clone(), room.clone());
    chores.keep("taking mails", take).await;
    Ok(())
}

async fn take_connections(listener: Arc<tokio::net::TcpListener>, services: Services, room: Room) {
    let mut running = JoinSet::new();
    let mut has_failed = false;
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = running.join_next() => continue,
        };
        match accepted {
            Ok((stream, address)) => {
                has_failed = false;
                let socket = services.connections().take_socket(address.ip());
                let place = room.connections.clone().try_acquire_owned();
                let (Ok(socket), Ok(place)) = (socket, place) else {
                    // Said if that takes no time.
                    let _ = stream.try_write(FULL);
                    continue;
                };
                // The mail server is the operator's: its connections do not yield.
                socket.activity().set_admitted();
                // Small answers do not wait for others.
                let _ = stream.set_nodelay(true);
                let (services, mails) = (services.clone(), room.mails.clone());
                running.spawn(async move {
                    session::serve(services, stream, mails).await;
                    drop((socket, place));
                });
            }
            Err(error) => {
                if !has_failed {
                    tracing::warn!("mails are not taken: {error}");
                }
                has_failed = true;
                let _ = tokio::time::timeout(ACCEPT_AGAIN, std::future::pending::<()>()).await;
            }
        }
    }
}
