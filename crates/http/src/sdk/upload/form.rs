//! A multipart form, read piece by piece, so that only the latest piece is in memory.
//!
//! Made for uploads, whose file may be large and whose sender may be anonymous. All bytes outside
//! the file (before the first part, headers of parts, other fields, the token) share one small
//! allowance, so that senders without a file are cut off soon (design/files).

use axum::body::Body;
use axum::http::{HeaderMap, header};
use bytes::{Buf, Bytes, BytesMut};
use confab_domain::limits;
use http_body_util::BodyExt;
use memchr::memmem::{Finder, find};

use super::progress::UploadProgress;

/// A multipart form that is being received.
pub(super) struct Form {
    body: Body,
    progress: UploadProgress,
    /// Finder of a line break followed by the boundary, which end a part.
    end_of_part: Finder<'static>,
    /// Received bytes that were not moved to `unread` yet.
    waiting: Bytes,
    unread: BytesMut,
    /// Number of bytes outside the file that the form may still contain.
    beside_left: usize,
    /// Whether the boundary after a part was just read, but not the headers of the next part.
    is_between: bool,
}

/// The headers of a part.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PartHead {
    pub(super) name: String,
    pub(super) file_name: String,
}

/// Reason why a form cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FormError {
    /// The form is malformed, or it ended too early.
    Broken,
    /// The form has too many bytes outside the file.
    TooMuchBeside,
}

impl Form {
    /// Returns a reader of the form in this body, or `None` if the headers do not declare a
    /// multipart form.
    pub(super) fn new(headers: &HeaderMap, body: Body, progress: UploadProgress) -> Option<Self> {
        let boundary = boundary(headers.get(header::CONTENT_TYPE)?.to_str().ok()?)?;
        let end_of_part = Finder::new(&format!("\r\n--{boundary}")).into_owned();
        // A boundary precedes the first part too, but mostly without a line break before it.
        let unread = BytesMut::from("\r\n");
        let beside_left = limits::UPLOAD_EXTRA_BYTES_MAX;
        let waiting = Bytes::new();
        Some(Self { body, progress, end_of_part, waiting, unread, beside_left, is_between: false })
    }

    /// Records that the sender is authenticated.
    pub(super) fn prove(&mut self) {
        self.progress.prove();
    }

    /// Skips the rest of the current part and returns the headers of the next one, or `None` after
    /// the last part.
    pub(super) async fn next_part(&mut self) -> Result<Option<PartHead>, FormError> {
        while let Some(skipped) = self.content().await? {
            self.spend(skipped.len())?;
        }
        while self.unread.len() < 2 {
            self.read_more().await?;
        }
        if self.unread.starts_with(b"--") {
            return Ok(None);
        }
        let head = self.head().await?;
        self.is_between = false;
        Ok(Some(PartHead::read(&String::from_utf8_lossy(&head))))
    }

    /// Returns the next bytes of the current part, or `None` at its end.
    pub(super) async fn content(&mut self) -> Result<Option<Bytes>, FormError> {
        if self.is_between {
            return Ok(None);
        }
        let end = self.end_of_part.needle().len();
        loop {
            match self.end_of_part.find(&self.unread) {
                Some(0) => {
                    self.unread.advance(end);
                    self.spend(end)?;
                    self.is_between = true;
                    return Ok(None);
                }
                Some(at) => return Ok(Some(self.unread.split_to(at).freeze())),
                // The last bytes may be the start of a boundary.
                None if self.unread.len() >= end => {
                    let sure = self.unread.len() + 1 - end;
                    return Ok(Some(self.unread.split_to(sure).freeze()));
                }
                None => self.read_more().await?,
            }
        }
    }

    /// Reads the rest of the current part as text; `None` if it is not UTF-8. Its bytes count as
    /// bytes outside the file.
    pub(super) async fn text(&mut self) -> Result<Option<String>, FormError> {
        let mut bytes = Vec::new();
        while let Some(more) = self.content().await? {
            self.spend(more.len())?;
            bytes.extend_from_slice(&more);
        }
        Ok(String::from_utf8(bytes).ok())
    }

    /// Reads the headers of the current part.
    async fn head(&mut self) -> Result<BytesMut, FormError> {
        const END: &[u8] = b"\r\n\r\n";
        let at = loop {
            if let Some(at) = find(&self.unread, END) {
                break at;
            }
            if self.unread.len() > self.beside_left {
                return Err(FormError::TooMuchBeside);
            }
            self.read_more().await?;
        };
        self.spend(at + END.len())?;
        let head = self.unread.split_to(at);
        self.unread.advance(END.len());
        Ok(head)
    }

    fn spend(&mut self, bytes: usize) -> Result<(), FormError> {
        let left = self.beside_left.checked_sub(bytes).ok_or(FormError::TooMuchBeside)?;
        self.beside_left = left;
        Ok(())
    }

    /// Moves a small piece of the received bytes to `unread`, receiving more if there are none.
    /// Pieces are small, because many forms are read at the same time.
    async fn read_more(&mut self) -> Result<(), FormError> {
        if self.waiting.is_empty() {
            let frame = self.body.frame().await.ok_or(FormError::Broken)?;
            if let Ok(bytes) = frame.map_err(|_| FormError::Broken)?.into_data() {
                self.progress.arrived(bytes.len());
                self.waiting = bytes;
            }
        }
        let piece = self.waiting.split_to(self.waiting.len().min(limits::UPLOAD_PIECE_BYTES));
        self.unread.extend_from_slice(&piece);
        Ok(())
    }
}

impl PartHead {
    fn read(head: &str) -> Self {
        let mut read = Self::default();
        let lines = head.split("\r\n").filter_map(|line| line.split_once(':'));
        let mut dispositions = lines
            .filter(|(name, _)| name.trim().eq_ignore_ascii_case("content-disposition"))
            .map(|(_, value)| value);
        for (name, value) in parameters(dispositions.next().unwrap_or_default()) {
            match name.as_str() {
                "name" => read.name = value,
                "filename" => read.file_name = value,
                _ => {}
            }
        }
        read
    }
}

/// Returns the boundary of a multipart form (RFC 2046: 1 to 70 characters).
fn boundary(content_type: &str) -> Option<String> {
    let kind = content_type.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    let boundary = parameters(content_type).into_iter().find(|(name, _)| name == "boundary")?.1;
    (1..=70).contains(&boundary.len()).then_some(boundary)
}

/// Parses the parameters of a header: names in lower case, values without quotes.
fn parameters(header: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = header.split_once(';').map_or("", |it| it.1);
    while let Some((name, after)) = rest.split_once('=') {
        // A word without a value may precede the name.
        let name = name.rsplit(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let (value, left) = match after.trim_start().strip_prefix('"') {
            Some(quoted) => until_quote(quoted),
            None => {
                let (value, left) = after.split_once(';').unwrap_or((after, ""));
                (value.trim().to_owned(), left)
            }
        };
        found.push((name, value));
        rest = left;
    }
    found
}

/// Reads up to the closing quote. Only escaped quotes are unescaped, because old browsers send
/// paths with unescaped backslashes.
fn until_quote(quoted: &str) -> (String, &str) {
    let mut value = String::new();
    let mut letters = quoted.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return (value, &quoted[at + 1..]),
            '\\' if letters.peek().is_some_and(|(_, next)| *next == '"') => {
                letters.next();
                value.push('"');
            }
            letter => value.push(letter),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests;
