//! The write-ahead log as a file, looked at before SQLite does: where it ends for SQLite, and
//! whether that is its end (D-0084).
//!
//! SQLite reads frames up to the first that it cannot trust, and forgets what follows. Frames of an
//! earlier round of the log, which have other salts, follow nearly always. Frames of this round
//! mean that the one in between was damaged, or that a power cut let later frames reach the disk
//! before it did.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

const HEAD_BYTES: usize = 32;
const FRAME_HEAD_BYTES: usize = 24;
const PAGE_BYTES_MAX: usize = 65_536;
/// Its last bit says in which order the numbers of the checksums are.
const MAGIC: u32 = 0x377f_0682;

/// What a log looks like.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct WalState {
    /// Frames that SQLite trusts.
    pub(super) trusted: u64,
    /// Frames of the same round behind the first that it does not.
    pub(super) following: u64,
    /// There is something, and SQLite takes it for nothing.
    pub(super) is_headless: bool,
}

impl WalState {
    /// Whether it seems to go on where SQLite stops.
    pub(super) fn breaks_off(&self) -> bool {
        self.following > 0 || self.is_headless
    }
}

/// The log of a database.
pub(super) fn path(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push("-wal");
    PathBuf::from(name)
}

/// Looks at a log that nobody writes to.
pub(super) fn look(log: &Path) -> io::Result<WalState> {
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

/// Keeps a copy of the log beside it, under a name of its own, unless there is one of this round.
pub(super) fn keep(log: &Path) -> io::Result<Option<PathBuf>> {
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

/// Whether there was enough to fill this.
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
