//! What an engine said last about damage that a thread came upon, for the error that follows.

use std::cell::RefCell;

thread_local! {
    static DAMAGE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Notes the file and where in it; what only follows from damage that is noted is not.
pub(crate) fn note(message: String, is_consequence: bool) {
    DAMAGE.with(|damage| {
        let mut damage = damage.borrow_mut();
        if damage.is_none() || !is_consequence {
            *damage = Some(message);
        }
    });
}

/// What was noted last on this thread.
pub(crate) fn take() -> Option<String> {
    DAMAGE.with(|damage| damage.borrow_mut().take())
}
