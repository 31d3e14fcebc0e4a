//! Rooms as clients see them.

use confab_domain::ids::{RoomId, UserKey};
use confab_domain::rooms::room::{Room, RoomKind};
use confab_domain::rooms::room_view::{Participant, SeenRoom};

use crate::error::StoreError;
use crate::store::Store;

type Read<T> = Result<T, StoreError>;

/// Which of a user's rooms are wanted.
#[derive(Debug, Clone, Copy)]
pub struct SeenListing {
    /// Only rooms of this kind.
    pub kind: Option<RoomKind>,
    /// Also those in which nothing was said.
    pub shows_empty: bool,
    /// How many to leave out first.
    pub skipped: u64,
    /// How many to give.
    pub size: usize,
}

/// Which participants of a room are wanted.
#[derive(Debug, Clone, Copy)]
pub struct WhoIsIn {
    /// Those registered last come first.
    pub is_from_last: bool,
    /// How many to leave out first.
    pub skipped: u64,
    /// How many to give.
    pub size: usize,
}

impl WhoIsIn {
    /// The first so many.
    pub(crate) fn first(size: usize) -> Self {
        Self { is_from_last: false, skipped: 0, size }
    }
}

impl Store {
    /// A page of a user's rooms, the one last spoken in first, and how many there are; of a page
    /// past the end the number is not told.
    pub async fn rooms_of_user(
        &self,
        user: UserKey,
        listing: SeenListing,
    ) -> Read<(Vec<Room>, u64)> {
        match self {
            Self::Sqlite(engine) => {
                engine.read_long(move |reads| reads.rooms_of_user(user, listing)).await
            }
            Self::Postgres(engine) => engine.rooms_of_user(user, listing).await,
        }
    }

    /// These rooms as a user sees them, in this order, with so many of their participants.
    pub async fn seen_rooms(
        &self,
        viewer: UserKey,
        rooms: Vec<Room>,
        participants_max: usize,
    ) -> Read<Vec<SeenRoom>> {
        match self {
            Self::Sqlite(engine) => {
                let participants = participants_max;
                engine.read_long(move |reads| reads.seen_rooms(viewer, rooms, participants)).await
            }
            Self::Postgres(engine) => engine.seen_rooms(viewer, rooms, participants_max).await,
        }
    }

    /// Who is in a room, and how far each of them is.
    pub async fn who_is_in(&self, room: RoomId, which: WhoIsIn) -> Read<Vec<Participant>> {
        match self {
            Self::Sqlite(engine) => {
                engine.read_long(move |reads| reads.who_is_in(room, which)).await
            }
            Self::Postgres(engine) => engine.who_is_in(room, which).await,
        }
    }

    /// In how many rooms of a user something is unread.
    pub async fn unread_rooms(&self, user: UserKey) -> Read<u64> {
        match self {
            Self::Sqlite(engine) => engine.read_long(move |reads| reads.unread_rooms(user)).await,
            Self::Postgres(engine) => engine.unread_rooms(user).await,
        }
    }
}
