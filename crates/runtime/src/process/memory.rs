//! Releases unused memory to the operating system. The allocator does so only while it serves
//! allocations: an idle server would keep the memory of its busiest moment (design/operations).
#![allow(unsafe_code)]

/// Releases memory to the operating system that has been unused for a while.
pub fn give_back() {
    // SAFETY: the function may be called at any time from any thread, and frees only unused memory.
    unsafe { libmimalloc_sys::mi_collect(false) }
}

/// Releases all unused memory to the operating system. Called after the start, which needs more
/// memory than serving requests.
pub fn give_all_back() {
    // SAFETY: as in `give_back`.
    unsafe { libmimalloc_sys::mi_collect(true) }
}

/// Makes the C library release large allocations to the operating system as soon as they are freed.
/// By default, the first such release raises the threshold, so that later allocations stay in the
/// process; and SQLite allocates a large buffer for each common word of a search.
#[cfg(target_env = "gnu")]
pub fn keep_no_large_pieces() {
    // SAFETY: the call only sets a parameter of the C library.
    unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE_PIECE_BYTES) };
}

/// Does nothing: other C libraries have no such parameter.
#[cfg(not(target_env = "gnu"))]
pub(crate) fn keep_no_large_pieces() {}

#[cfg(target_env = "gnu")]
const LARGE_PIECE_BYTES: libc::c_int = 128 * 1024;

#[cfg(all(test, target_env = "gnu"))]
mod tests {
    use super::*;

    /// Returns the total size in bytes of the C library's memory-mapped allocations while one of
    /// this size exists.
    fn held_with(bytes: usize) -> usize {
        // SAFETY: the allocation is freed and never written to.
        unsafe {
            let piece = libc::malloc(bytes);
            let held = libc::mallinfo2().hblkhd;
            libc::free(piece);
            held
        }
    }

    /// Must run in a process of its own: otherwise memory that other tests freed could serve the
    /// allocation.
    #[test]
    fn a_large_allocation_is_mapped_again_after_one_was_freed() {
        const IS_ALONE: &str = "CONFAB_TEST_IS_ALONE";
        const BYTES: usize = 16 * 1024 * 1024;
        if std::env::var_os(IS_ALONE).is_none() {
            let this = std::env::current_exe().expect("this program");
            let alone = ["a_large_allocation_is_mapped_again", "--test-threads", "1"];
            let mut test = std::process::Command::new(this);
            let ran = test.args(alone).env(IS_ALONE, "1").output().expect("it runs");
            let output = String::from_utf8_lossy(&ran.stdout);
            assert!(ran.status.success() && output.contains("1 passed"), "{output}");
            return;
        }
        keep_no_large_pieces();
        assert!(held_with(BYTES) >= BYTES);
        assert!(held_with(BYTES) >= BYTES);
    }
}
