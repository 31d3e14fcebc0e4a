//! Mails that a mail server delivers by LMTP (RFC 2033).
//!
//! [`serve`] accepts connections up to a limit; [`session`] runs the dialog on one connection,
//! [`command`] parses its command lines, and [`content`] finds the end of a mail; [`delivering`]
//! finds the channel of a recipient and commits the mail. `confab serve` starts the listener if
//! `lmtp_listen` is set.
//!
//! Guarantees: a recipient is confirmed with 250 only after the commit; each recipient gets its own
//! reply; all input is bounded; mails are posted to rooms of channels only. Addresses and lines of
//! mails are never logged.

mod command;
mod content;
mod delivering;
mod session;

use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use confab_domain::channels::channel::ChannelKind;
use confab_domain::limits;
use confab_store::StoreError;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

pub(super) use delivering::claimant;

use confab_runtime::config::mail_domains::Assignment;
use confab_runtime::failures::chain;

use crate::channels::linked::LinkedChannel;
use crate::services::Services;

/// Delay before the next accept after a failed one, which is mostly caused by a lack of file
/// descriptors.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

/// Reply to a connection beyond the limit.
const FULL: &[u8] = b"421 4.3.2 Too many connections, try again later\r\n";

/// Semaphores that all connections share.
#[derive(Clone)]
struct Room {
    connections: Arc<Semaphore>,
    /// Memory for mails that are being received; one permit is 1 KiB.
    mails: Arc<Semaphore>,
}

/// Accepts connections. Dropping the future closes all connections.
pub async fn serve(listener: TcpListener, services: Services) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = Arc::new(tokio::net::TcpListener::from_std(listener)?);
    let room = Room {
        connections: Arc::new(Semaphore::new(limits::LMTP_CONNECTIONS_MAX)),
        mails: Arc::new(Semaphore::new(limits::LMTP_MAILS_KIB_MAX as usize)),
    };
    if let Err(error) = warn_of_domains(&services).await {
        tracing::warn!(error = %chain(&error), "failed to check the setting lmtp_domains");
    }
    let supervisor = services.supervisor();
    let take = move || take_connections(listener.clone(), services.clone(), room.clone());
    supervisor.keep("LMTP listener", take).await;
    Ok(())
}

/// Warns of assignments to apps that do not exist, and of channels that receive mails for a domain
/// that is assigned to no app although there are several apps.
async fn warn_of_domains(services: &Services) -> Result<(), StoreError> {
    let domains = &services.config().lmtp_domains;
    for app in domains.apps() {
        if services.apps().of_code(app).await?.is_none() {
            tracing::warn!(
                app.code = app.as_str(),
                "lmtp_domains names an app that does not exist"
            );
        }
    }
    if !services.store().has_several_apps().await? {
        return Ok(());
    }
    for channel in services.store().service_channels().await? {
        if channel.kind != ChannelKind::Email {
            continue;
        }
        let Some(linked) = LinkedChannel::load(services, channel.id).await? else { continue };
        let address = linked.account.setting("address");
        let assignment = domains.assignment(address, &linked.app.code);
        if !linked.has_mailbox() && assignment == Assignment::Nobody {
            tracing::warn!(
                channel.id = channel.id.0,
                app.code = linked.app.code.as_str(),
                "channel receives mails for a domain that no app owns; add it to lmtp_domains"
            );
        }
    }
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
                let socket = services.admission().connections.take_socket(address.ip());
                let place = room.connections.clone().try_acquire_owned();
                let (Ok(socket), Ok(place)) = (socket, place) else {
                    // The reply is best effort; never wait for the client.
                    let _ = stream.try_write(FULL);
                    continue;
                };
                // The mail server belongs to the operator: its connections never yield.
                socket.activity().set_admitted();
                // Send small replies at once.
                let _ = stream.set_nodelay(true);
                let (services, mails) = (services.clone(), room.mails.clone());
                running.spawn(async move {
                    session::serve(services, stream, mails).await;
                    drop((socket, place));
                });
            }
            Err(error) => {
                if !has_failed {
                    tracing::warn!(%error, "failed to accept LMTP connections");
                }
                has_failed = true;
                let _ = tokio::time::timeout(ACCEPT_AGAIN, std::future::pending::<()>()).await;
            }
        }
    }
}
