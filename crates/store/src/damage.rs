//! The last report of an engine about damaged data on this thread, for the error that follows.

use std::cell::RefCell;

thread_local! {
    static DAMAGE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Records a report. A mere consequence does not replace an earlier report.
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
