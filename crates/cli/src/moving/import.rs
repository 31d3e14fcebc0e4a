//! `confab import`: imports a file of `confab export`, or an app of another running server.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Arg, ArgAction, ArgMatches, Command};
use confab_domain::app::AppCode;
use confab_domain::limits;
use confab_domain::moving::importing::ImportRights;
use confab_runtime::clock::{self, SERVING_NODE, SystemStamps};
use confab_runtime::config::{Effective, secrets_file};
use confab_store::Store;
use confab_wire::moving::{Line, read_line};

use super::importer::{Importer, shown};
use super::progress::Progress;
use super::service::Service;
use super::walk;
use crate::arguments::{app_id, location_flags};
use crate::command_error::CommandError;
use crate::data::registry::existing_data;
use crate::remote::api_client::parse_url;

pub(crate) fn command() -> Command {
    Command::new("import")
        .about("Import a file of `confab export`, or an app of another server, into an app")
        .after_help(
            "Stop the server first, unless the data is in PostgreSQL. The import sends no \
             webhooks, pushes or live events.\n\
             The limits of the API apply to the file. The import stops at a line that exceeds \
             them or needs a flag, and reports its number.\n\
             To continue an interrupted import, run it again with --join-rooms: nothing is \
             imported twice.\n\
             docs/operating/moving.md describes what is imported and what is not.",
        )
        .arg(app_id(true))
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .required_unless_present("from_service")
                .conflicts_with("from_service")
                .help("File of `confab export`; - reads standard input"),
        )
        .arg(flag("join_rooms").long("join-rooms").help(
            "Add participants, messages and sessions also to rooms that existed before, for \
             example to continue an import",
        ))
        .arg(flag("match_agents").long("match-agents").help(
            "Attribute the messages and conversations of agents to the app's agents with the same \
             e-mail address",
        ))
        .arg(
            Arg::new("from_service")
                .long("from-service")
                .value_name("URL")
                .requires("service_app_id")
                .requires("service_secret_file")
                .help("URL of another running server, from whose message API the app is imported"),
        )
        .arg(
            Arg::new("service_app_id")
                .long("app-id")
                .value_name("ID")
                .requires("from_service")
                .help("App id on the other server"),
        )
        .arg(
            Arg::new("service_secret_file")
                .long("secret-file")
                .value_name("FILE")
                .value_parser(clap::value_parser!(PathBuf))
                .requires("from_service")
                .help("File with the app's SDK secret on the other server"),
        )
        .arg(
            Arg::new("service_brand")
                .long("brand")
                .value_name("WORD")
                .requires("from_service")
                .help(
                    "Prefix of header names on the other server [default: the first of the \
                     setting brands]",
                ),
        )
        .args(location_flags())
}

fn flag(name: &'static str) -> Arg {
    Arg::new(name).action(ArgAction::SetTrue)
}

pub(crate) fn run(matches: &ArgMatches, settings: &Effective) -> Result<(), CommandError> {
    let code = matches.get_one::<String>("app_id_argument").ok_or("name the app")?;
    let code = AppCode::parse(code)?;
    let source = source(matches, settings)?;
    let rights = ImportRights {
        joins_rooms: matches.get_flag("join_rooms"),
        matches_agents: matches.get_flag("match_agents"),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let location = existing_data(settings)?;
        let sealer = secrets_file(settings).sealer(&location).await?;
        let stamps = Arc::new(SystemStamps::new(SERVING_NODE));
        let store = Store::open(&location, stamps.clone(), sealer).await?;
        let imported = match Importer::new(store.clone(), &*stamps, &code, rights).await {
            Ok(importer) => import(source, importer).await,
            Err(error) => Err(error),
        };
        // Committed lines stay, even if the rest failed.
        store.close().await?;
        imported
    })
}

/// The source of the imported data: an export file, or the message API of another server.
enum Source {
    File(Box<dyn BufRead>),
    Service(Service),
}

fn source(matches: &ArgMatches, settings: &Effective) -> Result<Source, CommandError> {
    let text = |name| matches.get_one::<String>(name);
    if let Some(url) = text("from_service") {
        let secret = matches.get_one::<PathBuf>("service_secret_file").ok_or("name the secret")?;
        let secret = std::fs::read_to_string(secret)
            .map_err(|error| format!("cannot read {}: {error}", secret.display()))?;
        let brands = settings.text("brands").to_owned();
        let first = brands.split(',').next().unwrap_or_default().trim();
        let brand = text("service_brand").map_or(first, String::as_str);
        let app_id = text("service_app_id").ok_or("name the app id on the other server")?;
        return Ok(Source::Service(Service::new(parse_url(url)?, brand, app_id, secret.trim())?));
    }
    let file = text("file").ok_or("name a file")?;
    Ok(Source::File(match file.as_str() {
        "-" => Box::new(BufReader::new(io::stdin())),
        _ => {
            let opened = File::open(file).map_err(|error| format!("cannot read {file}: {error}"));
            Box::new(BufReader::with_capacity(1 << 16, opened?))
        }
    }))
}

async fn import(source: Source, mut importer: Importer) -> Result<(), CommandError> {
    let mut progress = Progress::begin();
    let outcome = match source {
        Source::File(lines) => take_lines(lines, &mut importer, &mut progress).await,
        Source::Service(service) => walk::fetch(&service, &mut importer, &mut progress).await,
    };
    let seconds = progress.end();
    outcome?;
    say!("Imported {} in {seconds:.1} s.", importer.taken());
    say!("New messages: {}.", importer.new_messages());
    Ok(())
}

/// Imports all lines of a file, and compares their counts with those in its last line.
async fn take_lines(
    mut lines: Box<dyn BufRead>,
    importer: &mut Importer,
    progress: &mut Progress,
) -> Result<(), CommandError> {
    let (mut number, mut text) = (0, String::new());
    let end = loop {
        number += 1;
        if !next_line(&mut lines, &mut text, number)? {
            importer.flush().await?;
            let taken = importer.taken();
            let cut = "the file is truncated: its last line, which has the totals, is missing";
            return Err(format!("{cut}; imported so far: {taken}").into());
        }
        let line = read_line(&text, clock::now()).map_err(|problem| {
            let first = importer.first_waiting().unwrap_or(number);
            let problem = shown(&problem);
            format!("line {number} {problem}; nothing was imported from line {first} on")
        })?;
        match line {
            Line::Head { .. } if number == 1 => {}
            _ if number == 1 => {
                return Err("line 1 is not the first line of a file of `confab export`".into());
            }
            Line::Head { .. } => {
                return Err(format!("line {number} is the first line of another file").into());
            }
            Line::End(counts) => break counts,
            other => importer.take(number, other, text.len()).await?,
        }
        progress.show(importer.taken());
    };
    importer.flush().await?;
    if next_line(&mut lines, &mut text, number + 1)? {
        return Err(format!("line {} is after the last line of the export", number + 1).into());
    }
    if end != *importer.taken() {
        let taken = importer.taken();
        return Err(format!(
            "the totals in the last line do not match: expected {end}, found {taken}"
        )
        .into());
    }
    Ok(())
}

/// Reads the next line without its line break. Returns false at the end of the file, and for a last
/// line without a line break, which counts as truncated.
fn next_line(
    lines: &mut dyn BufRead,
    text: &mut String,
    number: u64,
) -> Result<bool, CommandError> {
    text.clear();
    let max = limits::IMPORT_LINE_BYTES_MAX as u64;
    let read = lines.take(max).read_line(text);
    let read = read.map_err(|error| format!("line {number} cannot be read: {error}"))?;
    match text.pop() {
        None => Ok(false),
        Some('\n') => Ok(true),
        Some(_) if read as u64 == max => Err(format!("line {number} is too long").into()),
        // The file is cut off within this line.
        Some(_) => Ok(false),
    }
}
