//! The table of all settings.

/// A setting's name, help, allowed values and default.
#[derive(Debug)]
pub struct Setting {
    /// Key in `confab.toml`; the flag `--key-with-hyphens` and the variable `CONFAB_KEY` follow
    /// from it.
    pub key: &'static str,
    /// Help text, as printed by `--help`.
    pub help: &'static str,
    /// Description of the allowed values, which error messages quote after "must be".
    pub allowed: &'static str,
    /// Default value; an empty string for none.
    pub default: &'static str,
    /// Whether the value may be printed and given as a flag.
    pub secrecy: Secrecy,
    /// Whether an empty environment variable replaces the default by nothing. Other empty variables
    /// count as not set.
    pub is_emptied_by_variable: bool,
}

/// Whether a setting's value is printed, and whether it can be given as a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrecy {
    /// The value is printed.
    Open,
    /// The value is never printed, but there is a flag for it, although other users of the machine
    /// can read command lines.
    Masked,
    /// The value is never printed, and there is no flag.
    Secret,
}

impl Setting {
    /// Returns the name of the environment variable.
    pub fn variable(&self) -> String {
        format!("CONFAB_{}", self.key.to_uppercase())
    }

    /// Whether the setting can be given as a flag.
    pub fn has_flag(&self) -> bool {
        self.secrecy != Secrecy::Secret
    }

    /// Returns the name of the flag, without the leading hyphens.
    pub fn flag(&self) -> String {
        self.key.replace('_', "-")
    }
}

const fn open(
    key: &'static str,
    default: &'static str,
    allowed: &'static str,
    help: &'static str,
) -> Setting {
    Setting { key, help, allowed, default, secrecy: Secrecy::Open, is_emptied_by_variable: false }
}

const fn secret(key: &'static str, allowed: &'static str, help: &'static str) -> Setting {
    Setting {
        key,
        help,
        allowed,
        default: "",
        secrecy: Secrecy::Secret,
        is_emptied_by_variable: false,
    }
}

/// All settings, in the order in which help texts and `confab config` list them.
pub const SETTINGS: &[Setting] = &[
    open(
        "listen",
        "127.0.0.1:8787",
        "an address and port such as 127.0.0.1:8787",
        "HTTP listen address",
    ),
    Setting {
        is_emptied_by_variable: true,
        ..open(
            "mqtt_listen",
            "127.0.0.1:1883",
            "an address and port such as 127.0.0.1:1883, or nothing",
            "MQTT listen address; empty to disable",
        )
    },
    open(
        "lmtp_listen",
        "",
        "an address and port such as 127.0.0.1:2424, or nothing",
        "LMTP listen address for mail servers that deliver mails to channels; empty to disable. \
         Anything that can connect can write as any customer",
    ),
    open(
        "lmtp_domains",
        "",
        "domains and app IDs such as shop.example=shop,help.example=shop, or nothing",
        "Mail domains and the apps that receive their mails by LMTP. Apps can share a domain. On \
         a server with one app, that app receives the mails of all other domains",
    ),
    open("data", "./data", "a folder", "Data folder"),
    open(
        "public_url",
        "",
        "an http or https address without a path, such as https://chat.example",
        "URL of this server as seen by clients, used for uploaded files. Default: the listen \
         address with http://, or https:// with tls_cert",
    ),
    open(
        "upload_max_bytes",
        "26214400",
        "a whole number from 1 to 1073741824",
        "Maximum bytes of an uploaded file",
    ),
    open(
        "free_space_min_bytes",
        "1073741824",
        "a whole number, 0 for no floor",
        "Bytes that uploads leave free on the data folder's disk",
    ),
    open(
        "app_upload_bytes_max",
        "107374182400",
        "a whole number, 0 for no limit",
        "Maximum bytes of all uploaded files of an app",
    ),
    open(
        "user_upload_bytes_per_day",
        "1073741824",
        "a whole number, 0 for no limit",
        "Maximum bytes that a user uploads per day",
    ),
    open(
        "s3_endpoint",
        "",
        "an http or https address such as https://s3.eu-central-1.amazonaws.com",
        "Endpoint of an S3-compatible store for uploaded files, instead of the data folder",
    ),
    open("s3_bucket", "", "the name of a bucket", "S3 bucket for uploaded files"),
    open("s3_region", "us-east-1", "the name of a region", "S3 region of the bucket"),
    open("s3_access_key", "", "any text", "S3 access key ID"),
    secret("s3_secret_key", "any text", "S3 secret access key"),
    open(
        "upload_types",
        "",
        "endings of file names such as jpg, png, pdf, separated by commas; all when absent",
        "File types that may be uploaded",
    ),
    Setting {
        key: "database_url",
        help: "PostgreSQL database to use instead of the embedded store; several nodes can share \
         it",
        allowed: "an address such as postgres://user:password@host/database",
        default: "",
        secrecy: Secrecy::Masked,
        is_emptied_by_variable: false,
    },
    open(
        "secrets_key_file",
        "",
        "a file; secrets.key in the data folder when absent",
        "Key file that encrypts the secrets in the database, created at the first start. All \
         nodes need the same file",
    ),
    Setting {
        key: "nats_url",
        help: "NATS servers for events between nodes, instead of PostgreSQL",
        allowed: "an address such as nats://host:4222, or several, separated by commas",
        default: "",
        secrecy: Secrecy::Masked,
        is_emptied_by_variable: false,
    },
    open(
        "nats_ca_file",
        "",
        "a file with certificates (PEM); those that the system trusts when absent",
        "Certificate authorities that may sign the TLS certificate of NATS",
    ),
    open(
        "brands",
        "SERVICE",
        "names of letters, digits and -, separated by commas",
        "Brand parts of header names, such as SERVICE in SERVICE-SDK-APP-ID",
    ),
    open("log_level", "info", "error, warn, info, debug or trace", "Minimum level of log lines"),
    open("log_format", "text", "text or json", "Format of log lines"),
    open(
        "otlp_url",
        "",
        "an http or https address such as http://127.0.0.1:4318",
        "OpenTelemetry collector that receives traces by OTLP over HTTP; /v1/traces is appended",
    ),
    secret(
        "otlp_headers",
        "names and values such as authorization=Bearer%20abc, separated by commas",
        "HTTP headers for the collector, in the format of OTEL_EXPORTER_OTLP_HEADERS",
    ),
    open(
        "otlp_sample_percent",
        "100",
        "a number from 0 to 100, such as 0.5",
        "Percentage of recorded traces among those that start here. A traceparent header decides \
         for traces that a caller started",
    ),
    open(
        "app_requests_per_second",
        "20000",
        "a whole number, 0 for no limit",
        "Maximum requests of an app per second",
    ),
    open(
        "user_posts_per_second",
        "1000",
        "a whole number, 0 for no limit",
        "Maximum messages that a user posts per second",
    ),
    open(
        "app_concurrent_requests",
        "1024",
        "a whole number above 0",
        "Maximum concurrent requests of an app, for each kind of caller: the app itself, its \
         staff, its users and callers without credentials",
    ),
    open(
        "app_messages_per_day",
        "100000000",
        "a whole number, 0 for no limit",
        "Maximum messages of an app per day",
    ),
    open(
        "user_messages_per_day",
        "50000",
        "a whole number, 0 for no limit",
        "Maximum messages and room changes by a user's clients per day",
    ),
    open(
        "app_rooms_per_day",
        "1000000",
        "a whole number, 0 for no limit",
        "Maximum rooms created in an app per day",
    ),
    open(
        "user_rooms_per_day",
        "1000",
        "a whole number, 0 for no limit",
        "Maximum rooms created by a user's clients per day",
    ),
    open(
        "app_registrations_per_day",
        "200000",
        "a whole number, 0 for no limit",
        "Maximum users who register themselves in an app per day",
    ),
    open(
        "address_registrations_per_hour",
        "200",
        "a whole number, 0 for no limit",
        "Maximum users who register themselves in an app from one IP address per hour",
    ),
    open(
        "app_nonces_per_minute",
        "6000",
        "a whole number, 0 for no limit",
        "Maximum nonces that an app issues per minute",
    ),
    open(
        "address_nonces_per_minute",
        "300",
        "a whole number, 0 for no limit",
        "Maximum nonces that an app issues to one IP address per minute",
    ),
    open(
        "apns_key_file",
        "",
        "the file of a key of Apple's push service, such as AuthKey_ABC123.p8",
        "Key file for Apple's push service, to push to iOS devices",
    ),
    open(
        "apns_key_id",
        "",
        "the key's id, such as ABC123DEFG",
        "ID of the key for Apple's push service",
    ),
    open("apns_team_id", "", "a team's id, such as DEF123GHIJ", "Apple team that owns the key"),
    open(
        "apns_topic",
        "",
        "a bundle id, such as com.example.chat",
        "Bundle ID of the iOS app that receives pushes",
    ),
    open(
        "apns_host",
        "",
        "an address such as https://api.push.apple.com",
        "Push server to use instead of Apple's",
    ),
    open(
        "telegram_api_url",
        "https://api.telegram.org",
        "an address such as https://api.telegram.org, or log:",
        "Telegram Bot API; log: to print outgoing messages instead of sending them",
    ),
    open(
        "whatsapp_api_url",
        "https://graph.facebook.com",
        "an address such as https://graph.facebook.com, or log:",
        "Meta API for WhatsApp; log: to print outgoing messages instead of sending them",
    ),
    open(
        "messenger_api_url",
        "https://graph.facebook.com",
        "an address such as https://graph.facebook.com, or log:",
        "Meta API for Messenger; log: to print outgoing messages instead of sending them",
    ),
    open(
        "instagram_api_url",
        "https://graph.instagram.com",
        "an address such as https://graph.instagram.com, or log:",
        "Meta API for Instagram; log: to print outgoing messages instead of sending them",
    ),
    open(
        "line_api_url",
        "https://api.line.me",
        "an address such as https://api.line.me, or log:",
        "LINE Messaging API; log: to print outgoing messages instead of sending them",
    ),
    open(
        "line_data_url",
        "https://api-data.line.me",
        "an address such as https://api-data.line.me",
        "LINE API for files that customers send",
    ),
    open(
        "webhook_retention_days",
        "30",
        "a whole number from 11 to 3650",
        "Days to keep deliveries and their attempts",
    ),
    open(
        "audit_retention_days",
        "400",
        "a whole number from 1 to 3650",
        "Days to keep the audit log",
    ),
    open(
        "drain_seconds",
        "0",
        "a whole number up to 3600",
        "Seconds between the signal to stop and the stop, during which /ready fails and requests \
         are still served, so that other nodes take over",
    ),
    open(
        "stop_grace_seconds",
        "10",
        "a whole number up to 3600",
        "Seconds for running requests to finish when the server stops",
    ),
    open(
        "webhook_allow",
        "",
        "hosts or blocks such as hooks.lan:8080 or 10.0.0.0/8, separated by commas",
        "Webhook targets that are allowed although they are not public: hosts or networks, with \
         or without a port",
    ),
    open(
        "webhook_loopback",
        "",
        "on or off",
        "Whether webhooks may call this machine. Default: on without public_url, trusted_proxies \
         and listeners on other than loopback addresses",
    ),
    open(
        "widget_demo",
        "",
        "on or off",
        "Whether /widget/demo shows a shop page with the widget next to the dashboard. Default: \
         on as long as the server is not reachable from outside (see webhook_loopback)",
    ),
    open(
        "trusted_proxies",
        "",
        "addresses or blocks such as 127.0.0.1 or 10.0.0.0/8, separated by commas",
        "Proxies whose client_address_header is trusted. Limits by IP address need this behind a \
         proxy",
    ),
    open(
        "client_address_header",
        "X-Forwarded-For",
        "the name of a header such as X-Forwarded-For, X-Real-IP or Forwarded",
        "Header in which trusted proxies write the client's IP address. The last address that is \
         not a trusted proxy counts. Other headers are not read, because clients can send them",
    ),
    open(
        "connections_per_address",
        "",
        "a whole number above 0",
        "Maximum connections of an IP address other than trusted proxies. Default: a quarter of \
         all connections; unlimited from this machine",
    ),
    open(
        "tls_cert",
        "",
        "a PEM file with the certificate and those that lead to a known one",
        "TLS certificate for HTTP and MQTT, reloaded when it changes and on SIGHUP",
    ),
    open(
        "tls_key",
        "",
        "a PEM file with the private key of tls_cert",
        "Private key of the TLS certificate",
    ),
    open("app_id", "", "1 to 64 letters, digits, - or _", "App ID, for the first start"),
    open(
        "admin_email",
        "",
        "an e-mail address",
        "E-mail address of the admin, for the first start",
    ),
    secret("sdk_secret", "any text", "SDK secret of the app, for the first start"),
    secret("secret_key", "any text", "Secret key of the app, for the first start"),
    secret("admin_password", "any text", "Password of the admin, for the first start"),
];
