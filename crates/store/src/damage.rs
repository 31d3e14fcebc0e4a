//! The engine's last report about damaged data on this thread. The error that the damage causes
//! includes it.

use std::cell::RefCell;

thread_local! {
    static DAMAGE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Records a report. A report about a mere consequence of damage does not replace an earlier one.
pub(crate) fn note(message: String, is_consequence: bool) {
    DAMAGE.with(|damage| {
        let mut damage = damage.borrow_mut();
        if damage.is_none() || !is_consequence {
            *damage = Some(message);
        }
    });
}

/// Returns and clears the report of this thread.
pub(crate) fn take() -> Option<String> {
    DAMAGE.with(|damage| damage.borrow_mut().take())
}
