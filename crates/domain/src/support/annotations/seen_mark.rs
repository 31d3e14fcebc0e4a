//! Seen marks: an agent's position in a customer's room, visible to that agent only
//! (design/support).

/// Up to which message an agent has seen a customer's room, and whether the agent marked it unread.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SeenMark {
    /// Number of the last message that the agent read; 0 if the agent read none.
    pub number: u64,
    /// Number of the room's newest message at the time when the agent marked the room unread;
    /// `None` if the room is not marked unread.
    pub unread_at: Option<u64>,
}

impl SeenMark {
    /// Whether the agent has seen all messages of the customer. A reply of the agent counts as
    /// seeing.
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
    fn messages_are_seen_by_reading_or_answering() {
        let read = |number| SeenMark { number, unread_at: None };
        assert!(SeenMark::default().is_seen(None, None), "there are no messages");
        assert!(!SeenMark::default().is_seen(Some(1), None));
        assert!(read(3).is_seen(Some(3), None));
        assert!(!read(3).is_seen(Some(4), None));
        assert!(read(3).is_seen(Some(4), Some(5)), "the agent answered");
        assert!(!read(3).is_seen(Some(6), Some(5)), "the customer wrote again");
    }

    #[test]
    fn a_room_marked_unread_stays_unread_until_answered() {
        let unread = SeenMark { number: 5, unread_at: Some(5) };
        assert!(!unread.is_seen(Some(4), Some(5)));
        assert!(!unread.is_seen(Some(6), Some(5)));
        assert!(unread.is_seen(Some(6), Some(7)));
    }
}
