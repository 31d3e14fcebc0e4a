//! SQLite calls for which rusqlite has no safe wrapper: page checksums (D-0084), SQLite's error
//! log, and the operating system's error number.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::OnceLock;

use rusqlite::{Connection, ffi};

use crate::damage;
use crate::error::StoreError;

unsafe extern "C" {
    /// Registers the checksum extension, which is in `vendor/cksumvfs.c`.
    fn sqlite3_register_cksumvfs(unused: *const c_char) -> c_int;
}

/// Error numbers for lack of space: `ENOSPC` (disk full), `EDQUOT` (quota reached) and `EFBIG`
/// (file too large).
const NO_ROOM: [i32; 3] = [28, 122, 27];

/// Enables checksums for files that SQLite opens from now on. Must be called before any file is
/// opened; repeated calls have no effect.
pub(crate) fn use_checksums() -> Result<(), StoreError> {
    static OUTCOME: OnceLock<c_int> = OnceLock::new();
    let outcome = *OUTCOME.get_or_init(|| {
        let listen: extern "C" fn(*mut c_void, c_int, *const c_char) = hear;
        // SAFETY: `hear` has the type that this setting requires and lives as long as the process.
        // If SQLite is already initialized, it refuses, and only messages about damage are missing.
        unsafe {
            ffi::sqlite3_config(ffi::SQLITE_CONFIG_LOG, listen, ptr::null_mut::<c_void>());
        }
        // SAFETY: the argument is unused; `OnceLock` ensures a single call.
        unsafe { sqlite3_register_cksumvfs(ptr::null()) }
    });
    match outcome {
        ffi::SQLITE_OK => Ok(()),
        code => Err(StoreError::while_doing("starting SQLite")(format!("error code {code}"))),
    }
}

extern "C" fn hear(_: *mut c_void, code: c_int, message: *const c_char) {
    let is_damage = code == ffi::SQLITE_IOERR_DATA
        || [ffi::SQLITE_CORRUPT, ffi::SQLITE_NOTADB].contains(&(code & 0xff));
    if !is_damage || message.is_null() {
        return;
    }
    // SAFETY: SQLite passes a zero-terminated text that lives until this function returns.
    let message = unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned();
    // Consequences of damage are reported after it.
    let is_consequence = message.starts_with("statement aborts");
    damage::note(message, is_consequence);
}

/// Whether lack of space caused the last I/O error of a connection. SQLite itself reports only a
/// full disk, but not an exceeded quota or file size limit.
pub(crate) fn has_no_room(db: &Connection) -> bool {
    // SAFETY: the handle is used while the connection is borrowed, and the call only reads it.
    let errno = unsafe { ffi::sqlite3_system_errno(db.handle()) };
    NO_ROOM.contains(&errno)
}
