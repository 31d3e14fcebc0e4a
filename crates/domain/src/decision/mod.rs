//! The one shape of every write: a question, the facts found for it, and a decision.
//!
//! The store loads facts and applies changes within one transaction; a rule only looks and decides.

pub mod commit_event;
pub mod right;

use std::sync::Arc;

use crate::client::ClientChange;
use crate::decision::commit_event::Event;
use crate::ids::{DeliveryId, EndpointId, EventId, MessageId, RoomId, UserKey};
use crate::messages::message::{MessageRef, Said};
use crate::omnichannel::{OmniChange, OmniFacts, OmniQuestion};
use crate::people::user::{User, UserId, UserRef};
use crate::push::pushing::PushFacts;
use crate::refusal::Refusal;
use crate::rooms::room::{LastMessage, Room, RoomRef};
use crate::service::customer_room::ServiceFacts;
use crate::time::Timestamp;
use crate::webhooks::delivery::{Attempt, Delivery, Lane, Progress};
use crate::webhooks::endpoint::{Endpoint, Failing};
use crate::webhooks::notice::NoticeKind;

/// What a rule wants to know, all within one app.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// These rooms, locked until the decision is written.
    pub rooms: Vec<RoomRef>,
    /// Whoever has one of these names, in whichever realm: the rule says who is meant (D-0065).
    pub users: Vec<UserId>,
    /// Also which of the users are participants of the rooms.
    pub finds_members: bool,
    /// Also up to where each of those participants is.
    pub finds_participations: bool,
    /// The users, too, are locked until the decision is written, because it may change them.
    pub locks_users: bool,
    /// These messages.
    pub messages: Vec<MessageRef>,
    /// Also how many participants the rooms have.
    pub counts_participants: bool,
    /// The app's endpoints for these kinds of notices, with how far this lane is.
    pub endpoints: Option<(Lane, Vec<NoticeKind>)>,
    /// Also the phones of the rooms' participants and of the users, to push to.
    pub finds_devices: bool,
    /// What is asked of the omnichannel half.
    pub omni: Option<OmniQuestion>,
}

/// What the store found. A thing asked for and not found is missing.
#[derive(Debug, Default)]
pub struct Facts {
    /// The rooms, each with the reference it was asked by.
    pub rooms: Vec<(RoomRef, RoomFacts)>,
    /// The users.
    pub users: Vec<Arc<User>>,
    /// The messages, each with the reference it was asked by.
    pub messages: Vec<(MessageRef, Said)>,
    /// The endpoints, switched off ones included, each with the last sequence of the lane.
    pub endpoints: Vec<(Arc<Endpoint>, u64)>,
    /// What pushing needs to know.
    pub pushes: PushFacts,
    /// What was found of the omnichannel half.
    pub omni: OmniFacts,
}

/// What is known of one room.
#[derive(Debug, Clone)]
pub struct RoomFacts {
    /// The room.
    pub room: Arc<Room>,
    /// Its newest message.
    pub last: Option<LastMessage>,
    /// Which of the users asked about are participants, when the question wants to find them.
    pub members: Vec<UserKey>,
    /// Up to where those members are, when the question wants to find that.
    pub participations: Vec<(UserKey, Participation)>,
    /// How many participants it has, when the question counts them.
    pub participants: usize,
}

/// Up to which number a participant is in a room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Participation {
    /// Everything up to here is read; posting is reading (D-0019).
    pub read_number: u64,
    /// Everything up to here arrived.
    pub received_number: u64,
    /// Nothing up to here is shown to them any more.
    pub cleared_number: u64,
}

impl Facts {
    /// What a room is to its customer.
    pub fn service(&self, room: RoomId) -> Option<&ServiceFacts> {
        self.omni.services.iter().find(|it| it.customer_room.room == room)
    }

    /// Whether an endpoint of the kind is switched on.
    pub fn has_endpoint(&self, kind: NoticeKind) -> bool {
        self.endpoints.iter().any(|(endpoint, _)| endpoint.kind == kind && endpoint.is_enabled)
    }

    /// The room asked for by this reference.
    pub fn room(&self, room: &RoomRef) -> Result<&RoomFacts, Refusal> {
        self.found_room(room).ok_or_else(|| Refusal::RoomNotFound(room.shown()))
    }

    /// The room asked for by this reference, if it exists.
    pub fn found_room(&self, room: &RoomRef) -> Option<&RoomFacts> {
        self.rooms.iter().find(|(asked, _)| asked == room).map(|(_, facts)| facts)
    }

    /// The user, if it exists. A name alone is the app's own user.
    pub fn found_user(&self, user: &UserRef) -> Option<&Arc<User>> {
        self.users.iter().find(|found| user.is(found))
    }

    /// The user. A name alone is the app's own user.
    pub fn user(&self, user: &UserRef) -> Result<&Arc<User>, Refusal> {
        self.found_user(user).ok_or_else(|| unknown([user]))
    }

    /// The same within a room, whose members the question must have asked for: a name alone is the
    /// room's customer, else the app's own user, else whoever is there by that name; and the app's
    /// own user if nobody is.
    pub fn found_user_in(&self, room: &RoomFacts, user: &UserRef) -> Option<&Arc<User>> {
        let UserRef::Named(user_id) = user else { return self.found_user(user) };
        let is_there = |found: &&Arc<User>| room.members.contains(&found.key);
        let there = self.users.iter().filter(|it| it.user_id == *user_id).filter(is_there);
        there.max_by_key(|it| room.room.rank_of(it)).or_else(|| self.found_user(user))
    }

    /// The user that is meant within a room.
    pub fn user_in(&self, room: &RoomFacts, user: &UserRef) -> Result<&Arc<User>, Refusal> {
        self.found_user_in(room, user).ok_or_else(|| unknown([user]))
    }

    /// All these users, or a refusal naming every one that is unknown; within a room, if one is
    /// given.
    pub fn all_users(
        &self,
        room: Option<&RoomFacts>,
        users: &[UserRef],
    ) -> Result<Vec<Arc<User>>, Refusal> {
        let found = |user: &UserRef| match room {
            Some(room) => self.found_user_in(room, user),
            None => self.found_user(user),
        };
        let all: Vec<_> = users.iter().filter_map(found).cloned().collect();
        if all.len() == users.len() {
            return Ok(all);
        }
        Err(unknown(users.iter().filter(|user| found(user).is_none())))
    }

    /// The message asked for by this reference.
    pub fn message(&self, message: &MessageRef) -> Option<&Said> {
        self.messages.iter().find(|(asked, _)| asked == message).map(|(_, said)| said)
    }

    /// The newest message id among the rooms: ids made for them must be greater.
    pub fn newest_message(&self) -> i64 {
        let last = |(_, facts): &(RoomRef, RoomFacts)| facts.last.map(|last| last.id.0);
        self.rooms.iter().filter_map(last).max().unwrap_or(0)
    }
}

fn unknown<'a>(users: impl IntoIterator<Item = &'a UserRef>) -> Refusal {
    Refusal::UsersNotFound(users.into_iter().map(|user| user.as_str().to_owned()).collect())
}

/// Makes times and ids. The server's clock does in earnest; tests bring their own.
pub trait Stamps: Send + Sync {
    /// The time now.
    fn now(&self) -> Timestamp;
    /// A new id, greater than `after` and than every id made before.
    fn next_id(&self, after: i64) -> i64;
    /// From now on ids carry this node's number, so that no two nodes make the same one.
    fn serve_as(&self, node: i64);
}

/// The time of a decision, and new ids for it.
pub struct Stamp<'a> {
    /// When the decision is made.
    pub now: Timestamp,
    stamps: &'a dyn Stamps,
    newest: i64,
}

impl<'a> Stamp<'a> {
    /// A stamp for a decision upon these facts.
    pub fn new(stamps: &'a dyn Stamps, facts: &Facts) -> Self {
        Self { now: stamps.now(), stamps, newest: facts.newest_message() }
    }

    /// A new id, greater than that of every message of the rooms decided upon.
    pub fn next_id(&self) -> i64 {
        self.stamps.next_id(self.newest)
    }
}

/// What a rule wants done, and what the caller is told once it is durable. No `Debug`: changes may
/// hold tokens and must not reach a log.
pub struct Decision<Outcome> {
    /// To be written as one transaction, in this order.
    pub changes: Vec<Change>,
    /// For the caller.
    pub outcome: Outcome,
}

impl<Outcome> Decision<Outcome> {
    /// Nothing to write.
    pub fn nothing(outcome: Outcome) -> Self {
        Self { changes: Vec::new(), outcome }
    }
}

/// One change of the stored state.
#[derive(Clone)]
pub enum Change {
    /// A new message at the end of its room.
    InsertMessage {
        /// The message and who says it.
        said: Arc<Said>,
        /// Where.
        room: Arc<Room>,
    },
    /// Something else happened to messages, which those in the room are shown.
    InsertEvent(Event),
    /// What happened to messages before this id, in all apps, is forgotten.
    ForgetEvents {
        /// The first that stays.
        before: EventId,
    },
    /// The message loses its content and is listed no more (D-0020).
    DeleteMessage {
        /// Where it is.
        room: RoomId,
        /// Its number there.
        number: u64,
        /// The message.
        id: MessageId,
    },
    /// A new user.
    InsertUser(NewUser),
    /// A changed profile.
    UpdateUser {
        /// The user as it shall be.
        user: User,
        /// A new password's hash, when it changes.
        password_hash: Option<String>,
    },
    /// The user's old token stops working.
    SetToken {
        /// Whose.
        user: UserKey,
        /// The new one.
        token: String,
    },
    /// A new room.
    InsertRoom(Room),
    /// A changed room.
    UpdateRoom(Room),
    /// A user comes into a room.
    AddParticipant {
        /// The room.
        room: RoomId,
        /// Who.
        user: UserKey,
        /// What was said before is not unread for them (D-0019).
        read_number: u64,
        /// When.
        at: Timestamp,
    },
    /// A user leaves a room.
    RemoveParticipant {
        /// The room.
        room: RoomId,
        /// Who.
        user: UserKey,
    },
    /// An endpoint as it shall be; it may be new. An app has one for each kind and name.
    PutEndpoint(Endpoint),
    /// Deliveries of the endpoint wait, or go on.
    SetPaused {
        /// Which.
        endpoint: EndpointId,
        /// Whether they wait.
        is_paused: bool,
    },
    /// The endpoint answers, does not answer, or gets nothing any more.
    SetHealth {
        /// Which.
        endpoint: EndpointId,
        /// Since when it fails.
        failing: Option<Failing>,
        /// Whether deliveries are made for it.
        is_enabled: bool,
    },
    /// A notice for an endpoint, next in its lane.
    InsertDelivery(Delivery),
    /// An attempt was made, and this is how far the delivery is now.
    RecordAttempt {
        /// Which.
        delivery: DeliveryId,
        /// Its lane, which leads to it.
        lane: Lane,
        /// What happened.
        attempt: Attempt,
        /// How far it is.
        progress: Progress,
    },
    /// The delivery is sent again, from the beginning of its plan.
    Replay {
        /// Which.
        delivery: DeliveryId,
        /// Its lane, which leads to it.
        lane: Lane,
        /// When it was asked for.
        at: Timestamp,
        /// A new id: what is asked for later has a greater one.
        mark: i64,
    },
    /// Something that a client keeps about itself.
    Client(ClientChange),
    /// Whether a user is there, as this node sees it.
    SetPresence {
        /// Who.
        user: UserKey,
        /// Whether they are.
        is_online: bool,
        /// Since when, or when they were last seen.
        at: Timestamp,
        /// Who says so.
        node: i64,
    },
    /// Nobody is connected to this node.
    EndPresences {
        /// Which.
        node: i64,
    },
    /// Something of the omnichannel half.
    Omni(OmniChange),
}

/// A user who does not exist yet.
#[derive(Clone)]
pub struct NewUser {
    /// The profile.
    pub user: User,
    /// The token they connect with.
    pub token: String,
    /// The hash of their password, when they have one.
    pub password_hash: Option<String>,
}
