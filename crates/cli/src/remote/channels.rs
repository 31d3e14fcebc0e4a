//! `confab channels`: manages the provider channels of a running server.
//!
//! Tokens are read from a file or standard input, never from arguments, because other users of the
//! machine can read those.

use std::collections::BTreeMap;

use clap::{Arg, ArgAction, ArgMatches, Command};
use confab_runtime::config::Effective;
use confab_runtime::counted::counted;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::command_error::CommandError;
use crate::inert_text::inert_line;
use crate::remote::running_server::{AFTER_HELP, server_flags, with_server};
use crate::remote::server_api::ServerApi;
use crate::webhooks::{app_again, given, json_flag};

/// A provider, with its name in paths and its name on the command line.
#[derive(Clone, Copy, PartialEq)]
struct Kind {
    word: &'static str,
    name: &'static str,
    /// Name of the API field with the account's token; empty if the provider has none. `secret` is
    /// the name of the field with the secret that signs webhooks.
    token: &'static str,
    secret: &'static str,
}

const TELEGRAM: Kind = Kind { word: "telegram", name: "telegram", token: "bot_token", secret: "" };
const WHATSAPP: Kind =
    Kind { word: "wa", name: "whatsapp", token: "access_token", secret: "app_secret" };
const LINE: Kind = Kind { word: "line", name: "line", token: "access_token", secret: "secret_key" };
const MESSENGER: Kind =
    Kind { word: "fb", name: "messenger", token: "access_token", secret: "app_secret" };
const INSTAGRAM: Kind =
    Kind { word: "ig", name: "instagram", token: "access_token", secret: "app_secret" };
const EMAIL: Kind = Kind { word: "email", name: "email", token: "", secret: "" };
const KINDS: [Kind; 6] = [TELEGRAM, WHATSAPP, LINE, MESSENGER, INSTAGRAM, EMAIL];

/// Response data with one channel, under a key such as `telegram_channel`.
type ChannelAnswer = BTreeMap<String, ChannelShown>;

/// Response data with all channels, under keys such as `telegram_channels`. Only provider channels
/// are parsed further, because channels of other kinds have different fields.
#[derive(Deserialize)]
#[serde(transparent)]
struct ChannelList(BTreeMap<String, Vec<Value>>);

impl ChannelList {
    fn all(&self) -> impl Iterator<Item = (Kind, ChannelShown)> {
        KINDS.into_iter().flat_map(|kind| {
            let of_kind = self.0.get(&format!("{}_channels", kind.word)).into_iter().flatten();
            of_kind.filter_map(move |it| Some((kind, serde_json::from_value(it.clone()).ok()?)))
        })
    }
}

#[derive(Deserialize)]
struct ChannelShown {
    id: i64,
    name: String,
    /// The provider's name of the account, such as a user name, phone number or email address.
    #[serde(alias = "phone_number", alias = "address", alias = "profile_name")]
    username: String,
    is_active: bool,
    #[serde(default)]
    webhook_url: String,
    #[serde(default)]
    verify_token: String,
}

impl ChannelShown {
    fn address(&self, kind: Kind) -> String {
        let sign = if kind == TELEGRAM { "@" } else { "" };
        format!("{sign}{}", inert_line(&self.username))
    }
}

#[derive(Deserialize)]
struct HealthAnswer {
    health: HealthShown,
}

#[derive(Deserialize)]
struct HealthShown {
    state: String,
    reason: String,
    way: String,
    waiting: u64,
    #[serde(default)]
    given_up_events: u64,
    notes: Vec<String>,
}

pub(crate) fn command() -> Command {
    Command::new("channels")
        .about("Connect accounts of messaging providers, and check their state")
        .after_help(AFTER_HELP)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands([add(), sub("list", "List the provider channels and their state")])
        .subcommands([
            with_id("check", "Check the state of a channel at its provider now"),
            set(),
            with_id("remove", "Delete a channel and its token; its conversations are kept"),
            play(),
        ])
}

fn sub(name: &'static str, about: &'static str) -> Command {
    Command::new(name).about(about).arg(json_flag()).args(server_flags()).after_help(AFTER_HELP)
}

fn with_id(name: &'static str, about: &'static str) -> Command {
    let id = Arg::new("id").value_name("CHANNEL_ID").required(true);
    sub(name, about).arg(id.help("Channel id, as `confab channels list` shows it"))
}

fn token_file() -> Arg {
    Arg::new("token_file")
        .long("token-file")
        .value_name("FILE")
        .help("File with the token; - reads it from standard input")
}

fn secret_file() -> Arg {
    Arg::new("secret_file")
        .long("secret-file")
        .visible_alias("app-secret-file")
        .value_name("FILE")
        .help(
            "File with the secret that signs incoming webhooks: that of the Meta app or the \
             LINE channel",
        )
}

fn human_agent() -> Arg {
    Arg::new("human_agent").long("human-agent").value_name("WORD").value_parser(["on", "off"]).help(
        "Messenger, Instagram: whether agents may answer for seven days, with the tag HUMAN_AGENT",
    )
}

/// Returns the flags for forwarding Meta's webhooks to another URL.
fn forwarding() -> [Arg; 2] {
    let url = Arg::new("forward_url").long("forward-url").value_name("URL");
    let is_on = Arg::new("forward").long("forward").value_name("WORD").value_parser(["on", "off"]);
    [
        url.help("WhatsApp: URL to which Meta's webhooks are forwarded; empty for none"),
        is_on.help("WhatsApp: whether webhooks are forwarded to the URL"),
    ]
}

fn password_file() -> Arg {
    Arg::new("password_file")
        .long("password-file")
        .value_name("FILE")
        .help("E-mail: file with the password; - reads it from standard input")
}

/// Returns the flags that describe a mailbox.
fn mailbox() -> [Arg; 10] {
    let one = |name: &'static str, long: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(long).value_name(value).help(help)
    };
    [
        one("address", "address", "ADDRESS", "E-mail: address to which customers write"),
        one(
            "imap_host",
            "imap-host",
            "HOST",
            "E-mail: IMAP server; without one, mails are received by LMTP",
        ),
        one(
            "imap_port",
            "imap-port",
            "PORT",
            "E-mail: port of the IMAP server [default: 993, or 143 without tls]",
        ),
        one(
            "imap_security",
            "imap-security",
            "WORD",
            "E-mail: tls, starttls or none [default: tls]",
        ),
        one("imap_user", "imap-user", "NAME", "E-mail: the name there; the address by default"),
        one("imap_folder", "imap-folder", "NAME", "E-mail: IMAP folder [default: INBOX]"),
        one("smtp_host", "smtp-host", "HOST", "E-mail: SMTP server"),
        one(
            "smtp_port",
            "smtp-port",
            "PORT",
            "E-mail: port of the SMTP server [default: 465, or 587 without tls]",
        ),
        one(
            "smtp_security",
            "smtp-security",
            "WORD",
            "E-mail: tls, starttls or none [default: tls]",
        ),
        one("smtp_user", "smtp-user", "NAME", "E-mail: the name there; the address by default"),
    ]
}

fn name() -> Arg {
    Arg::new("name").long("name").value_name("NAME").help("Display name")
}

fn add() -> Command {
    let kinds = KINDS.map(|it| it.name);
    let kind = Arg::new("kind").value_name("KIND").required(true).value_parser(kinds);
    let of_meta = |name: &'static str, long: &'static str, help: &'static str| {
        Arg::new(name).long(long).value_name("NUMBER").help(help)
    };
    let number = of_meta("phone_number_id", "phone-number-id", "WhatsApp: id of the phone number");
    let business = of_meta("business_id", "business-id", "WhatsApp: id of the business account");
    let page = of_meta("page_id", "page-id", "Messenger: id of the page");
    let log = Arg::new("log")
        .long("log")
        .action(ArgAction::SetTrue)
        .help("Print messages instead of sending them, to try a channel without an account");
    let with_token = [TELEGRAM, WHATSAPP, LINE, MESSENGER, INSTAGRAM].map(|it| ("kind", it.name));
    let with_secret = [LINE, MESSENGER, INSTAGRAM].map(|it| ("kind", it.name));
    sub("add", "Connect an account of a messaging provider")
        .args([
            kind.help("Messaging provider"),
            token_file().required_if_eq_any(with_token),
            secret_file().required_if_eq_any(with_secret),
            number.required_if_eq("kind", WHATSAPP.name),
            business,
            page.required_if_eq("kind", MESSENGER.name),
            human_agent(),
            name(),
            log,
        ])
        .args(forwarding())
        .args(mailbox().map(|arg| match arg.get_id().as_str() {
            "address" | "smtp_host" => arg.required_if_eq("kind", EMAIL.name),
            _ => arg,
        }))
        .arg(password_file())
}

fn set() -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    with_id("set", "Change a channel; after a new token, waiting messages are sent")
        .args([token_file(), secret_file(), password_file(), human_agent(), name()])
        .args(forwarding())
        .arg(flag("on", "Switch the channel on").conflicts_with("off"))
        .arg(flag("off", "Switch the channel off"))
}

fn play() -> Command {
    let file = Arg::new("file").value_name("FILE").required(true);
    with_id("play", "Simulate a provider's webhook in a channel, with a body from a file")
        .arg(file.help("File with the body of a webhook; - reads it from standard input"))
}

pub(crate) fn run(matches: &ArgMatches, settings: &Effective) -> Result<(), CommandError> {
    let (name, matches) = matches.subcommand().ok_or("no command was given")?;
    let token = match name {
        "add" | "set" => given(matches, "token_file").map(read_token).transpose()?,
        _ => None,
    };
    let secret = match name {
        "add" | "set" => given(matches, "secret_file").map(read_token).transpose()?,
        _ => None,
    };
    let password = match name {
        "add" | "set" => given(matches, "password_file").map(read_token).transpose()?,
        _ => None,
    };
    let secrets = Secrets { token, secret, password };
    let played = given(matches, "file").map(read_file).transpose()?;
    with_server(matches, settings, async |api: ServerApi| match name {
        "add" => connect(matches, &api, secrets).await,
        "list" => list(matches, &api).await,
        "check" => check(matches, &api).await,
        "set" => change(matches, &api, secrets).await,
        "remove" => remove(matches, &api).await,
        _ => play_event(matches, &api, played).await,
    })
}

/// The credentials of an account, each read from a file.
struct Secrets {
    token: Option<String>,
    secret: Option<String>,
    password: Option<String>,
}

impl Secrets {
    fn put(self, kind: Kind, body: &mut Value) {
        let password = if kind == EMAIL { "password" } else { "" };
        let given =
            [(kind.token, self.token), (kind.secret, self.secret), (password, self.password)];
        for (name, value) in given {
            if let Some(value) = value.filter(|_| !name.is_empty()) {
                body[name] = json!(value);
            }
        }
    }
}

fn read_file(file: &str) -> Result<String, CommandError> {
    let read = match file {
        "-" => std::io::read_to_string(std::io::stdin()),
        file => std::fs::read_to_string(file),
    };
    read.map_err(|error| format!("{file} cannot be read: {error}").into())
}

fn read_token(file: &str) -> Result<String, CommandError> {
    let token = read_file(file)?.trim().to_owned();
    if token.is_empty() { Err(format!("{file} is empty").into()) } else { Ok(token) }
}

async fn connect(
    matches: &ArgMatches,
    api: &ServerApi,
    secrets: Secrets,
) -> Result<(), CommandError> {
    let kind = KINDS.into_iter().find(|it| given(matches, "kind") == Some(it.name));
    let kind = kind.ok_or("name the messaging provider")?;
    let mut body = json!({});
    secrets.put(kind, &mut body);
    let of_mailbox = mailbox().map(|arg| arg.get_id().to_string());
    let named = ["name", "phone_number_id", "business_id", "page_id"].map(str::to_owned);
    for name in named.iter().chain(&of_mailbox) {
        if let Some(value) = given(matches, name) {
            body[name] = json!(value);
        }
    }
    put_human_agent(matches, &mut body);
    put_forwarding(matches, kind, &mut body)?;
    if matches.get_flag("log") {
        body["base_url"] = json!("log:");
    }
    let data = api.post_at(&format!("/api/v2/{}/connect", kind.word), &body).await?;
    if matches.get_flag("json") {
        say!("{}", data.text());
        return Ok(());
    }
    let it = data.read::<ChannelAnswer>()?.into_values().next();
    let it = it.ok_or("the response does not contain the channel")?;
    let (id, address) = (it.id, it.address(kind));
    if matches.get_flag("log") {
        let from = if kind == EMAIL { "ana@example.com" } else { "628123" };
        let try_it = format!("confab trigger message --channel {id} --from {from} --text hello");
        say!("Channel {id} prints its requests to the server's standard output.");
        say!("To test it, run `{try_it}{}`;", app_again(matches));
        say!("the message appears in the inbox, and your reply in the server's output.");
        return Ok(());
    }
    say!("Channel {id} is connected to {address}.");
    match kind {
        WHATSAPP => print_whatsapp_steps(&it),
        LINE => print_line_steps(&it),
        MESSENGER | INSTAGRAM => print_page_steps(kind, &it),
        EMAIL => say!("To test it, write to {address}; the mail appears in the inbox."),
        _ => {
            let bot = inert_line(&it.username);
            say!("To test it, write to https://t.me/{bot}; the message appears in the inbox.");
        }
    }
    say!("To check its state, run `confab channels check {id}{}`.", app_again(matches));
    Ok(())
}

/// Prints the configuration steps that remain to be done in the Meta app of a WhatsApp channel.
fn print_whatsapp_steps(it: &ChannelShown) {
    match it.webhook_url.as_str() {
        "" => say!("Meta cannot reach this server: set public_url to its https URL."),
        url => {
            say!("If no messages arrive, set in the Meta app, under WhatsApp, Configuration:");
            say!("    callback URL  {}", inert_line(url));
            say!("    verify token  {}", inert_line(&it.verify_token));
        }
    }
}

/// Prints the configuration steps that remain to be done in the Meta app of a Messenger or
/// Instagram channel.
fn print_page_steps(kind: Kind, it: &ChannelShown) {
    match it.webhook_url.as_str() {
        "" => say!("Meta cannot reach this server: set public_url to its https URL."),
        url => {
            let place = match kind {
                MESSENGER => "under Messenger, Messenger API Settings, Configure webhooks",
                _ => "under Instagram, API setup with Instagram login, Configure webhooks",
            };
            say!("Set in the Meta app, {place}:");
            say!("    callback URL  {}", inert_line(url));
            say!("    verify token  {}", inert_line(&it.verify_token));
        }
    }
}

fn put_human_agent(matches: &ArgMatches, body: &mut Value) {
    if let Some(word) = given(matches, "human_agent") {
        body["human_agent_enabled"] = json!(word == "on");
    }
}

fn put_forwarding(matches: &ArgMatches, kind: Kind, body: &mut Value) -> Result<(), CommandError> {
    let (url, word) = (given(matches, "forward_url"), given(matches, "forward"));
    if kind != WHATSAPP && (url.is_some() || word.is_some()) {
        return Err("--forward and --forward-url are for WhatsApp channels only.".into());
    }
    if let Some(url) = url {
        body["forward_url"] = json!(url);
    }
    if let Some(word) = word {
        body["forward_enabled"] = json!(word == "on");
    }
    Ok(())
}

/// Prints the configuration steps that remain to be done in LINE's developer console.
fn print_line_steps(it: &ChannelShown) {
    match it.webhook_url.as_str() {
        "" => say!("LINE cannot reach this server: set public_url to its https URL."),
        url => {
            say!("LINE sends messages to {}", inert_line(url));
            say!(
                "Switch on \"Use webhook\" and \"Webhook redelivery\" in LINE's developer console."
            );
        }
    }
}

async fn list(matches: &ArgMatches, api: &ServerApi) -> Result<(), CommandError> {
    let data = api.get_at("/api/v2/channels").await?;
    if matches.get_flag("json") {
        say!("{}", data.text());
        return Ok(());
    }
    let channels: ChannelList = data.read()?;
    if channels.all().next().is_none() {
        say!("No provider is connected; see `confab channels add --help`.");
    }
    for (kind, it) in channels.all() {
        let health = health_of(api, &it.id.to_string()).await?;
        let state = if it.is_active { health.state.as_str() } else { "off" };
        let (name, address) = (inert_line(&it.name), it.address(kind));
        let (id, kind, waiting) = (it.id, kind.name, health.waiting);
        say!("{id}  {kind}  {address}  {name}  {state}  {waiting} waiting");
        print_given_up(health.given_up_events);
        if !health.reason.is_empty() {
            say!("    {}", inert_line(&health.reason));
        }
    }
    Ok(())
}

/// Prints how many customer events failed permanently, if any did.
fn print_given_up(events: u64) {
    if events > 0 {
        let events = counted(events as usize, "event");
        say!(
            "    {events} failed permanently; see `confab webhooks list --kind channel_event \
             --standing failed`"
        );
    }
}

/// The state of a channel, with the reason for a problem.
pub(crate) struct ChannelState {
    pub(crate) id: i64,
    pub(crate) kind: &'static str,
    pub(crate) state: String,
    pub(crate) reason: String,
    /// Number of customer events that failed permanently.
    pub(crate) given_up_events: u64,
}

/// Returns the state of each provider channel of the app.
pub(crate) async fn standings(api: &ServerApi) -> Result<Vec<ChannelState>, CommandError> {
    let channels: ChannelList = api.get_at("/api/v2/channels").await?.read()?;
    let mut standings = Vec::new();
    for (kind, it) in channels.all() {
        let health = health_of(api, &it.id.to_string()).await?;
        let HealthShown { state, reason, given_up_events, .. } = health;
        let (id, kind) = (it.id, kind.name);
        standings.push(ChannelState { id, kind, state, reason, given_up_events });
    }
    Ok(standings)
}

/// Returns the provider of a channel.
async fn kind_of(api: &ServerApi, id: &str) -> Result<Kind, CommandError> {
    let channels: ChannelList = api.get_at("/api/v2/channels").await?.read()?;
    let found = channels.all().find(|(_, it)| it.id.to_string() == id).map(|(kind, _)| kind);
    found.ok_or_else(|| format!("Channel {id} does not exist; see `confab channels list`.").into())
}

async fn health_of(api: &ServerApi, id: &str) -> Result<HealthShown, CommandError> {
    let data = api.get_at(&format!("/api/v2/channels/{id}/health")).await?;
    Ok(data.read::<HealthAnswer>()?.health)
}

async fn check(matches: &ArgMatches, api: &ServerApi) -> Result<(), CommandError> {
    let id = given(matches, "id").ok_or("name the channel")?;
    let data = api.post_at(&format!("/api/v2/channels/{id}/check"), &json!({})).await?;
    let HealthAnswer { health } = data.read()?;
    if matches.get_flag("json") {
        say!("{}", data.text());
    } else {
        say!("{} (received by {}), {} waiting", health.state, health.way, health.waiting);
        print_given_up(health.given_up_events);
        for line in [&health.reason].into_iter().chain(&health.notes).filter(|it| !it.is_empty()) {
            say!("{}", inert_line(line));
        }
    }
    match health.state.as_str() {
        "unauthorized" | "misconfigured" | "unreachable" => {
            Err(format!("Channel {id} does not work: its state is {}.", health.state).into())
        }
        _ => Ok(()),
    }
}

async fn change(
    matches: &ArgMatches,
    api: &ServerApi,
    secrets: Secrets,
) -> Result<(), CommandError> {
    let id = given(matches, "id").ok_or("name the channel")?;
    let mut body = json!({});
    let kind = kind_of(api, id).await?;
    secrets.put(kind, &mut body);
    if let Some(name) = given(matches, "name") {
        body["name"] = json!(name);
    }
    put_human_agent(matches, &mut body);
    put_forwarding(matches, kind, &mut body)?;
    if matches.get_flag("on") || matches.get_flag("off") {
        body["is_active"] = json!(matches.get_flag("on"));
    }
    let path = format!("/api/v2/{}/connect/{id}/update", kind.word);
    let data = api.post_at(&path, &body).await?;
    match matches.get_flag("json") {
        true => say!("{}", data.text()),
        false => say!("Changed channel {id}."),
    }
    Ok(())
}

async fn remove(matches: &ArgMatches, api: &ServerApi) -> Result<(), CommandError> {
    let id = given(matches, "id").ok_or("name the channel")?;
    let path = format!("/api/v2/{}/connect/{id}/delete", kind_of(api, id).await?.word);
    let data = api.post_at(&path, &json!({})).await?;
    match matches.get_flag("json") {
        true => say!("{}", data.text()),
        false => say!("Deleted channel {id}; its conversations are kept."),
    }
    Ok(())
}

async fn play_event(
    matches: &ArgMatches,
    api: &ServerApi,
    body: Option<String>,
) -> Result<(), CommandError> {
    let id = given(matches, "id").ok_or("name the channel")?;
    let path = format!("/api/v2/channels/{id}/events");
    let data = api.post_at(&path, &json!({"body": body})).await?;
    match matches.get_flag("json") {
        true => say!("{}", data.text()),
        false => say!("The channel received the webhook; see the inbox."),
    }
    Ok(())
}
