//! The NATS transport: core subjects without persistence (D-0040).
//!
//! The client reconnects and resubscribes by itself. It gets no URL with a password, and its own
//! log lines are discarded (`logging.rs`).

use std::error::Error as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use async_nats::{Client, ConnectOptions, Event, Subscriber};
use confab_domain::limits;
use confab_runtime::config::nats_url::{NatsCredentials, NatsUrl};
use confab_runtime::failures::chain;
use confab_runtime::ids;
use confab_store::Store;
use futures_util::StreamExt;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::line::BusLine;
use super::outbox::{count_dropped, count_sent};
use super::receiving::HintReceiver;

const RETRY_EVERY: Duration = Duration::from_millis(500);
/// Ping interval. The connection counts as lost after two unanswered pings.
const PING_EVERY: Duration = Duration::from_secs(5);
/// Time limit to send a packet, after which it is dropped.
const SENT_WITHIN: Duration = Duration::from_secs(5);

/// Number of connects so far, and whether the client is connected now.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Connected {
    times: u64,
    is_now: bool,
}

/// A NATS client and its subscription. The client reconnects by itself.
struct Joined {
    client: Client,
    subject: String,
    subscriber: Subscriber,
    connected: watch::Receiver<Connected>,
}

/// Connects to NATS and passes hints in both directions until the future is dropped.
pub(super) async fn run(url: NatsUrl, store: Store, line: Arc<BusLine>, mut hearing: HintReceiver) {
    let mut tries = interval(RETRY_EVERY);
    tries.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut is_told = false;
    loop {
        tries.tick().await;
        match join(&url, &store).await {
            Ok(joined) => {
                is_told = false;
                tracing::info!(bus = "nats", subject = %joined.subject, "connected to NATS");
                pass_on(joined, &line, &mut hearing).await;
            }
            Err(reason) if is_told => {
                tracing::debug!(bus = "nats", %reason, "failed to connect to NATS again");
            }
            Err(reason) => {
                is_told = true;
                tracing::warn!(bus = "nats", %reason, "failed to connect to NATS; retrying");
            }
        }
        set_cut_off(&line, true);
    }
}

/// Checks the connection. Returns the reason if no server can be reached or the login is rejected.
pub async fn reach(url: &NatsUrl) -> Result<(), String> {
    let reaching = async {
        let client = connect(options(url), url).await?;
        client.flush().await.map_err(|error| chain(&error))
    };
    timeout(SENT_WITHIN, reaching).await.unwrap_or_else(|_| Err("no answer in time".to_owned()))
}

/// Returns the connection options: login, certificate authorities and client name.
fn options(url: &NatsUrl) -> ConnectOptions {
    let options = match url.credentials.clone() {
        None => ConnectOptions::new(),
        Some(NatsCredentials::Token(token)) => ConnectOptions::with_token(token),
        Some(NatsCredentials::Password { user, password }) => {
            ConnectOptions::with_user_and_password(user, password)
        }
    };
    let options = match &url.ca_file {
        None => options,
        Some(file) => options.add_root_certificates(file.clone()),
    };
    options.name("confab")
}

async fn connect(options: ConnectOptions, url: &NatsUrl) -> Result<Client, String> {
    // The client's own error does not name the missing file.
    if let Some(file) = &url.ca_file
        && let Err(error) = std::fs::File::open(file)
    {
        return Err(format!("nats_ca_file {} cannot be read: {error}", file.display()));
    }
    options.connect(&url.servers[..]).await.map_err(|error| {
        let kind = error.kind().to_string();
        // Some causes only repeat the text of the kind.
        let cause = error.source().map(chain).filter(|cause| !cause.ends_with(&kind));
        cause.map_or(kind.clone(), |cause| format!("{kind}: {cause}"))
    })
}

async fn join(url: &NatsUrl, store: &Store) -> Result<Joined, String> {
    let first = store.first_app().await.map_err(|error| chain(&error))?;
    let first = first.ok_or("there is no app yet")?;
    let subject = format!("confab.{}", ids::installation(&first));
    let (events, connected) = watch::channel(Connected::default());
    let events = Arc::new(events);
    let options = options(url)
        .no_echo()
        .ping_interval(PING_EVERY)
        .subscription_capacity(limits::BUS_PACKETS_MAX)
        .reconnect_delay_callback(|tries| if tries > 1 { RETRY_EVERY } else { Duration::ZERO })
        .event_callback(move |event| {
            note(&events, &event);
            std::future::ready(())
        });
    let client = connect(options, url).await?;
    let subscriber = client.subscribe(subject.clone()).await.map_err(|error| chain(&error))?;
    Ok(Joined { client, subject, subscriber, connected })
}

fn note(connected: &watch::Sender<Connected>, event: &Event) {
    connected.send_if_modified(|connected| {
        let before = *connected;
        match event {
            Event::Connected => {
                *connected = Connected { times: before.times + 1, is_now: true };
            }
            Event::Disconnected | Event::Closed => connected.is_now = false,
            Event::ServerError(error) => {
                tracing::warn!(bus = "nats", %error, "NATS reported an error");
            }
            _ => {}
        }
        before != *connected
    });
}

/// Passes hints in both directions until the NATS client stops for good.
async fn pass_on(joined: Joined, line: &BusLine, hearing: &mut HintReceiver) {
    let Joined { client, subject, mut subscriber, mut connected } = joined;
    let telling = send(client, subject, line, connected.clone());
    tokio::pin!(telling);
    loop {
        tokio::select! {
            message = subscriber.next() => match message {
                Some(message) => hearing.receive(&message.payload),
                None => return,
            },
            changed = connected.changed() => {
                let Ok(()) = changed else { return };
                let is_now = connected.borrow_and_update().is_now;
                set_cut_off(line, !is_now);
                if is_now {
                    hearing.joined();
                } else {
                    tracing::warn!(bus = "nats", "connection to NATS lost; reconnecting");
                }
            }
            () = &mut telling => return,
            () = hearing.run_step() => {}
        }
    }
}

/// Sends packets while the client is connected.
async fn send(
    client: Client,
    subject: String,
    line: &BusLine,
    mut connected: watch::Receiver<Connected>,
) {
    loop {
        if connected.wait_for(|connected| connected.is_now).await.is_err() {
            return;
        }
        let packet = line.outbox.next().await;
        let sending = async {
            client.publish(subject.clone(), packet.bytes).await.map_err(|error| chain(&error))?;
            client.flush().await.map_err(|error| chain(&error))
        };
        match timeout(SENT_WITHIN, sending).await {
            Ok(Ok(())) => count_sent(packet.hints),
            Ok(Err(reason)) => {
                tracing::debug!(bus = "nats", %reason, "failed to send hints to other nodes");
                count_dropped(packet.hints);
            }
            Err(_) => count_dropped(packet.hints),
        }
    }
}

fn set_cut_off(line: &BusLine, is_cut_off: bool) {
    line.is_deaf.store(is_cut_off, Ordering::Relaxed);
    line.is_mute.store(is_cut_off, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Option<String> {
        let url = NatsUrl::parse(text, None)?;
        let servers: Vec<String> =
            url.servers.into_iter().map(|it| it.into_inner().into()).collect();
        let credentials = match url.credentials {
            None => "nothing".to_owned(),
            Some(NatsCredentials::Token(token)) => token,
            Some(NatsCredentials::Password { user, password }) => format!("{user} and {password}"),
        };
        Some(format!("{} with {credentials}", servers.join(" ")))
    }

    #[test]
    fn a_nats_url_is_parsed_and_an_invalid_one_is_rejected() {
        for (text, expected) in [
            ("nats://host:4222", "nats://host:4222 with nothing"),
            ("host:4222", "nats://host:4222 with nothing"),
            ("tls://a, tls://b:1", "tls://a tls://b:1 with nothing"),
            ("nats://confab:p%40ss%25@host", "nats://host with confab and p@ss%"),
            ("nats://a,nats://s3cret@b", "nats://a nats://b with s3cret"),
        ] {
            assert_eq!(shown(text).as_deref(), Some(expected), "{text}");
        }
        let bad = ["", ",", "nats://", "http://host", "ws://host", "nats://a:%4@b", "nats://a b"];
        for text in bad {
            assert_eq!(shown(text), None, "{text}");
        }
    }
}
