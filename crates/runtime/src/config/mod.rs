//! The settings of the server: one table, four sources (design/operations).
//!
//! Each setting is read from a flag, an environment variable, a key in `confab.toml` or its
//! default; the first one that is present wins. An invalid value prevents the start; the error
//! names the setting, its source and the allowed values.

mod error;
pub mod mail_domains;
pub mod nats_url;
mod sources;
mod table;

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::time::Duration;

use confab_domain::files::upload_facts::UploadQuotas;
use confab_outbound::AllowList;
use confab_store::Location;
use hyper::header::{HeaderName, HeaderValue};
use ipnet::IpNet;
use percent_encoding::percent_decode_str;

use crate::apns::Apns;
use crate::config::mail_domains::MailDomains;
use crate::config::nats_url::NatsUrl;
use crate::process::secrets_file::SecretsFile;
use crate::process::tls::Tls;

pub use error::ConfigError;
pub use sources::{Effective, SettingSource, from_everywhere};
pub use table::{SETTINGS, Secrecy, Setting};

/// The effective settings of a server.
#[derive(Clone)]
pub struct Config {
    /// HTTP listen address.
    pub listen: SocketAddr,
    /// MQTT listen address; `None` disables MQTT over TCP.
    pub mqtt_listen: Option<SocketAddr>,
    /// Whether `mqtt_listen` is not set. If so, the server starts without MQTT over TCP when it
    /// cannot listen on the default address.
    pub mqtt_listen_is_default: bool,
    /// LMTP listen address, to which mail servers deliver mails for channels; `None` disables LMTP.
    pub lmtp_listen: Option<SocketAddr>,
    /// Mail domains and the apps that receive their mails by LMTP.
    pub lmtp_domains: MailDomains,
    /// Location of the database: a data folder or PostgreSQL.
    pub location: Location,
    /// Key file that decrypts the secrets in the database (D-0086).
    pub secrets_key_file: PathBuf,
    /// File in which a running server publishes its URL.
    pub address_file: PathBuf,
    /// NATS servers for messages between nodes (D-0040); if `None`, nodes use the database instead.
    pub nats_url: Option<NatsUrl>,
    /// Brand parts of header names, in upper case. The documentation shows the first brand.
    pub brands: Vec<String>,
    /// URL of this server as clients see it, without a trailing slash.
    pub public_url: String,
    /// Whether `public_url` is not set. If so, Confab does not know whether a proxy adds TLS.
    pub public_url_is_default: bool,
    /// Folder of uploaded files.
    pub files_folder: PathBuf,
    /// S3-compatible store of uploaded files, instead of `files_folder`.
    pub s3: Option<S3>,
    /// Maximum size of an uploaded file, in bytes.
    pub upload_max_bytes: u64,
    /// Minimum free disk space in bytes, below which uploads are refused; 0 for no minimum.
    pub free_space_min_bytes: u64,
    /// File name extensions that may be uploaded; empty for all.
    pub upload_types: Vec<String>,
    /// Minimum level of log lines.
    pub log_level: String,
    /// Format of log lines: text or JSON.
    pub log_format: LogFormat,
    /// OpenTelemetry collector that receives traces (D-0167); `None` to disable tracing.
    pub traces: Option<TraceSettings>,
    /// Maximum number of requests of an app per second; `None` means no limit.
    pub app_requests_per_second: Option<u32>,
    /// Maximum number of messages that a user posts per second; `None` means no limit.
    pub user_posts_per_second: Option<u32>,
    /// Maximum number of concurrent requests of an app, for each kind of caller: the app itself,
    /// its staff, its users, and callers without credentials.
    pub app_concurrent_requests: usize,
    /// Number of days for which deliveries and their attempts are kept.
    pub webhook_retention_days: u32,
    /// Number of days for which entries of the audit log are kept.
    pub audit_retention_days: u32,
    /// Time between the signal to stop and the stop, during which requests are still served.
    pub drain: Duration,
    /// Time for running requests to finish when the server stops.
    pub stop_grace: Duration,
    /// Limits on what apps, users and anonymous clients create per period.
    pub quotas: QuotaSettings,
    /// Webhook targets that are allowed although they are not public (D-0010).
    pub webhook_allow: AllowList,
    /// Whether webhooks may call receivers on this machine (D-0010).
    pub webhook_loopback: bool,
    /// Whether `/widget/demo` shows the widget next to the dashboard.
    pub widget_demo: bool,
    /// Proxies whose `client_address_header` is trusted.
    pub trusted_proxies: Vec<IpNet>,
    /// Header in which trusted proxies write the client's IP address.
    pub client_address_header: HeaderName,
    /// Maximum number of connections of an IP address; `None` for the default, a quarter of all
    /// connections.
    pub connections_per_address: Option<usize>,
    /// TLS certificate and key; `None` for unencrypted listeners.
    pub tls: Option<Tls>,
    /// Signing key, ids and host for Apple's push service; `None` disables pushes.
    pub apns: Option<Apns>,
    /// URL of Telegram's Bot API without a trailing slash; `log:` to print requests instead of
    /// sending them.
    pub telegram_api_url: String,
    /// URL of Meta's API for WhatsApp channels, or `log:`.
    pub whatsapp_api_url: String,
    /// URL of Meta's API for Messenger channels, or `log:`.
    pub messenger_api_url: String,
    /// URL of Meta's API for Instagram channels, which has a host of its own, or `log:`.
    pub instagram_api_url: String,
    /// URL of LINE's Messaging API, or `log:`.
    pub line_api_url: String,
    /// URL of LINE's API for files that customers send.
    pub line_data_url: String,
    /// Values for the first app and its admin, which are otherwise generated.
    pub first_start: FirstStart,
}

/// Limits on what clients create per period; `None` means no limit.
#[derive(Debug, Clone, Copy, Default)]
pub struct QuotaSettings {
    /// Limits on the total size of uploaded files, in bytes.
    pub uploads: UploadQuotas,
    /// Maximum number of messages of an app per day.
    pub app_messages_per_day: Option<u32>,
    /// Maximum number of messages and room changes by a user's clients per day.
    pub user_messages_per_day: Option<u32>,
    /// Maximum number of rooms created in an app per day.
    pub app_rooms_per_day: Option<u32>,
    /// Maximum number of rooms created by a user's clients per day.
    pub user_rooms_per_day: Option<u32>,
    /// Maximum number of users who register themselves in an app per day.
    pub app_registrations_per_day: Option<u32>,
    /// Maximum number of users who register themselves in an app from one IP address per hour.
    pub address_registrations_per_hour: Option<u32>,
    /// Maximum number of nonces that an app issues per minute.
    pub app_nonces_per_minute: Option<u32>,
    /// Maximum number of nonces that an app issues to one IP address per minute.
    pub address_nonces_per_minute: Option<u32>,
}

/// Address and credentials of an S3-compatible store. No `Debug`: it has a secret key.
#[derive(Clone)]
pub struct S3 {
    /// URL of the store's S3 API.
    pub endpoint: url::Url,
    /// Name of the bucket with the uploaded files.
    pub bucket: String,
    /// Region of the bucket.
    pub region: String,
    /// Access key ID, which is sent with each request.
    pub access_key: String,
    /// Secret access key, which signs requests.
    pub secret_key: String,
}

/// An OpenTelemetry collector and the sampling rate. No `Debug`: it has secrets.
#[derive(Clone)]
pub struct TraceSettings {
    /// URL to which spans are posted.
    pub url: url::Url,
    /// HTTP headers of each request to the collector.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// Fraction of traces that are recorded, from 0 to 1, among those that start in this server.
    pub sampled_share: f64,
}

/// Presets for the first start; absent values are generated. No `Debug`: it has secrets.
#[derive(Clone, Default)]
pub struct FirstStart {
    /// App ID, as shown in URLs and headers.
    pub app_id: Option<String>,
    /// SDK secret, which authorizes calls of the message API.
    pub sdk_secret: Option<String>,
    /// Secret key, which signs webhooks and authorizes calls of the omnichannel API.
    pub secret_key: Option<String>,
    /// E-mail address with which the admin signs in.
    pub admin_email: Option<String>,
    pub admin_password: Option<String>,
}

/// Format of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// Lines to be read by people.
    Text,
    /// One JSON object per line.
    Json,
}

impl Config {
    /// Returns the URL scheme of this server: `https` with TLS, else `http`.
    pub fn scheme(&self) -> &'static str {
        if self.tls.is_some() { "https" } else { "http" }
    }

    /// Returns the URL scheme by which browsers open this server's pages; `None` if it is unknown,
    /// because a proxy may add TLS.
    pub fn pages_scheme(&self) -> Option<&str> {
        let is_unknown = self.public_url_is_default && self.tls.is_none();
        self.public_url.split(':').next().filter(|_| !is_unknown)
    }

    /// Parses and checks the value of every setting.
    pub fn from_effective(effective: &Effective) -> Result<Self, ConfigError> {
        Ok(Self {
            listen: effective.parsed("listen", address)?,
            mqtt_listen: effective.parsed("mqtt_listen", maybe_address)?,
            mqtt_listen_is_default: *effective.source("mqtt_listen") == SettingSource::Default,
            lmtp_listen: effective.parsed("lmtp_listen", maybe_address)?,
            lmtp_domains: effective.parsed("lmtp_domains", MailDomains::parse)?,
            location: location(effective)?,
            secrets_key_file: secrets_key_file(effective),
            address_file: address_file(effective),
            nats_url: nats_url(effective)?,
            brands: effective.parsed("brands", brands)?,
            public_url: public_url(effective)?,
            public_url_is_default: *effective.source("public_url") == SettingSource::Default,
            files_folder: files_folder(effective),
            s3: s3(effective)?,
            upload_max_bytes: effective.parsed("upload_max_bytes", upload_bytes)?,
            free_space_min_bytes: effective.parsed("free_space_min_bytes", |it| it.parse().ok())?,
            upload_types: effective.parsed("upload_types", endings)?,
            log_level: effective.parsed("log_level", log_level)?,
            log_format: effective.parsed("log_format", log_format)?,
            traces: traces(effective)?,
            app_requests_per_second: effective.parsed("app_requests_per_second", rate)?,
            user_posts_per_second: effective.parsed("user_posts_per_second", rate)?,
            app_concurrent_requests: effective.parsed("app_concurrent_requests", count)?,
            webhook_retention_days: effective.parsed("webhook_retention_days", retention_days)?,
            audit_retention_days: effective.parsed("audit_retention_days", audit_retention_days)?,
            drain: effective.parsed("drain_seconds", seconds)?,
            stop_grace: effective.parsed("stop_grace_seconds", seconds)?,
            quotas: quotas(effective)?,
            webhook_allow: effective.parsed("webhook_allow", |it| AllowList::parse(it).ok())?,
            webhook_loopback: unless_reached(effective, "webhook_loopback")?,
            widget_demo: unless_reached(effective, "widget_demo")?,
            trusted_proxies: effective.parsed("trusted_proxies", networks)?,
            client_address_header: effective
                .parsed("client_address_header", |it| it.parse().ok())?,
            connections_per_address: effective.parsed("connections_per_address", maybe_count)?,
            tls: tls(effective)?,
            apns: apns(effective)?,
            telegram_api_url: effective.parsed("telegram_api_url", service_url)?,
            whatsapp_api_url: effective.parsed("whatsapp_api_url", service_url)?,
            messenger_api_url: effective.parsed("messenger_api_url", service_url)?,
            instagram_api_url: effective.parsed("instagram_api_url", service_url)?,
            line_api_url: effective.parsed("line_api_url", service_url)?,
            line_data_url: effective.parsed("line_data_url", service_url)?,
            first_start: FirstStart {
                app_id: effective.given("app_id"),
                sdk_secret: effective.given("sdk_secret"),
                secret_key: effective.given("secret_key"),
                admin_email: effective.given("admin_email"),
                admin_password: effective.given("admin_password"),
            },
        })
    }
}

/// Parses a switch that defaults to on, unless the settings indicate that other machines can reach
/// the server.
fn unless_reached(effective: &Effective, key: &str) -> Result<bool, ConfigError> {
    let said = effective.parsed(key, |text| match text {
        "" => Some(None),
        "on" => Some(Some(true)),
        "off" => Some(Some(false)),
        _ => None,
    })?;
    let listeners = [
        effective.parsed("listen", maybe_address)?,
        effective.parsed("mqtt_listen", maybe_address)?,
        effective.parsed("lmtp_listen", maybe_address)?,
    ];
    let is_reached =
        ["public_url", "trusted_proxies"].iter().any(|key| effective.given(key).is_some())
            || listeners.iter().flatten().any(|address| !address.ip().is_loopback());
    Ok(said.unwrap_or(!is_reached))
}

/// Returns the folder of uploaded files, which is used unless an S3 bucket is configured.
pub fn files_folder(effective: &Effective) -> PathBuf {
    Path::new(effective.text("data")).join("files")
}

/// Returns the key file that decrypts the secrets in the database.
pub fn secrets_file(effective: &Effective) -> SecretsFile {
    SecretsFile::at(secrets_key_file(effective))
}

/// Returns the file in which a running server publishes its URL.
pub fn address_file(effective: &Effective) -> PathBuf {
    Path::new(effective.text("data")).join("server.url")
}

fn secrets_key_file(effective: &Effective) -> PathBuf {
    let in_data = || Path::new(effective.text("data")).join("secrets.key");
    effective.given("secrets_key_file").map_or_else(in_data, PathBuf::from)
}

/// Returns the location of the database: PostgreSQL if its URL is set, else the data folder.
pub fn location(effective: &Effective) -> Result<Location, ConfigError> {
    match effective.given("database_url") {
        None => Ok(Location::folder(effective.text("data"))),
        // Omit the value from the message: it may contain a password.
        Some(url) => Location::database(&url).map_err(|error| {
            let source = effective.source("database_url");
            let allowed = "an address such as postgres://user:password@host/database";
            ConfigError(format!(
                "database_url ({source}) is not valid: {}; it must be {allowed}",
                error.source
            ))
        }),
    }
}

fn nats_url(effective: &Effective) -> Result<Option<NatsUrl>, ConfigError> {
    let Some(text) = effective.given("nats_url") else { return Ok(None) };
    // Omit the value from the message: it may contain a password.
    let ca_file = effective.given("nats_ca_file").map(PathBuf::from);
    NatsUrl::parse(&text, ca_file).map(Some).ok_or_else(|| {
        let source = effective.source("nats_url");
        ConfigError(format!(
            "nats_url ({source}) is not valid; it must be an address such as nats://host:4222, or \
             several, separated by commas"
        ))
    })
}

/// Reads the TLS certificate and key; both settings must be present, or neither.
fn tls(effective: &Effective) -> Result<Option<Tls>, ConfigError> {
    match (effective.given("tls_cert"), effective.given("tls_key")) {
        (None, None) => Ok(None),
        (Some(certificate), Some(key)) => {
            Tls::from_files(Path::new(&certificate), Path::new(&key)).map(Some).map_err(|problem| {
                let source = effective.source("tls_cert");
                ConfigError(format!("tls_cert and tls_key ({source}) cannot be used: {problem}"))
            })
        }
        (Some(_), None) => Err(ConfigError("tls_key is missing: tls_cert needs it".to_owned())),
        (None, Some(_)) => Err(ConfigError("tls_cert is missing: tls_key needs it".to_owned())),
    }
}

/// Returns the URL scheme of this server: `https` with a TLS certificate, else `http`.
fn scheme(effective: &Effective) -> &'static str {
    if effective.given("tls_cert").is_some() { "https" } else { "http" }
}

/// Reads the settings of Apple's push service; `None` without a key file. With a key file, the key
/// id, team id and topic are required.
fn apns(effective: &Effective) -> Result<Option<Apns>, ConfigError> {
    let Some(file) = effective.given("apns_key_file") else { return Ok(None) };
    let needed = |key: &str| {
        let missing = || ConfigError(format!("{key} is missing: apns_key_file needs it"));
        effective.given(key).ok_or_else(missing)
    };
    let ids = [needed("apns_key_id")?, needed("apns_team_id")?, needed("apns_topic")?];
    let host = effective.parsed("apns_host", push_host)?;
    let key = Apns::new(Path::new(&file), ids, host).map_err(|problem| {
        let source = effective.source("apns_key_file");
        ConfigError(format!("apns_key_file = {file:?} ({source}) is not valid: {problem}"))
    })?;
    Ok(Some(key))
}

/// Parses the push server's URL, which must use TLS unless it is on this machine.
fn push_host(text: &str) -> Option<Option<String>> {
    let host = text.trim_end_matches('/');
    let rest = host.strip_prefix("https://").or_else(|| {
        let rest = host.strip_prefix("http://")?;
        let address: Option<SocketAddr> = rest.parse().ok();
        address.filter(|address| address.ip().is_loopback()).map(|_| rest)
    });
    match rest {
        _ if host.is_empty() => Some(None),
        Some(rest) if !rest.is_empty() && !rest.contains(['/', '@', '?', '#']) => {
            Some(Some(host.to_owned()))
        }
        _ => None,
    }
}

/// Parses a listen address.
pub fn address(text: &str) -> Option<SocketAddr> {
    text.to_socket_addrs().ok()?.next()
}

fn maybe_address(text: &str) -> Option<Option<SocketAddr>> {
    if text.is_empty() { Some(None) } else { address(text).map(Some) }
}

fn brands(text: &str) -> Option<Vec<String>> {
    let brands: Vec<_> = text.split(',').map(|brand| brand.trim().to_uppercase()).collect();
    let is_brand = |brand: &String| {
        !brand.is_empty() && brand.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    brands.iter().all(is_brand).then_some(brands)
}

fn public_url(effective: &Effective) -> Result<String, ConfigError> {
    let listen = effective.text("listen").trim();
    effective.parsed("public_url", |text| {
        if text.is_empty() {
            return Some(format!("{}://{listen}", scheme(effective)));
        }
        let url = url::Url::parse(text).ok()?;
        let is_plain = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        let is_web = matches!(url.scheme(), "http" | "https") && url.host().is_some();
        let is_open = url.username().is_empty() && url.password().is_none();
        (is_web && is_plain && is_open).then(|| text.trim_end_matches('/').to_owned())
    })
}

/// Parses the URL of a provider's API, or `log:`.
fn service_url(text: &str) -> Option<String> {
    let text = text.trim_end_matches('/');
    if text == "log:" {
        return Some(text.to_owned());
    }
    let url = url::Url::parse(text).ok()?;
    let is_plain = url.query().is_none() && url.fragment().is_none();
    let is_open = url.username().is_empty() && url.password().is_none();
    let is_web = matches!(url.scheme(), "http" | "https") && url.host().is_some();
    (is_web && is_plain && is_open).then(|| text.to_owned())
}

fn s3(effective: &Effective) -> Result<Option<S3>, ConfigError> {
    if effective.given("s3_endpoint").is_none() {
        return Ok(None);
    }
    let given = |key: &str| {
        let missing = || ConfigError(format!("{key} is missing: s3_endpoint needs it"));
        effective.given(key).ok_or_else(missing)
    };
    let endpoint = effective.parsed("s3_endpoint", |text| {
        let url = url::Url::parse(text).ok()?;
        (matches!(url.scheme(), "http" | "https") && url.host().is_some()).then_some(url)
    })?;
    let bucket = given("s3_bucket")?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    if !bucket.chars().all(is_plain) || bucket.starts_with('.') {
        return Err(ConfigError("s3_bucket may contain only letters, digits and . - _".to_owned()));
    }
    Ok(Some(S3 {
        endpoint,
        bucket,
        region: given("s3_region")?,
        access_key: given("s3_access_key")?,
        secret_key: given("s3_secret_key")?,
    }))
}

fn traces(effective: &Effective) -> Result<Option<TraceSettings>, ConfigError> {
    if effective.given("otlp_url").is_none() {
        return Ok(None);
    }
    // Omit the value from the message: it may contain a password.
    let headers = otlp_headers(effective.text("otlp_headers")).ok_or_else(|| {
        let source = effective.source("otlp_headers");
        ConfigError(format!(
            "otlp_headers ({source}) is not valid; it must be names and values such as \
             authorization=Bearer%20abc, separated by commas"
        ))
    })?;
    Ok(Some(TraceSettings {
        url: effective.parsed("otlp_url", otlp_url)?,
        headers,
        sampled_share: effective.parsed("otlp_sample_percent", percent)? / 100.0,
    }))
}

/// Parses the URL of an OpenTelemetry collector and appends the path for traces.
fn otlp_url(text: &str) -> Option<url::Url> {
    let base = service_url(text).filter(|base| base != "log:")?;
    url::Url::parse(&format!("{base}/v1/traces")).ok()
}

fn otlp_headers(text: &str) -> Option<Vec<(HeaderName, HeaderValue)>> {
    let header = |pair: &str| {
        let (name, value) = pair.split_once('=')?;
        let value = percent_decode_str(value.trim()).decode_utf8().ok()?;
        let mut value = HeaderValue::from_str(&value).ok()?;
        value.set_sensitive(true);
        Some((name.trim().parse().ok()?, value))
    };
    text.split(',').filter(|pair| !pair.trim().is_empty()).map(header).collect()
}

fn percent(text: &str) -> Option<f64> {
    text.parse().ok().filter(|percent| (0.0..=100.0).contains(percent))
}

fn quotas(effective: &Effective) -> Result<QuotaSettings, ConfigError> {
    let bytes = |key: &str| effective.parsed(key, quota_bytes);
    let number = |key: &str| effective.parsed(key, rate);
    Ok(QuotaSettings {
        uploads: UploadQuotas {
            app_bytes_max: bytes("app_upload_bytes_max")?,
            user_bytes_per_day: bytes("user_upload_bytes_per_day")?,
        },
        app_messages_per_day: number("app_messages_per_day")?,
        user_messages_per_day: number("user_messages_per_day")?,
        app_rooms_per_day: number("app_rooms_per_day")?,
        user_rooms_per_day: number("user_rooms_per_day")?,
        app_registrations_per_day: number("app_registrations_per_day")?,
        address_registrations_per_hour: number("address_registrations_per_hour")?,
        app_nonces_per_minute: number("app_nonces_per_minute")?,
        address_nonces_per_minute: number("address_nonces_per_minute")?,
    })
}

fn quota_bytes(text: &str) -> Option<Option<u64>> {
    text.parse::<u64>().ok().map(|bytes| Some(bytes).filter(|bytes| *bytes > 0))
}

fn upload_bytes(text: &str) -> Option<u64> {
    text.parse().ok().filter(|bytes| (1..=1 << 30).contains(bytes))
}

fn endings(text: &str) -> Option<Vec<String>> {
    let endings = text.split(',').map(|it| it.trim().trim_start_matches('.').to_lowercase());
    let endings: Vec<_> = endings.filter(|it| !it.is_empty()).collect();
    let is_ending = |it: &String| it.chars().all(|c| c.is_ascii_alphanumeric());
    endings.iter().all(is_ending).then_some(endings)
}

/// Parses a list of networks and single IP addresses.
fn networks(text: &str) -> Option<Vec<IpNet>> {
    let parts = text.split(',').map(str::trim).filter(|it| !it.is_empty());
    let single = |it: &str| it.parse::<IpAddr>().ok().map(IpNet::from);
    parts.map(|it| it.parse().ok().or_else(|| single(it))).collect()
}

fn log_level(text: &str) -> Option<String> {
    let text = text.to_lowercase();
    ["error", "warn", "info", "debug", "trace"].contains(&text.as_str()).then_some(text)
}

fn log_format(text: &str) -> Option<LogFormat> {
    match text {
        "text" => Some(LogFormat::Text),
        "json" => Some(LogFormat::Json),
        _ => None,
    }
}

fn rate(text: &str) -> Option<Option<u32>> {
    text.parse::<u32>().ok().map(|rate| Some(rate).filter(|rate| *rate > 0))
}

fn maybe_count(text: &str) -> Option<Option<usize>> {
    if text.is_empty() { Some(None) } else { count(text).map(Some) }
}

fn count(text: &str) -> Option<usize> {
    text.parse().ok().filter(|count| *count > 0)
}

/// Parses the number of days for which deliveries are kept. The minimum is longer than the 10 days
/// in which a delivery is attempted.
fn retention_days(text: &str) -> Option<u32> {
    text.parse().ok().filter(|days| (11..=3650).contains(days))
}

fn audit_retention_days(text: &str) -> Option<u32> {
    text.parse().ok().filter(|days| (1..=3650).contains(days))
}

fn seconds(text: &str) -> Option<Duration> {
    text.parse().ok().filter(|seconds| *seconds <= 3600).map(Duration::from_secs)
}
