//! Rules for opening rooms (wire facts 3.2).

use std::sync::Arc;

use crate::app::App;
use crate::decision::change::{Change, RoomChange};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::{AppId, RoomId, UserKey};
use crate::people::user::UserRef;
use crate::refusal::Refusal;
use crate::rooms::joining;
use crate::rooms::room::{Pair, Room, RoomKind, RoomRef, RoomUniqueId};

/// The fields of a request to open a room.
#[derive(Debug, Clone)]
pub struct RoomInput {
    /// Unique id that the client chose; the server creates one if it is `None`.
    pub unique_id: Option<RoomUniqueId>,
    /// The user who requested the room.
    pub creator: Option<UserRef>,
    /// Display name.
    pub name: String,
    /// URL of a picture; an empty string if there is none.
    pub avatar_url: String,
    /// Text that the app stores with the room, usually JSON.
    pub options: String,
    /// The initial participants.
    pub participants: Vec<UserRef>,
}

impl RoomInput {
    /// Returns the room to be opened in this app, with this unique id.
    pub fn with_unique_id(self, app: AppId, unique_id: RoomUniqueId) -> NewRoom {
        let Self { name, avatar_url, options, participants, .. } = self;
        NewRoom { app, unique_id, name, avatar_url, options, participants }
    }
}

/// A room to be opened.
#[derive(Debug, Clone)]
pub struct NewRoom {
    pub app: AppId,
    /// Unique id from the client, or one that the server created.
    pub unique_id: RoomUniqueId,
    /// Display name.
    pub name: String,
    /// URL of a picture; an empty string if there is none.
    pub avatar_url: String,
    /// Text that the app stores with the room, usually JSON.
    pub options: String,
    /// The initial participants.
    pub participants: Vec<UserRef>,
}

impl NewRoom {
    fn room_ref(&self) -> RoomRef {
        RoomRef::Unique(self.unique_id.clone())
    }

    fn room(&self, kind: RoomKind, stamp: &Stamp<'_>) -> Room {
        let (id, unique_id) = (RoomId(stamp.next_id()), self.unique_id.clone());
        Room {
            name: self.name.clone(),
            avatar_url: self.avatar_url.clone(),
            options: self.options.clone(),
            ..Room::new(id, self.app, unique_id, kind, stamp.now)
        }
    }
}

/// Opens a group room. The creator must exist and is not added as a participant (wire facts 3.2).
pub struct OpenRoom {
    pub new: NewRoom,
    pub creator: Option<UserRef>,
}

impl Rule for OpenRoom {
    type Outcome = Arc<Room>;

    fn question(&self, _: &App) -> Question {
        let mut question = question(&self.new);
        question.users.extend(self.creator.as_ref().map(|it| it.user_id().clone()));
        question
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Self::Outcome>, Refusal> {
        let new = &self.new;
        if facts.found_room(&new.room_ref()).is_some() {
            return Err(Refusal::RoomExists(new.unique_id.as_str().to_owned()));
        }
        if let Some(creator) = &self.creator {
            facts.user(creator)?;
        }
        open(facts, new, RoomKind::Group, context.app.system_user, stamp)
    }
}

/// Opens a public room with a unique id. If the room exists, adds the participants who are missing
/// in it. The outcome states whether anything changed.
pub struct OpenChannel {
    pub new: NewRoom,
}

impl Rule for OpenChannel {
    type Outcome = (bool, Arc<Room>);

    fn question(&self, _: &App) -> Question {
        question(&self.new)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Self::Outcome>, Refusal> {
        channel(facts, &self.new, context.app.system_user, stamp)
    }
}

/// The single room of two users, which may not exist yet.
#[derive(Debug, Clone)]
pub struct PairRoom {
    pub pair: Pair,
    /// The room to be opened if it does not exist. Its unique id is derived from the pair.
    pub new: NewRoom,
}

impl PairRoom {
    /// Describes the room of two users in an app. `unique_id` must be derived from `pair.seed()`.
    pub fn new(app: AppId, pair: Pair, unique_id: RoomUniqueId, options: String) -> Self {
        let participants = pair.users().into_iter().cloned().collect();
        let (name, avatar_url) = (String::new(), String::new());
        Self { pair, new: NewRoom { app, unique_id, name, avatar_url, options, participants } }
    }

    /// Returns the reference that finds the room.
    pub fn room_ref(&self) -> RoomRef {
        self.new.room_ref()
    }
}

/// Returns the single room of two users, and opens it if there is none.
pub struct OpenPair {
    pub wanted: PairRoom,
}

impl Rule for OpenPair {
    type Outcome = Arc<Room>;

    fn question(&self, _: &App) -> Question {
        question(&self.wanted.new)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Self::Outcome>, Refusal> {
        pair(facts, &self.wanted, context.app.system_user, stamp)
    }
}

/// Returns the facts that rules need to open a room.
pub(crate) fn question(new: &NewRoom) -> Question {
    Question {
        rooms: vec![new.room_ref()],
        users: new.participants.iter().map(|user| user.user_id().clone()).collect(),
        finds_members: true,
        counts_participants: true,
        ..Question::default()
    }
}

pub(crate) fn channel(
    facts: &Facts,
    new: &NewRoom,
    system_user: UserKey,
    stamp: &Stamp<'_>,
) -> Result<Decision<(bool, Arc<Room>)>, Refusal> {
    let Some(found) = facts.found_room(&new.room_ref()) else {
        let opened = open(facts, new, RoomKind::Public, system_user, stamp)?;
        return Ok(Decision::new(opened.changes, (true, opened.outcome)));
    };
    if found.room.kind != RoomKind::Public {
        return Err(Refusal::WrongRoomKind {
            room: new.unique_id.as_str().to_owned(),
            kind: found.room.kind.as_str(),
            wanted: "channel",
        });
    }
    let joined = joining::add(facts, &new.room_ref(), &new.participants, system_user, stamp)?;
    let outcome = (!joined.changes.is_empty(), found.room.clone());
    Ok(Decision::new(joined.changes, outcome))
}

pub(crate) fn pair(
    facts: &Facts,
    wanted: &PairRoom,
    system_user: UserKey,
    stamp: &Stamp<'_>,
) -> Result<Decision<Arc<Room>>, Refusal> {
    match facts.found_room(&wanted.room_ref()) {
        Some(found) if found.room.kind == RoomKind::Single => {
            Ok(Decision::nothing(found.room.clone()))
        }
        Some(_) => Err(Refusal::RoomExists(wanted.new.unique_id.as_str().to_owned())),
        None => open(facts, &wanted.new, RoomKind::Single, system_user, stamp),
    }
}

fn open(
    facts: &Facts,
    new: &NewRoom,
    kind: RoomKind,
    system_user: UserKey,
    stamp: &Stamp<'_>,
) -> Result<Decision<Arc<Room>>, Refusal> {
    let room = new.room(kind, stamp);
    let users = joining::people(facts, None, &new.participants, system_user)?;
    let mut changes = vec![Change::Room(RoomChange::Insert(room.clone()))];
    changes.extend(users.iter().map(|user| {
        Change::Room(RoomChange::AddParticipant {
            room: room.id,
            user: user.key,
            read_number: 0,
            at: stamp.now,
        })
    }));
    // `audience` increases by one for each initial participant.
    let room = Room { audience: users.len() as i64, ..room };
    Ok(Decision::new(changes, Arc::new(room)))
}
