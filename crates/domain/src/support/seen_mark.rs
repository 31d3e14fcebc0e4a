//! Up to where somebody who works in an app has seen a customer's room: a mark of their own, which
//! nobody else is shown (D-0121).

/// Up to where somebody has seen a customer's room.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SeenMark {
    /// The number of the last message that they read; 0 if they never looked.
    pub number: u64,
    /// They called the room unread while this was its last message, and have not read it since.
    pub unread_at: Option<u64>,
}

impl SeenMark {
    /// Whether they have seen everything that the customer said. Who answers has seen it.
    pub fn is_seen(self, last_of_customer: Option<u64>, last_own: Option<u64>) -> bool {
        if let Some(at) = self.unread_at {
            return last_own.is_some_and(|own| own > at);
        }
        let seen = self.number.max(last_own.unwrap_or(0));
        last_of_customer.is_none_or(|last| last <= seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_customer_said_is_seen_by_who_read_it_or_answered() {
        let read = |number| SeenMark { number, unread_at: None };
        assert!(SeenMark::default().is_seen(None, None), "the customer said nothing");
        assert!(!SeenMark::default().is_seen(Some(1), None));
        assert!(read(3).is_seen(Some(3), None));
        assert!(!read(3).is_seen(Some(4), None));
        assert!(read(3).is_seen(Some(4), Some(5)), "they answered");
        assert!(!read(3).is_seen(Some(6), Some(5)), "the customer went on");
    }

    #[test]
    fn what_was_called_unread_is_so_until_it_is_read_or_answered() {
        let unread = SeenMark { number: 5, unread_at: Some(5) };
        assert!(!unread.is_seen(Some(4), Some(5)));
        assert!(!unread.is_seen(Some(6), Some(5)));
        assert!(unread.is_seen(Some(6), Some(7)));
    }
}
