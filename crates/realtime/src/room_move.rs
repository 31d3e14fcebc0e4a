//! Joins and leaves within one commit. Events are published to the users who were participants when
//! the event happened. A later read of the store no longer returns users who left in the same
//! commit, so they are found here.

use std::collections::HashSet;

use confab_domain::decision::commit_event::CommitEvent;
use confab_domain::ids::{RoomId, UserKey};

use super::hints::Hint;

/// A user who joined or left a room.
#[derive(Debug, Clone, Copy)]
pub(super) struct RoomMove {
    room: RoomId,
    user: UserKey,
    is_in: bool,
}

impl RoomMove {
    pub(super) fn of_commit_event(news: &CommitEvent) -> Option<Self> {
        match *news {
            CommitEvent::Audience { room, user, is_in } => Some(Self { room, user, is_in }),
            _ => None,
        }
    }

    pub(super) fn of_hint(hint: &Hint) -> Option<Self> {
        match *hint {
            Hint::Member { room, user, is_in } => {
                Some(Self { room: RoomId(room), user: UserKey(user), is_in })
            }
            _ => None,
        }
    }
}

/// The joins and leaves within one batch of commit events or hints, with their indexes in the
/// batch. Usually empty.
pub(super) struct Moves(Vec<(usize, RoomMove)>);

impl Moves {
    /// Collects the joins and leaves of a batch.
    pub(super) fn among<Told>(told: &[Told], of: impl Fn(&Told) -> Option<RoomMove>) -> Self {
        let moves = told.iter().enumerate().filter_map(|(place, it)| Some((place, of(it)?)));
        Self(moves.collect())
    }

    /// Returns the users who are in the room at this index of the batch and leave it later in the
    /// batch.
    pub(super) fn leaving(&self, room: RoomId, place: usize) -> Vec<UserKey> {
        let (mut moved, mut leaving) = (HashSet::new(), Vec::new());
        let later = self.0.iter().filter(|(at, it)| *at > place && it.room == room);
        for (_, next) in later {
            if moved.insert(next.user) && !next.is_in {
                leaving.push(next.user);
            }
        }
        leaving
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaving_returns_users_whose_next_move_is_to_leave_the_room() {
        let at = |room, user, is_in| {
            let (room, user) = (RoomId(room), UserKey(user));
            Some(RoomMove { room, user, is_in })
        };
        let events =
            [None, at(1, 5, false), at(2, 6, false), at(1, 7, true), None, at(1, 7, false)];
        let moves = Moves::among(&events, |it| *it);
        assert_eq!(moves.leaving(RoomId(1), 0), [UserKey(5)]);
        assert_eq!(moves.leaving(RoomId(1), 4), [UserKey(7)]);
        assert_eq!(moves.leaving(RoomId(3), 0), []);
    }
}
