//! What the store found for a question.

use std::sync::Arc;

use crate::agents::account::Account;
use crate::agents::division::Division;
use crate::agents::right::SignInState;
use crate::app::App;
use crate::channels::channel::Channel;
use crate::channels::channel_message::ChannelMessage;
use crate::channels::provider_health::ProviderHealth;
use crate::files::upload_facts::UploadFacts;
use crate::ids::{AgentId, DivisionId, MessageId, RoomId, UserKey};
use crate::messages::message::{MessageRef, PostedMessage};
use crate::people::user::{User, UserRef};
use crate::push::push_facts::PushFacts;
use crate::refusal::Refusal;
use crate::rooms::room::{LastMessage, Room, RoomRef};
use crate::support::auto_reply::AllAutoReplies;
use crate::support::canned_reply::CannedReplyKey;
use crate::support::customer_room::{Candidate, CustomerRoom, SupportFacts};
use crate::support::note::NoteFacts;
use crate::support::settings::Settings;
use crate::support::tag::StoredTag;
use crate::time::Timestamp;
use crate::webhooks::chat_message_facts::ChatMessageFacts;
use crate::webhooks::endpoint::Endpoint;
use crate::webhooks::event::CustomerProperty;
use crate::webhooks::event_kind::EventKind;

/// What the store found. A thing asked for and not found is missing.
#[derive(Debug, Default)]
pub struct Facts {
    /// The rooms, each with the reference it was asked by.
    pub rooms: Vec<(RoomRef, RoomFacts)>,
    pub users: Vec<Arc<User>>,
    /// The messages, each with the reference it was asked by.
    pub messages: Vec<(MessageRef, PostedMessage)>,
    /// Those of them that were edited since they were posted.
    pub edited: Vec<MessageId>,
    /// The endpoints, switched off ones included, each with the last sequence of the lane.
    pub endpoints: Vec<(Arc<Endpoint>, u64)>,
    /// What pushing needs to know.
    pub pushes: PushFacts,
    /// What telling an app of every message needs to know.
    pub overheard: ChatMessageFacts,
    /// What was found of the omnichannel half.
    pub omni: OmniFacts,
}

impl Facts {
    /// What a room is to its customer.
    pub fn service(&self, room: RoomId) -> Option<&SupportFacts> {
        self.omni.services.iter().find(|it| it.customer_room.room == room)
    }

    /// Whether an endpoint of the kind is switched on.
    pub fn has_endpoint(&self, kind: EventKind) -> bool {
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

    /// The user that the reference resolves to outside of rooms, if there is one.
    pub fn found_user(&self, user: &UserRef) -> Option<&Arc<User>> {
        user.found_in(&self.users)
    }

    /// The user that the reference resolves to outside of rooms.
    pub fn user(&self, user: &UserRef) -> Result<&Arc<User>, Refusal> {
        user.resolved_in(&self.users)
    }

    /// The user that the reference resolves to within a room, whose members the question must have
    /// asked for: a name is the room's customer, else the app's own user, else whoever is there by
    /// that name. If nobody there has the name, it resolves as it does outside of rooms.
    pub fn found_user_in(&self, room: &RoomFacts, user: &UserRef) -> Option<&Arc<User>> {
        let (UserRef::Named(user_id) | UserRef::Addressed(user_id)) = user else {
            return self.found_user(user);
        };
        let is_there = |found: &&Arc<User>| room.members.contains(&found.key);
        let there = self.users.iter().filter(|it| it.user_id == *user_id).filter(is_there);
        there.max_by_key(|it| room.room.rank_of(it)).or_else(|| self.found_user(user))
    }

    /// The user that is meant within a room.
    pub fn user_in(&self, room: &RoomFacts, user: &UserRef) -> Result<&Arc<User>, Refusal> {
        self.found_user_in(room, user).ok_or_else(|| self.unresolved([user]))
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
        Err(self.unresolved(users.iter().filter(|user| found(user).is_none())))
    }

    /// The refusal of users that were not found, or of the first that may be several.
    fn unresolved<'a>(&self, users: impl IntoIterator<Item = &'a UserRef>) -> Refusal {
        let users: Vec<&UserRef> = users.into_iter().collect();
        let ambiguity = users.iter().find_map(|user| user.ambiguity_in(&self.users));
        ambiguity.unwrap_or_else(|| {
            Refusal::UsersNotFound(users.into_iter().map(UserRef::address).collect())
        })
    }

    /// The message asked for by this reference.
    pub fn message(&self, message: &MessageRef) -> Option<&PostedMessage> {
        self.messages.iter().find(|(asked, _)| asked == message).map(|(_, said)| said)
    }

    /// The newest message id among the rooms: ids made for them must be greater.
    pub fn newest_message(&self) -> i64 {
        let last = |(_, facts): &(RoomRef, RoomFacts)| facts.last.map(|last| last.id.0);
        self.rooms.iter().filter_map(last).max().unwrap_or(0)
    }
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

/// What the store found of the omnichannel half.
#[derive(Default)]
pub struct OmniFacts {
    /// What became of the sign-in that the decision rests on.
    pub standing: Option<SignInState>,
    /// What the rooms are to their customers.
    pub services: Vec<SupportFacts>,
    /// What is said in the room by itself.
    pub auto_replies: AllAutoReplies,
    /// The app's settings.
    pub settings: Settings,
    /// The app as it is now, if it was asked for.
    pub app: Option<App>,
    /// Agents who are there to take customers.
    pub candidates: Vec<Candidate>,
    /// The agents asked for.
    pub agents: Vec<Candidate>,
    /// The accounts asked for.
    pub accounts: Vec<Account>,
    /// Who signs in with the address asked for.
    pub email_of: Option<AgentId>,
    /// How many of them are admins, if they are counted.
    pub admins: usize,
    /// How many work in the app, if an address was asked for.
    pub agent_count: usize,
    /// The channels asked for.
    pub channels: Vec<Channel>,
    /// The app's divisions.
    pub divisions: Vec<Division>,
    /// The canned replies asked for.
    pub canned_replies: Vec<CannedReplyKey>,
    /// How the channel asked for is.
    pub channel_health: Option<ProviderHealth>,
    /// The message that a service knows by the name asked for.
    pub external_message: Option<ChannelMessage>,
    /// When the customer of the room asked for was last heard, by their service's clock.
    pub last_heard_at: Option<Timestamp>,
    /// Whether people who answer there are marked as such (D-0137).
    pub tags_people: bool,
    /// The newest room of the customer asked for.
    pub customer_room: Option<CustomerRoom>,
    /// The hash of their secret, if it was asked for and they have one.
    pub visitor_secret: Option<String>,
    /// Until when the nonce asked for is good.
    pub nonce_until: Option<Timestamp>,
    /// What is known about the file asked for.
    pub upload: UploadFacts,
    /// The tags asked for.
    pub tags: Vec<StoredTag>,
    /// What is known of the notes asked for.
    pub notes: NoteFacts,
    /// What is known about the customer asked for; nothing without such a customer in the app.
    pub properties: Option<Vec<CustomerProperty>>,
    /// What the audit compares with.
    pub before: BeforeFacts,
}

/// What is about to be changed, as it was: only what was asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BeforeFacts {
    pub auto_replies: AllAutoReplies,
    pub button_label: Option<String>,
    /// Text and language.
    pub canned_reply: Option<(String, String)>,
    /// In which the agent was, by their ids.
    pub divisions: Vec<DivisionId>,
}

impl std::fmt::Debug for OmniFacts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // It holds keys.
        f.write_str("OmniFacts")
    }
}
