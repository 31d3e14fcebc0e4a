//! Every setting, once.

/// A setting's name, meaning and default.
#[derive(Debug)]
pub struct Setting {
    /// The key in `confab.toml`; `--key-with-hyphens` and `CONFAB_KEY` follow from it.
    pub key: &'static str,
    /// What it does.
    pub help: &'static str,
    /// What may be given.
    pub allowed: &'static str,
    /// What holds when nobody says anything; empty is nothing.
    pub default: &'static str,
    /// Who may see its value.
    pub secrecy: Secrecy,
}

/// Who may see a setting's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrecy {
    /// Everybody.
    Open,
    /// Never printed. It has a flag, but a command line is seen by everybody on the machine.
    Masked,
    /// Never printed, and no flag.
    Secret,
}

impl Setting {
    /// The environment variable.
    pub fn variable(&self) -> String {
        format!("CONFAB_{}", self.key.to_uppercase())
    }

    /// Whether it can be given on the command line.
    pub fn has_flag(&self) -> bool {
        self.secrecy != Secrecy::Secret
    }

    /// The flag, without its hyphens in front.
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
    Setting { key, help, allowed, default, secrecy: Secrecy::Open }
}

const fn secret(key: &'static str, allowed: &'static str, help: &'static str) -> Setting {
    Setting { key, help, allowed, default: "", secrecy: Secrecy::Secret }
}

/// Every setting, in the order they are shown.
pub const SETTINGS: &[Setting] = &[
    open(
        "listen",
        "127.0.0.1:8787",
        "an address and port such as 127.0.0.1:8787",
        "Where to listen",
    ),
    open(
        "mqtt_listen",
        "127.0.0.1:1883",
        "an address and port such as 127.0.0.1:1883, or nothing",
        "Where to listen for MQTT by TCP; nothing for not at all",
    ),
    open(
        "lmtp_listen",
        "",
        "an address and port such as 127.0.0.1:2424, or nothing",
        "Where your mail server hands over mails for channels, by LMTP; nothing for not at all. \
         Whoever reaches it can write as any customer",
    ),
    open(
        "lmtp_domains",
        "",
        "domains and app IDs such as shop.example=shop,help.example=shop, or nothing",
        "Mail domains and the apps that receive their mails by LMTP; a domain that is listed with \
         several apps is shared by them. If there is only one app, it receives the mails of every \
         domain that is not listed",
    ),
    open("data", "./data", "a folder", "Where to keep the data"),
    open(
        "public_url",
        "",
        "an http or https address without a path, such as https://chat.example",
        "Where others reach this server, for addresses of uploaded files; http:// (https:// with \
         tls_cert) and the address it listens on when absent",
    ),
    open(
        "upload_max_bytes",
        "26214400",
        "a whole number from 1 to 1073741824",
        "Bytes that an uploaded file may have",
    ),
    open(
        "free_space_floor_bytes",
        "1073741824",
        "a whole number, 0 for no floor",
        "Bytes that uploads leave free on the disk of the data folder",
    ),
    open(
        "app_upload_bytes_max",
        "107374182400",
        "a whole number, 0 for no limit",
        "Bytes that all uploaded files of one app may have together",
    ),
    open(
        "user_upload_bytes_per_day",
        "1073741824",
        "a whole number, 0 for no limit",
        "Bytes that one user may upload in a day",
    ),
    open(
        "s3_endpoint",
        "",
        "an http or https address such as https://s3.eu-central-1.amazonaws.com",
        "Keep uploaded files in an S3-compatible store instead of the data folder",
    ),
    open("s3_bucket", "", "the name of a bucket", "The bucket for uploaded files"),
    open("s3_region", "us-east-1", "the name of a region", "Where the bucket is"),
    open("s3_access_key", "", "any text", "Who may use the bucket"),
    secret("s3_secret_key", "any text", "What proves it"),
    open(
        "upload_types",
        "",
        "endings of file names such as jpg, png, pdf, separated by commas; all when absent",
        "Files that may be uploaded",
    ),
    Setting {
        key: "database_url",
        help: "Keep the data in PostgreSQL instead, which several nodes may share",
        allowed: "an address such as postgres://user:password@host/database",
        default: "",
        secrecy: Secrecy::Masked,
    },
    open(
        "secrets_key_file",
        "",
        "a file; secrets.key in the data folder when absent",
        "The keys that open the secrets in the database; made at the first start, every node needs \
         the same",
    ),
    Setting {
        key: "nats_url",
        help: "Let nodes tell each other through NATS instead of PostgreSQL",
        allowed: "an address such as nats://host:4222, or several, separated by commas",
        default: "",
        secrecy: Secrecy::Masked,
    },
    open(
        "nats_ca_file",
        "",
        "a file with certificates (PEM); those that the system trusts when absent",
        "Who may have signed the certificate of NATS, where it is encrypted",
    ),
    open(
        "brands",
        "SERVICE",
        "names of letters, digits and -, separated by commas",
        "Brand parts of header names, such as SERVICE in SERVICE-SDK-APP-ID",
    ),
    open("log_level", "info", "error, warn, info, debug or trace", "What to log"),
    open("log_format", "text", "text or json", "How to log"),
    open(
        "otlp_url",
        "",
        "an http or https address such as http://127.0.0.1:4318",
        "Send traces to this OpenTelemetry collector, by OTLP over HTTP; /v1/traces is added",
    ),
    secret(
        "otlp_headers",
        "names and values such as authorization=Bearer%20abc, separated by commas",
        "Headers for the collector, written as in OTEL_EXPORTER_OTLP_HEADERS",
    ),
    open(
        "otlp_sample_percent",
        "100",
        "a number from 0 to 100, such as 0.5",
        "How many of 100 traces are recorded that begin here; those that a caller began with \
         traceparent are recorded if the caller says so",
    ),
    open(
        "app_requests_per_second",
        "20000",
        "a whole number, 0 for no limit",
        "Requests that one app may make in a second",
    ),
    open(
        "user_posts_per_second",
        "1000",
        "a whole number, 0 for no limit",
        "Messages that one user may post in a second",
    ),
    open(
        "app_requests_at_once",
        "1024",
        "a whole number above 0",
        "Requests of one app that may run at the same time, of each kind of caller: the app \
         itself, those who work in it, its users, and strangers",
    ),
    open(
        "app_messages_per_day",
        "100000000",
        "a whole number, 0 for no limit",
        "Messages of one app in a day",
    ),
    open(
        "user_messages_per_day",
        "50000",
        "a whole number, 0 for no limit",
        "Messages and changes of rooms by one user's clients in a day",
    ),
    open(
        "app_rooms_per_day",
        "1000000",
        "a whole number, 0 for no limit",
        "Rooms that are opened in one app in a day",
    ),
    open(
        "user_rooms_per_day",
        "1000",
        "a whole number, 0 for no limit",
        "Rooms that one user's clients may open in a day",
    ),
    open(
        "app_registrations_per_day",
        "200000",
        "a whole number, 0 for no limit",
        "Users that register themselves in one app in a day",
    ),
    open(
        "peer_registrations_per_hour",
        "200",
        "a whole number, 0 for no limit",
        "Users that register themselves in one app from one address in an hour",
    ),
    open(
        "app_nonces_per_minute",
        "6000",
        "a whole number, 0 for no limit",
        "Nonces that one app gives in a minute",
    ),
    open(
        "peer_nonces_per_minute",
        "300",
        "a whole number, 0 for no limit",
        "Nonces that one app gives to one address in a minute",
    ),
    open(
        "apns_key_file",
        "",
        "the file of a key of Apple's push service, such as AuthKey_ABC123.p8",
        "Push to iOS devices with this key",
    ),
    open("apns_key_id", "", "the key's id, such as ABC123DEFG", "The id of that key"),
    open("apns_team_id", "", "a team's id, such as DEF123GHIJ", "The team that the key is of"),
    open("apns_topic", "", "a bundle id, such as com.example.chat", "The app on the devices"),
    open(
        "apns_host",
        "",
        "an address such as https://api.push.apple.com",
        "Where to push to instead of Apple's own hosts",
    ),
    open(
        "telegram_api_url",
        "https://api.telegram.org",
        "an address such as https://api.telegram.org, or log:",
        "Where Telegram's Bot API is; log: sends nothing and prints what it would have sent",
    ),
    open(
        "whatsapp_api_url",
        "https://graph.facebook.com",
        "an address such as https://graph.facebook.com, or log:",
        "Where Meta's API for WhatsApp is; log: sends nothing and prints what it would have sent",
    ),
    open(
        "messenger_api_url",
        "https://graph.facebook.com",
        "an address such as https://graph.facebook.com, or log:",
        "Where Meta's API for Messenger is; log: sends nothing and prints what it would have sent",
    ),
    open(
        "instagram_api_url",
        "https://graph.instagram.com",
        "an address such as https://graph.instagram.com, or log:",
        "Where Meta's API for Instagram is; log: sends nothing and prints what it would have sent",
    ),
    open(
        "line_api_url",
        "https://api.line.me",
        "an address such as https://api.line.me, or log:",
        "Where LINE's Messaging API is; log: sends nothing and prints what it would have sent",
    ),
    open(
        "line_data_url",
        "https://api-data.line.me",
        "an address such as https://api-data.line.me",
        "Where the files of LINE's customers are",
    ),
    open(
        "webhook_kept_days",
        "30",
        "a whole number from 11 to 3650",
        "How many days deliveries and their attempts are kept",
    ),
    open(
        "audit_days",
        "400",
        "a whole number from 1 to 3650",
        "How many days it is known who changed what",
    ),
    open(
        "drain_seconds",
        "0",
        "a whole number up to 3600",
        "How long a server that is told to stop says so by /ready and still takes everything, so \
         that others take over; for several nodes",
    ),
    open(
        "stop_grace_seconds",
        "10",
        "a whole number up to 3600",
        "How long running requests may take when the server stops",
    ),
    open(
        "webhook_allow",
        "",
        "hosts or blocks such as hooks.lan:8080 or 10.0.0.0/8, separated by commas",
        "Targets that webhooks may call although they are not public: hosts or blocks, with or \
         without a port",
    ),
    open(
        "webhook_loopback",
        "",
        "on or off",
        "Whether webhooks may call this machine itself; on when absent, as long as there is no \
         public_url, no trusted proxy and no listener but on loopback addresses",
    ),
    open(
        "widget_demo",
        "",
        "on or off",
        "Whether /widget/demo shows a shop with the widget, and the dashboard beside it; on when \
         absent, as long as nobody reaches the server from outside (see webhook_loopback)",
    ),
    open(
        "trusted_proxies",
        "",
        "addresses or blocks such as 127.0.0.1 or 10.0.0.0/8, separated by commas",
        "Proxies that are believed about where a request comes from (see client_address_header); \
         limits by address need it behind a proxy",
    ),
    open(
        "client_address_header",
        "X-Forwarded-For",
        "the name of a header such as X-Forwarded-For, X-Real-IP or Forwarded",
        "Header in which trusted proxies write the client's address; of a list the last address \
         that is not a trusted proxy counts. Other headers are not read, because clients can send \
         them",
    ),
    open(
        "connections_per_address",
        "",
        "a whole number above 0",
        "Connections that one address may have, trusted proxies left out; a quarter of all, and \
         any number from this machine, when absent",
    ),
    open(
        "tls_cert",
        "",
        "a PEM file with the certificate and those that lead to a known one",
        "Encrypt HTTP and MQTT with this certificate; read again when it changes, and on SIGHUP",
    ),
    open("tls_key", "", "a PEM file with the private key of tls_cert", "The certificate's key"),
    open("app_id", "", "1 to 64 letters, digits, - or _", "First start: the app's id"),
    open("admin_email", "", "an e-mail address", "First start: the admin's sign-in name"),
    secret("sdk_secret", "any text", "First start: the app's SDK secret"),
    secret("secret_key", "any text", "First start: the app's secret key"),
    secret("admin_password", "any text", "First start: the admin's password"),
];
