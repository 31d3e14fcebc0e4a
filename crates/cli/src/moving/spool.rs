//! A temporary file for the messages of a room, which are fetched newest first and imported oldest
//! first.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read as _, Seek as _, SeekFrom, Write as _};

use confab_domain::moving::moved::MovedMessage;
use confab_runtime::{clock, ids};
use confab_wire::moving::{Line, read_line, write_line};

/// A stack of messages in an unlinked temporary file, which no other process can open.
pub(super) struct Spool {
    out: BufWriter<File>,
    /// Offset of each line in the file, in bytes.
    places: Vec<u64>,
    bytes: u64,
}

impl Spool {
    pub(super) fn new() -> io::Result<Self> {
        let path = std::env::temp_dir().join(format!("confab-import-{}", ids::process_tag()));
        let file = File::options().read(true).write(true).create_new(true).open(&path)?;
        fs::remove_file(&path)?;
        Ok(Self { out: BufWriter::new(file), places: Vec::new(), bytes: 0 })
    }

    pub(super) fn push(&mut self, message: MovedMessage) -> io::Result<()> {
        let line = write_line(Line::Message(message));
        self.places.push(self.bytes);
        self.bytes += line.len() as u64;
        self.out.write_all(&line)
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Removes and returns the last line.
    pub(super) fn pop(&mut self) -> io::Result<Option<Line>> {
        let Some(place) = self.places.pop() else { return Ok(None) };
        self.out.flush()?;
        let file = self.out.get_mut();
        file.seek(SeekFrom::Start(place))?;
        let mut text = String::new();
        file.take(self.bytes - place).read_to_string(&mut text)?;
        self.bytes = place;
        read_line(text.trim_end(), clock::now()).map(Some).map_err(io::Error::other)
    }
}
