//! The few calls of SQLite that rusqlite has no safe way for: the checksums of pages (D-0084), what
//! SQLite says to its log, and the system's own error numbers.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::OnceLock;

use rusqlite::{Connection, ffi};

use crate::damage;
use crate::error::StoreError;

unsafe extern "C" {
    /// Of `vendor/cksumvfs.c`.
    fn sqlite3_register_cksumvfs(unused: *const c_char) -> c_int;
}

/// `ENOSPC`, `EDQUOT` and `EFBIG`: no more can be written to this disk, or to this file.
const NO_ROOM: [i32; 3] = [28, 122, 27];

/// Has SQLite keep and verify checksums, from the next file on that is opened. To be called before
/// any is; calling it again does nothing.
pub(super) fn use_checksums() -> Result<(), StoreError> {
    static OUTCOME: OnceLock<c_int> = OnceLock::new();
    let outcome = *OUTCOME.get_or_init(|| {
        let listen: extern "C" fn(*mut c_void, c_int, *const c_char) = hear;
        // SAFETY: `hear` has the type that this setting wants and lives as long as the process. If
        // SQLite is in use already, it refuses, and only the words about damage are missing.
        unsafe {
            ffi::sqlite3_config(ffi::SQLITE_CONFIG_LOG, listen, ptr::null_mut::<c_void>());
        }
        // SAFETY: the argument is not used; `OnceLock` sees to it that it is called once.
        unsafe { sqlite3_register_cksumvfs(ptr::null()) }
    });
    match outcome {
        ffi::SQLITE_OK => Ok(()),
        code => Err(StoreError::while_doing("starting SQLite")(format!("it says {code}"))),
    }
}

extern "C" fn hear(_: *mut c_void, code: c_int, message: *const c_char) {
    let is_damage = code == ffi::SQLITE_IOERR_DATA
        || [ffi::SQLITE_CORRUPT, ffi::SQLITE_NOTADB].contains(&(code & 0xff));
    if !is_damage || message.is_null() {
        return;
    }
    // SAFETY: SQLite gives a text that ends with a zero and stays until this returns.
    let message = unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned();
    // What follows from it is said after it.
    let is_consequence = message.starts_with("statement aborts");
    damage::note(message, is_consequence);
}

/// Whether the last I/O error of a connection was that there is no room. SQLite says so by itself
/// only if the disk is full, not if a quota or a limit of the process is.
pub(super) fn has_no_room(db: &Connection) -> bool {
    // SAFETY: the handle is used while the connection is borrowed, and the call only reads from it.
    let errno = unsafe { ffi::sqlite3_system_errno(db.handle()) };
    NO_ROOM.contains(&errno)
}
