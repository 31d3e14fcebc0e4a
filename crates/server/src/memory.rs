//! Memory that is not needed any more goes back to the system. The allocator sees to that only
//! while it is asked for more: an idle server would keep what its busiest moment took (D-0164).
#![allow(unsafe_code)]

/// Gives back what was free for a while.
pub(crate) fn give_back() {
    // SAFETY: it may be called at any time from any thread, and frees only what nobody holds.
    unsafe { libmimalloc_sys::mi_collect(false) }
}

/// Gives back everything that is free: after a start, which takes more than what comes then.
pub(crate) fn give_all_back() {
    // SAFETY: as above.
    unsafe { libmimalloc_sys::mi_collect(true) }
}

/// What C asks for in large pieces goes back to the system as soon as it is freed. Otherwise the
/// first such piece makes the C library keep the next ones, and SQLite takes one for each common
/// word that somebody searches.
#[cfg(target_env = "gnu")]
pub(crate) fn keep_no_large_pieces() {
    // SAFETY: it sets a number of the C library, and nothing else.
    unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE_PIECE_BYTES) };
}

/// Other C libraries have no such number.
#[cfg(not(target_env = "gnu"))]
pub(crate) fn keep_no_large_pieces() {}

#[cfg(target_env = "gnu")]
const LARGE_PIECE_BYTES: libc::c_int = 128 * 1024;

#[cfg(all(test, target_env = "gnu"))]
mod tests {
    use super::*;

    /// Bytes that the C library has for large pieces while there is one of this size.
    fn held_with(bytes: usize) -> usize {
        // SAFETY: what is taken is given back, and nobody writes there.
        unsafe {
            let piece = libc::malloc(bytes);
            let held = libc::mallinfo2().hblkhd;
            libc::free(piece);
            held
        }
    }

    /// In a process of its own: what other tests freed would serve the next who asks.
    #[test]
    fn a_large_piece_is_taken_from_the_system_again_although_one_was_freed() {
        const IS_ALONE: &str = "CONFAB_TEST_IS_ALONE";
        const BYTES: usize = 16 * 1024 * 1024;
        if std::env::var_os(IS_ALONE).is_none() {
            let this = std::env::current_exe().expect("this program");
            let alone = ["a_large_piece_is_taken_from_the_system_again", "--test-threads", "1"];
            let mut test = std::process::Command::new(this);
            let ran = test.args(alone).env(IS_ALONE, "1").output().expect("it runs");
            let said = String::from_utf8_lossy(&ran.stdout);
            assert!(ran.status.success() && said.contains("1 passed"), "{said}");
            return;
        }
        keep_no_large_pieces();
        assert!(held_with(BYTES) >= BYTES);
        assert!(held_with(BYTES) >= BYTES);
    }
}
