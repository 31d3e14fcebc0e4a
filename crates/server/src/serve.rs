//! `confab serve`: runs the server until a signal stops it.

use std::io::{self, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use confab_app::background::Background;
use confab_app::channels::mail::lmtp;
use confab_app::process::{address_file, draining, start};
use confab_app::services::Services;
use confab_cli::{CommandError, StopSignals};
use confab_domain::limits;
use confab_http::Stopper;
use confab_outbound::AllowList;
use confab_realtime::mqtt;
use confab_runtime::clock::{COMMAND_NODE, SERVING_NODE, SystemStamps};
use confab_runtime::config::Config;
use confab_runtime::files;
use confab_runtime::process::secrets_file::SecretsFile;
use confab_runtime::process::{logging, memory, open_files, private_files};
use confab_store::{Location, Registry, Rewritten, Sealer, Secrets, Store};
use socket2::SockRef;
use tokio::time::timeout;

/// Maximum time to wait for connected clients to disconnect after they were notified that the
/// server stops.
const FAREWELLS: Duration = Duration::from_secs(2);

pub(crate) fn run(config: Config) -> Result<(), CommandError> {
    logging::start(&config.log_level, config.log_format);
    open_files::raise();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        outlive_file_limits();
        memory::keep_no_large_pieces();
        serve(config).await
    })
}

async fn serve(mut config: Config) -> Result<(), CommandError> {
    let listener = bind(config.listen, "listen")?;
    let address = listener.local_addr()?;
    let scheme = config.scheme();
    if config.public_url == format!("{scheme}://{}", config.listen) {
        // With port 0, the system chose the port.
        config.public_url = format!("{scheme}://{address}");
    }
    let mqtt_listener = mqtt_listener(&config)?;
    let lmtp_listener = lmtp_listener(&config)?;
    private_files::tighten(&config);
    let stamps = Arc::new(SystemStamps::new(SERVING_NODE));
    let sealer = sealer(&config).await?;
    let store = Store::open(&location_with_files(&config), stamps, sealer.clone()).await?;
    let made = {
        let stamps = Arc::new(SystemStamps::new(COMMAND_NODE));
        let mut registry = Registry::open(&config.location, stamps, sealer).await?;
        start::first_start(&mut registry, &config.first_start).await?
    };
    if let Some(made) = made {
        // Printed, not logged: logs must not contain secrets.
        let _ = writeln!(io::stdout(), "{}", made.greeting(&config, address));
    }
    address_file::write(&config, address);
    let services = Services::new(store.clone(), config.clone());
    let stopper = Stopper::default();
    let background = Background::start(&services);
    // Install the handlers here, so that signals before the task starts are not lost.
    let signals = StopSignals::listen();
    tokio::spawn(stop_on_signal(signals, stopper.clone(), services.clone(), listener.try_clone()?));
    let mqtt = mqtt_listener.map(|listener| {
        tokio::spawn(mqtt::serve(
            listener,
            services.realtime().clone(),
            services.config().tls.clone(),
            services.supervisor(),
        ))
    });
    let lmtp = lmtp_listener.map(|listener| tokio::spawn(lmtp::serve(listener, services.clone())));
    let (url, data) = (format!("{scheme}://{address}"), config.location.shown());
    tracing::info!(%url, %data, "listening for HTTP");
    warn_of_plain_text(&config, address);
    log_webhook_targets(config.webhook_loopback, &config.webhook_allow);
    if config.s3.is_none() && matches!(config.location, Location::Postgres(_)) {
        tracing::info!(
            path = %config.files_folder.display(),
            "uploaded files are stored in a folder; every node must mount the same folder"
        );
    }
    let router = confab_http::router(services.clone());
    memory::give_all_back();
    confab_http::serve(listener, router, &services, stopper).await?;
    // Connected clients are notified of the stop and of the time to reconnect.
    let told = services.admission().connections.clone();
    let _ = timeout(FAREWELLS, told.until_none_remain()).await;
    mqtt.inspect(tokio::task::JoinHandle::abort);
    lmtp.inspect(tokio::task::JoinHandle::abort);
    background.stop(config.stop_grace).await;
    address_file::remove(&config, address);
    store.close().await?;
    tracing::info!(%url, %data, "server stopped");
    Ok(())
}

/// Returns the location of the data; for PostgreSQL, with the location of uploaded files, which
/// must be the same for all nodes of a database.
fn location_with_files(config: &Config) -> Location {
    match &config.location {
        Location::Folder(_) => config.location.clone(),
        Location::Postgres(_) => config.location.clone().with_files_in(files::name_place(config)),
    }
}

/// Opens the sealer, which encrypts and decrypts the data's secrets (D-0086).
async fn sealer(config: &Config) -> Result<Arc<Sealer>, CommandError> {
    let file = SecretsFile::at(&config.secrets_key_file);
    let mut report = |far: Rewritten| {
        tracing::info!(count = far.rows, table = far.what, "secrets of an older version encrypted");
    };
    let keys = Box::new(file.clone());
    let secrets = Secrets::open_to_serve(&config.location, keys, &mut report).await?;
    let path = config.secrets_key_file.display();
    if secrets.made_file() {
        tracing::info!(
            %path,
            "key file created: every node needs the same file, and no backup of the database \
             contains it; keep a copy"
        );
    }
    if secrets.sealed_clear() {
        tracing::warn!(
            data = %config.location.shown(),
            "secrets in the database were encrypted; backups and confab.db.before-version-* files \
             still contain them unencrypted"
        );
    }
    if let Some(mode) = file.open_to_others() {
        let mode = format!("{mode:o}");
        tracing::warn!(
            %path,
            %mode,
            "other users of this machine may read the key file; remove their access with chmod 600"
        );
    }
    Ok(secrets.sealer())
}

/// Handles SIGXFSZ, so that writes beyond `ulimit -f` fail like writes to a full disk. Without a
/// handler, the signal ends the process.
fn outlive_file_limits() {
    use tokio::signal::unix::{SignalKind, signal};
    let limit = SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw());
    if let Err(error) = signal(limit) {
        tracing::debug!(%error, "failed to handle SIGXFSZ; exceeding ulimit -f ends the process");
    }
}

/// Logs whether webhooks may call receivers on this machine, so that the log explains why a webhook
/// does not arrive (D-0010).
fn log_webhook_targets(webhook_loopback: bool, allowed: &AllowList) {
    match webhook_loopback {
        false if !allowed.is_empty() => tracing::info!(
            webhook_loopback,
            "webhooks may not call this machine, except targets listed in webhook_allow"
        ),
        true => tracing::info!(
            webhook_loopback,
            "webhooks may call receivers on this machine, for every app; set webhook_loopback to \
             off if other organizations have apps here"
        ),
        false => tracing::info!(
            webhook_loopback,
            "webhooks may not call this machine; list receivers in webhook_allow, or set \
             webhook_loopback to on"
        ),
    }
}

/// Listens on an address. The error names the setting.
fn bind(address: SocketAddr, key: &str) -> Result<TcpListener, String> {
    listen(address).map_err(|error| {
        let (flag, variable) = (key.replace('_', "-"), key.to_uppercase());
        format!("cannot listen on {address}: {error}; change {key} (--{flag}, CONFAB_{variable})")
    })
}

/// Listens with a longer backlog. The standard library allows 128 pending connections; the system
/// drops further ones silently, and their clients retry after 1, 3, 7 and 15 seconds.
fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(address)?;
    SockRef::from(&listener).listen(limits::CONNECTIONS_IN_LINE_MAX)?;
    Ok(listener)
}

/// Opens the MQTT listener, if one is configured. The default address is optional, because clients
/// can use `/mqtt` instead.
fn mqtt_listener(config: &Config) -> Result<Option<TcpListener>, CommandError> {
    let Some(address) = config.mqtt_listen else { return Ok(None) };
    match bind(address, "mqtt_listen") {
        Ok(listener) => {
            let scheme = if config.tls.is_some() { "mqtts" } else { "mqtt" };
            let url = format!("{scheme}://{}", listener.local_addr()?);
            tracing::info!(%url, "listening for MQTT");
            Ok(Some(listener))
        }
        Err(reason) if config.mqtt_listen_is_default => {
            tracing::warn!(%reason, "failed to listen for MQTT; MQTT over TCP is off");
            Ok(None)
        }
        Err(reason) => Err(reason.into()),
    }
}

/// Opens the LMTP listener, if one is configured.
fn lmtp_listener(config: &Config) -> Result<Option<TcpListener>, CommandError> {
    let Some(address) = config.lmtp_listen else { return Ok(None) };
    let listener = bind(address, "lmtp_listen")?;
    let address = listener.local_addr()?;
    let url = format!("lmtp://{address}");
    tracing::info!(%url, "listening for LMTP");
    if !address.ip().is_loopback() {
        tracing::warn!(
            %url,
            "LMTP accepts mails of any sender, and other machines can connect: allow only your \
             mail server to connect"
        );
    }
    Ok(Some(listener))
}

/// Warns of unencrypted listeners that other machines can reach: passwords, tokens and messages can
/// be read in transit.
fn warn_of_plain_text(config: &Config, address: SocketAddr) {
    if config.tls.is_some() {
        return;
    }
    let addresses = [Some(address), config.mqtt_listen].into_iter().flatten();
    for address in addresses.filter(|address| !address.ip().is_loopback()) {
        tracing::warn!(
            %address,
            "listener is not encrypted, and other machines can connect: set tls_cert and tls_key, \
             or allow only an encrypting proxy to connect and list it in trusted_proxies"
        );
    }
}

/// Waits for Ctrl-C or SIGTERM, then drains if configured, and stops gracefully. A signal during
/// the drain ends the drain; a signal during the graceful stop ends the process at once.
async fn stop_on_signal(
    mut signals: StopSignals,
    stopper: Stopper,
    services: Services,
    listener: TcpListener,
) {
    let Config { drain, stop_grace: grace, .. } = *services.config();
    signals.next().await;
    if !drain.is_zero() {
        tokio::select! {
            () = draining::leave(&services, &listener, drain) => {}
            () = signals.next() => {}
        }
    }
    // The socket stays open as long as any handle exists.
    drop(listener);
    tracing::info!(grace_s = grace.as_secs(), "shutdown started; running requests may finish");
    stopper.stop(grace);
    // Event streams would never end by themselves.
    services.realtime().hub.stop();
    signals.next().await;
    tracing::warn!(grace_s = grace.as_secs(), "shutdown cut short by another signal");
    std::process::exit(1);
}

#[cfg(test)]
mod tests {
    use std::net::TcpStream;

    use super::*;

    #[test]
    fn hundreds_of_simultaneous_connections_fit_into_the_backlog() {
        let listener = listen(SocketAddr::from(([127, 0, 0, 1], 0))).expect("a port");
        let address = listener.local_addr().expect("an address");
        let connect = |_| TcpStream::connect_timeout(&address, Duration::from_millis(900));
        let waiting: Vec<_> = (0..400).map(connect).collect();
        let turned_away = waiting.iter().filter(|it| it.is_err()).count();
        assert_eq!(turned_away, 0, "nobody has taken any of them yet");
    }
}
