//! `confab channels`: the messengers that a running server's customers write from.
//!
//! A token is never an argument: others on the machine read those. It comes from a file, or from
//! standard input.

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde::Deserialize;
use serde_json::json;

use super::command_error::CommandError;
use super::inert_text::inert_line;
use super::running_server::{AFTER_HELP, server_flags, with_server};
use super::server_api::ServerApi;
use super::webhooks::{given, json_flag};
use crate::config::Effective;

#[derive(Deserialize)]
struct ChannelAnswer {
    telegram_channel: ChannelShown,
}

#[derive(Deserialize)]
struct ChannelList {
    telegram_channels: Vec<ChannelShown>,
}

#[derive(Deserialize)]
struct ChannelShown {
    id: i64,
    name: String,
    username: String,
    is_active: bool,
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
    notes: Vec<String>,
}

pub(super) fn command() -> Command {
    Command::new("channels")
        .about("Connect messengers, and see how they are")
        .after_help(AFTER_HELP)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands([add(), sub("list", "List the channels of messengers and how they are")])
        .subcommands([
            with_id("check", "Ask the service now how a channel is"),
            set(),
            with_id("remove", "Delete a channel and its token; its conversations stay"),
            play(),
        ])
}

fn sub(name: &'static str, about: &'static str) -> Command {
    Command::new(name).about(about).arg(json_flag()).args(server_flags()).after_help(AFTER_HELP)
}

fn with_id(name: &'static str, about: &'static str) -> Command {
    sub(name, about).arg(Arg::new("id").value_name("CHANNEL_ID").required(true))
}

fn token_file() -> Arg {
    Arg::new("token_file")
        .long("token-file")
        .value_name("FILE")
        .help("The file that the token stands in; - reads it from standard input")
}

fn name() -> Arg {
    Arg::new("name").long("name").value_name("NAME").help("The name for people")
}

fn add() -> Command {
    let kind = Arg::new("kind").value_name("KIND").required(true).value_parser(["telegram"]);
    let log = Arg::new("log")
        .long("log")
        .action(ArgAction::SetTrue)
        .help("Send nothing, and print what would have been sent: for trying without an account");
    sub("add", "Connect an account of a messenger").args([
        kind.help("Which messenger"),
        token_file().required(true),
        name(),
        log,
    ])
}

fn set() -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    with_id("set", "Change a channel; a new token sends what waited for it")
        .args([token_file(), name()])
        .arg(flag("on", "Switch it on").conflicts_with("off"))
        .arg(flag("off", "Switch it off"))
}

fn play() -> Command {
    let file = Arg::new("file").value_name("FILE").required(true);
    with_id("play", "Have a channel told what its service would tell, from a file")
        .arg(file.help("A recorded body of the service; - reads it from standard input"))
}

pub(super) fn run(matches: &ArgMatches, settings: &Effective) -> Result<(), CommandError> {
    let (name, matches) = matches.subcommand().ok_or("no command was given")?;
    let token = given(matches, "token_file").map(read_token).transpose()?;
    let played = given(matches, "file").map(read_file).transpose()?;
    with_server(matches, settings, async |api: ServerApi| match name {
        "add" => connect(matches, &api, token).await,
        "list" => list(matches, &api).await,
        "check" => check(matches, &api).await,
        "set" => change(matches, &api, token).await,
        "remove" => remove(matches, &api).await,
        _ => tell(matches, &api, played).await,
    })
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
    token: Option<String>,
) -> Result<(), CommandError> {
    let mut body = json!({"bot_token": token});
    if let Some(name) = given(matches, "name") {
        body["name"] = json!(name);
    }
    if matches.get_flag("log") {
        body["base_url"] = json!("log:");
    }
    let data = api.post_at("/api/v2/telegram/connect", &body).await?;
    if matches.get_flag("json") {
        say!("{}", data.text());
        return Ok(());
    }
    let ChannelAnswer { telegram_channel: it } = data.read()?;
    let (id, bot) = (it.id, inert_line(&it.username));
    say!("Channel {id} is connected to @{bot}.");
    say!("Write to https://t.me/{bot}, and see the message in the inbox.");
    say!("`confab channels check {id}` tells how it is.");
    Ok(())
}

async fn list(matches: &ArgMatches, api: &ServerApi) -> Result<(), CommandError> {
    let data = api.get_at("/api/v2/channels").await?;
    if matches.get_flag("json") {
        say!("{}", data.text());
        return Ok(());
    }
    let ChannelList { telegram_channels } = data.read()?;
    if telegram_channels.is_empty() {
        say!("No messenger is connected; see `confab channels add --help`.");
    }
    for it in telegram_channels {
        let health = health_of(api, &it.id.to_string()).await?;
        let state = if it.is_active { health.state.as_str() } else { "off" };
        let (name, bot) = (inert_line(&it.name), inert_line(&it.username));
        say!("{}  telegram  @{bot}  {name}  {state}  {} waiting", it.id, health.waiting);
        if !health.reason.is_empty() {
            say!("    {}", inert_line(&health.reason));
        }
    }
    Ok(())
}

async fn health_of(api: &ServerApi, id: &str) -> Result<HealthShown, CommandError> {
    let data = api.get_at(&format!("/api/v2/channels/{id}/health")).await?;
    Ok(data.read::<HealthAnswer>()?.health)
}

async fn check(matches: &ArgMatches, api: &ServerApi) -> Result<(), CommandError> {
    let id = given(matches, "id").ok_or("name the channel")?;
    let data = api.post_at(&format!("/api/v2/channels/{id}/check"), &json!({})).await?;
    if matches.get_flag("json") {
        say!("{}", data.text());
        return Ok(());
    }
    let HealthAnswer { health } = data.read()?;
    say!("{} (by {}), {} waiting", health.state, health.way, health.waiting);
    for line in [health.reason].iter().chain(&health.notes).filter(|it| !it.is_empty()) {
        say!("{}", inert_line(line));
    }
    Ok(())
}

async fn change(
    matches: &ArgMatches,
    api: &ServerApi,
    token: Option<String>,
) -> Result<(), CommandError> {
    let id = given(matches, "id").ok_or("name the channel")?;
    let mut body = json!({});
    if let Some(token) = token {
        body["bot_token"] = json!(token);
    }
    if let Some(name) = given(matches, "name") {
        body["name"] = json!(name);
    }
    if matches.get_flag("on") || matches.get_flag("off") {
        body["is_active"] = json!(matches.get_flag("on"));
    }
    let data = api.post_at(&format!("/api/v2/telegram/connect/{id}/update"), &body).await?;
    match matches.get_flag("json") {
        true => say!("{}", data.text()),
        false => say!("Channel {id} is changed."),
    }
    Ok(())
}

async fn remove(matches: &ArgMatches, api: &ServerApi) -> Result<(), CommandError> {
    let id = given(matches, "id").ok_or("name the channel")?;
    let path = format!("/api/v2/telegram/connect/{id}/delete");
    let data = api.post_at(&path, &json!({})).await?;
    match matches.get_flag("json") {
        true => say!("{}", data.text()),
        false => say!("Channel {id} is deleted; its conversations stay."),
    }
    Ok(())
}

async fn tell(
    matches: &ArgMatches,
    api: &ServerApi,
    body: Option<String>,
) -> Result<(), CommandError> {
    let id = given(matches, "id").ok_or("name the channel")?;
    let path = format!("/api/v2/channels/{id}/events");
    let data = api.post_at(&path, &json!({"body": body})).await?;
    match matches.get_flag("json") {
        true => say!("{}", data.text()),
        false => say!("It is told; see the inbox."),
    }
    Ok(())
}
