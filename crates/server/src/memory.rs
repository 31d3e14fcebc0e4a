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
