//! Imports lines into an app in batches of one kind, one commit per batch (D-0173).
//!
//! Its commits do not have the effects of a running server's commits: nothing that is imported is
//! sent to endpoints, pushed to devices or shown to connected clients (design/moving).

use std::collections::HashSet;
use std::sync::Arc;

use confab_domain::app::{App, AppCode};
use confab_domain::decision::facts::Facts;
use confab_domain::decision::stamp::{Stamp, Stamps};
use confab_domain::ids::RoomId;
use confab_domain::limits;
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::moving::importing::{
    FindImportedMessages, ImportLines, ImportOutcome, ImportRights, MovedLines,
};
use confab_domain::moving::names::MovedNames;
use confab_domain::refusal::Refusal;
use confab_runtime::ids;
use confab_store::{Store, WriteError};
use confab_wire::moving::{Counts, Line};

use crate::command_error::CommandError;
use crate::inert_text::inert_line;

/// An import into an app.
pub(super) struct Importer {
    store: Store,
    app: Arc<App>,
    names: Arc<MovedNames>,
    rights: ImportRights,
    /// The newest room of the app before the import.
    newest_room: RoomId,
    /// Lines of one kind, with their line numbers, that are not yet committed.
    waiting: Vec<(u64, Line)>,
    waiting_bytes: usize,
    /// Counts of the committed lines.
    taken: Counts,
    new_messages: u64,
}

impl Importer {
    /// Starts an import into an existing app. `stamps` is the store's generator of ids.
    pub(super) async fn new(
        store: Store,
        stamps: &dyn Stamps,
        code: &AppCode,
        rights: ImportRights,
    ) -> Result<Self, CommandError> {
        let app = store.app(code).await?;
        let app = app.ok_or_else(|| {
            let code = code.as_str();
            format!("there is no app {code}; create it with `confab app create {code}`")
        })?;
        let agents = store.agents(app.id).await?.into_iter().map(|it| it.profile);
        let agents = agents.map(|it| (it.user.email, it.user.id, it.sdk_user));
        let names = Arc::new(MovedNames::new(agents));
        let newest_room = store.newest_room(app.id).await?;
        // Make all later ids greater than the newest room's, even if the clock was ahead when that
        // room was created.
        stamps.next_id(newest_room.0);
        Ok(Self {
            store,
            app: Arc::new(app),
            names,
            rights,
            newest_room,
            waiting: Vec::new(),
            waiting_bytes: 0,
            taken: Counts::default(),
            new_messages: 0,
        })
    }

    /// Adds a line, with its number and its size in bytes, to the batch. Commits the batch first if
    /// it is full or has lines of another kind.
    pub(super) async fn take(
        &mut self,
        number: u64,
        line: Line,
        bytes: usize,
    ) -> Result<(), CommandError> {
        let is_other = self.waiting.first().is_some_and(|(_, first)| {
            std::mem::discriminant(first) != std::mem::discriminant(&line)
        });
        let lines_max = match line {
            Line::Session(_) => limits::IMPORTED_SESSIONS_PER_COMMIT,
            _ => limits::IMPORTED_PER_COMMIT,
        };
        let is_full = self.waiting.len() >= lines_max
            || self.waiting_bytes + bytes > limits::IMPORTED_BYTES_PER_COMMIT;
        if is_other || is_full {
            self.flush().await?;
        }
        if let Line::User(user) = &line {
            Arc::make_mut(&mut self.names).add_user(&self.app.code, user);
        }
        self.waiting.push((number, line));
        self.waiting_bytes += bytes;
        Ok(())
    }

    /// Commits the batch.
    pub(super) async fn flush(&mut self) -> Result<(), CommandError> {
        let waiting = std::mem::take(&mut self.waiting);
        self.waiting_bytes = 0;
        let mut counts = self.taken;
        waiting.iter().for_each(|(_, line)| counts.count(line));
        let Some((first, lines)) = of_one_kind(waiting) else { return Ok(()) };
        let are_messages = matches!(lines, MovedLines::Messages(_));
        let secrets = match &lines {
            MovedLines::Channels(channels) => channels.iter().map(|_| ids::secret()).collect(),
            MovedLines::Users(users) => users.iter().map(|_| ids::secret()).collect(),
            _ => Vec::new(),
        };
        let (app, names) = (self.app.clone(), self.names.clone());
        let (rights, newest_room) = (self.rights, self.newest_room);
        let rule = Arc::new(ImportLines { app, names, lines, secrets, rights, newest_room });
        let mut decided = self.decide(rule.clone(), false).await;
        if matches!(decided, Err(WriteError::Refused(Refusal::RoomFull(_)))) {
            // Some participants may already be in the room; decide again with its members known.
            decided = self.decide(rule, true).await;
        }
        let imported = decided.map_err(|error| match error {
            WriteError::Refused(refusal) => {
                let problem = shown(&refusal.to_string());
                format!("{problem}; nothing was imported from line {first} on").into()
            }
            WriteError::Failed(error) => CommandError::from(error),
        })?;
        for (there, here) in imported.channels {
            Arc::make_mut(&mut self.names).add_channel(there, here);
        }
        self.new_messages += if are_messages { imported.new } else { 0 };
        self.taken = counts;
        Ok(())
    }

    async fn decide(
        &self,
        rule: Arc<ImportLines>,
        finds_members: bool,
    ) -> Result<ImportOutcome, WriteError> {
        let question = rule.question(finds_members);
        let decide =
            move |facts: &Facts, stamp: &Stamp<'_>| rule.decide(facts, stamp, finds_members);
        self.store.decide(self.app.id, question, decide).await
    }

    /// Returns those of the given unique ids whose messages already exist.
    pub(super) async fn known(
        &self,
        messages: Vec<UniqueId>,
    ) -> Result<HashSet<UniqueId>, CommandError> {
        let find = FindImportedMessages { messages };
        let question = find.question();
        Ok(self.store.decide(self.app.id, question, move |facts, _| Ok(find.decide(facts))).await?)
    }

    /// Returns the number of the first line that is not committed.
    pub(super) fn first_waiting(&self) -> Option<u64> {
        self.waiting.first().map(|(number, _)| *number)
    }

    /// Returns the counts of committed lines, including those that already existed.
    pub(super) fn taken(&self) -> &Counts {
        &self.taken
    }

    pub(super) fn new_messages(&self) -> u64 {
        self.new_messages
    }
}

/// Converts lines to values of the first line's kind, and returns them with the number of the first
/// line.
fn of_one_kind(lines: Vec<(u64, Line)>) -> Option<(u64, MovedLines)> {
    /// Extracts the values of the lines, which all have the given kind.
    macro_rules! all {
        ($kind:ident) => {
            lines
                .into_iter()
                .filter_map(|(number, line)| match line {
                    Line::$kind(it) => Some((number, it)),
                    _ => None,
                })
                .collect()
        };
    }
    let (number, first) = lines.first()?;
    let number = *number;
    let lines = match first {
        Line::Channel(_) => MovedLines::Channels(all!(Channel)),
        Line::User(_) => MovedLines::Users(all!(User)),
        Line::Room(_) => MovedLines::Rooms(all!(Room)),
        Line::Participant(_) => MovedLines::Participants(all!(Participant)),
        Line::Message(_) => MovedLines::Messages(all!(Message)),
        Line::Session(_) => MovedLines::Sessions(all!(Session)),
        Line::Head { .. } | Line::End(_) => return None,
    };
    Some((number, lines))
}

/// Makes an error message safe to print on a terminal, because it may quote the imported file.
pub(super) fn shown(problem: &str) -> String {
    inert_line(problem).chars().take(limits::IMPORT_PROBLEM_CHARS_MAX).collect()
}
