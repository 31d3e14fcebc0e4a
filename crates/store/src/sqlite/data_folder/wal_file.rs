//! Inspects the write-ahead log before SQLite opens it: where SQLite stops reading, and whether
//! that is the real end of the log (D-0084).
//!
//! SQLite reads frames up to the first one it cannot trust, and discards the frames that follow.
//! Usually these are frames of an earlier round of the log, with other salts. If they belong to the
//! current round, the frame before them was damaged, or a power cut let later frames reach the disk
//! first.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

const HEAD_BYTES: usize = 32;
const FRAME_HEAD_BYTES: usize = 24;
const PAGE_BYTES_MAX: usize = 65_536;
/// Magic number of the log's header. Its last bit is the byte order of the checksums.
const MAGIC: u32 = 0x377f_0682;

/// Result of inspecting a log.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct WalState {
    /// Number of frames that SQLite accepts.
    pub(crate) trusted: u64,
    /// Number of frames of the current round after the first frame that SQLite rejects.
    pub(crate) following: u64,
    /// Whether the log is not empty but its header is invalid, so that SQLite ignores it.
    pub(crate) is_headless: bool,
}

impl WalState {
    /// Whether the log seems to continue after the position at which SQLite stops reading.
    pub(crate) fn breaks_off(&self) -> bool {
        self.following > 0 || self.is_headless
    }
}

/// Returns the path of a database's write-ahead log.
pub(crate) fn path(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push("-wal");
    PathBuf::from(name)
}

/// Inspects a log. No process may write to it during the inspection.
pub(crate) fn inspect(log: &Path) -> io::Result<WalState> {
    let file = match File::open(log) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(WalState::default()),
        file => file?,
    };
    let mut file = BufReader::with_capacity(1 << 16, file);
    let mut head = [0; HEAD_BYTES];
    if !is_filled(&mut file, &mut head)? {
        return Ok(WalState::default());
    }
    let is_big = number(&head, 0) & 1 == 1;
    let page_bytes = number(&head, 8) as usize;
    let mut sum = summed((0, 0), &head[..24], is_big);
    let is_trusted = number(&head, 0) & !1 == MAGIC
        && page_bytes.is_power_of_two()
        && (512..=PAGE_BYTES_MAX).contains(&page_bytes)
        && sum == (number(&head, 24), number(&head, 28));
    if !is_trusted {
        return Ok(WalState { is_headless: true, ..WalState::default() });
    }
    let mut looked = WalState::default();
    let mut is_broken = false;
    let mut frame = vec![0; FRAME_HEAD_BYTES + page_bytes];
    while is_filled(&mut file, &mut frame)? {
        let (frame_head, page) = frame.split_at(FRAME_HEAD_BYTES);
        let is_of_round = frame_head[8..16] == head[16..24];
        let next = summed(summed(sum, &frame_head[..8], is_big), page, is_big);
        let is_whole = is_of_round
            && number(frame_head, 0) != 0
            && next == (number(frame_head, 16), number(frame_head, 20));
        if is_broken {
            looked.following += u64::from(is_of_round);
        } else if is_whole {
            looked.trusted += 1;
            sum = next;
        } else {
            is_broken = true;
        }
    }
    Ok(looked)
}

/// Copies the log to a file next to it, unless the current round of the log was already copied.
/// Returns the path of the copy; `None` without a log.
pub(crate) fn keep(log: &Path) -> io::Result<Option<PathBuf>> {
    let mut head = [0; HEAD_BYTES];
    match File::open(log) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => {
            if !is_filled(&mut file?, &mut head)? {
                return Ok(None);
            }
        }
    }
    let mut name = log.as_os_str().to_owned();
    name.push(format!(".kept-{:08x}{:08x}", number(&head, 16), number(&head, 20)));
    let copy = PathBuf::from(name);
    if !copy.exists() {
        fs::copy(log, &copy)?;
        File::open(&copy)?.sync_all()?;
    }
    Ok(Some(copy))
}

/// Fills the buffer. Returns false if the file has too few bytes left.
fn is_filled(file: &mut impl Read, bytes: &mut [u8]) -> io::Result<bool> {
    match file.read_exact(bytes) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        read => read.map(|()| true),
    }
}

fn number(bytes: &[u8], at: usize) -> u32 {
    bytes[at..at + 4].iter().fold(0, |number, byte| number << 8 | u32::from(*byte))
}

fn summed((mut one, mut two): (u32, u32), bytes: &[u8], is_big: bool) -> (u32, u32) {
    let read = |bytes: [u8; 4]| match is_big {
        true => u32::from_be_bytes(bytes),
        false => u32::from_le_bytes(bytes),
    };
    let (pairs, _) = bytes.as_chunks::<8>();
    for [a, b, c, d, e, f, g, h] in pairs {
        one = one.wrapping_add(read([*a, *b, *c, *d])).wrapping_add(two);
        two = two.wrapping_add(read([*e, *f, *g, *h])).wrapping_add(one);
    }
    (one, two)
}
