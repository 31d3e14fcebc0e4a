//! `confab export`: writes a consistent snapshot of an app as JSON lines, while servers run.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use clap::{Arg, ArgMatches, Command};
use confab_domain::app::AppCode;
use confab_runtime::clock;
use confab_runtime::config::Effective;
use confab_store::AppSnapshot;
use confab_wire::moving::{Counts, Line, write_line};
use confab_wire::time::to_the_second;

use super::progress::Progress;
use crate::arguments::{app_id, location_flags};
use crate::command_error::CommandError;
use crate::data::backup::{UnfinishedCopy, parent, with_suffix};
use crate::data::registry::existing_data;

pub(crate) fn command() -> Command {
    Command::new("export")
        .about("Export an app as JSON lines; the server may be running")
        .after_help(
            "The file has the app's channels, users, rooms, participants, messages and the \
             sessions of customers' conversations; `confab import` imports it into another app or \
             server.\n\
             The file has no keys, tokens, passwords and uploaded files, but it has all messages: \
             protect it like the data.\n\
             The format is described in docs/operating/moving.md.",
        )
        .arg(app_id(true))
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .required(true)
                .help("File to create; it must not exist yet; - writes to standard output"),
        )
        .args(location_flags())
}

pub(crate) fn run(matches: &ArgMatches, settings: &Effective) -> Result<(), CommandError> {
    let code = matches.get_one::<String>("app_id_argument").ok_or("name the app")?;
    let code = AppCode::parse(code)?;
    let file = matches.get_one::<String>("file").ok_or("name a file")?;
    let location = existing_data(settings)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let snapshot = AppSnapshot::open(&location, &code).await?;
        let missing = || format!("there is no app {}; see `confab app list`", code.as_str());
        let snapshot = snapshot.ok_or_else(missing)?;
        match file.as_str() {
            "-" => {
                let written = write(&snapshot, &code, io::stdout().lock()).await?;
                // Standard output has only the lines.
                eprintln!("{}", written.summary());
            }
            _ => {
                let written = write_file(&snapshot, &code, Path::new(file)).await?;
                say!("{file} written: {}", written.summary());
            }
        }
        Ok(())
    })
}

/// The counts and duration of an export.
struct Written {
    counts: Counts,
    seconds: f64,
}

impl Written {
    fn summary(&self) -> String {
        format!("{} in {:.1} s", self.counts, self.seconds)
    }
}

/// Writes the file under a temporary name and renames it, so that a file with its final name is
/// complete and synced.
async fn write_file(
    snapshot: &AppSnapshot,
    code: &AppCode,
    file: &Path,
) -> Result<Written, CommandError> {
    if file.exists() {
        return Err(format!("{} exists already; name a new file", file.display()).into());
    }
    let unfinished = UnfinishedCopy(with_suffix(file, ".unfinished"));
    let _ = fs::remove_file(&unfinished.0);
    let out = File::options().write(true).create_new(true).open(&unfinished.0)?;
    let written = write(snapshot, code, &out).await?;
    out.sync_all()?;
    fs::rename(&unfinished.0, file)?;
    File::open(parent(file))?.sync_all()?;
    Ok(written)
}

async fn write(
    snapshot: &AppSnapshot,
    code: &AppCode,
    out: impl Write,
) -> Result<Written, CommandError> {
    let mut lines = Lines {
        out: BufWriter::with_capacity(1 << 16, out),
        counts: Counts::default(),
        progress: Progress::begin(),
    };
    let (app, made_at) = (code.as_str().to_owned(), to_the_second(clock::now()));
    lines.put(Line::Head { app, made_at })?;
    snapshot.channels(&mut |it| lines.put(Line::Channel(it))).await?;
    snapshot.users(&mut |it| lines.put(Line::User(it))).await?;
    snapshot.rooms(&mut |it| lines.put(Line::Room(it))).await?;
    snapshot.participants(&mut |it| lines.put(Line::Participant(it))).await?;
    snapshot.messages(&mut |it| lines.put(Line::Message(it))).await?;
    snapshot.sessions(&mut |it| lines.put(Line::Session(it))).await?;
    let counts = lines.counts;
    lines.put(Line::End(counts))?;
    lines.out.flush()?;
    Ok(Written { counts, seconds: lines.progress.end() })
}

/// A writer of export lines, which counts them and shows the progress.
struct Lines<W: Write> {
    out: BufWriter<W>,
    counts: Counts,
    progress: Progress,
}

impl<W: Write> Lines<W> {
    fn put(&mut self, line: Line) -> io::Result<()> {
        self.counts.count(&line);
        self.progress.show(&self.counts);
        self.out.write_all(&write_line(line))
    }
}
