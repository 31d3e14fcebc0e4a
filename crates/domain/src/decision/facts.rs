//! Facts: the data that the store loads to answer a rule's question.

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
use crate::support::annotations::note::NoteFacts;
use crate::support::annotations::tag::StoredTag;
use crate::support::automation::auto_reply::AllAutoReplies;
use crate::support::automation::canned_reply::CannedReplyKey;
use crate::support::conversations::customer_room::{Candidate, CustomerRoom, SupportFacts};
use crate::support::settings::Settings;
use crate::time::Timestamp;
use crate::webhooks::chat_message_facts::ChatMessageFacts;
use crate::webhooks::endpoint::Endpoint;
use crate::webhooks::event::CustomerProperty;
use crate::webhooks::event_kind::EventKind;

/// The data that the store loads for a rule's question. Requested items that do not exist are
/// missing.
#[derive(Debug, Default)]
pub struct Facts {
    /// The requested rooms that exist, each with the reference in the question.
    pub rooms: Vec<(RoomRef, RoomFacts)>,
    pub users: Vec<Arc<User>>,
    /// The requested messages that exist, each with the reference in the question.
    pub messages: Vec<(MessageRef, PostedMessage)>,
    /// Ids of the `messages` that were edited after they were posted.
    pub edited: Vec<MessageId>,
    /// The requested endpoints, including disabled ones, each with the last sequence number in the
    /// requested lane.
    pub endpoints: Vec<(Arc<Endpoint>, u64)>,
    pub pushes: PushFacts,
    /// Facts for webhooks to endpoints that receive every message.
    pub chat_message_facts: ChatMessageFacts,
    /// Facts about customer support.
    pub omni: OmnichannelFacts,
}

impl Facts {
    /// Returns the support facts of a room, if it is a customer's room.
    pub fn service(&self, room: RoomId) -> Option<&SupportFacts> {
        self.omni.services.iter().find(|it| it.customer_room.room == room)
    }

    /// Whether the app has an enabled endpoint of the kind.
    pub fn has_endpoint(&self, kind: EventKind) -> bool {
        self.endpoints.iter().any(|(endpoint, _)| endpoint.kind == kind && endpoint.is_enabled)
    }

    /// Returns the room that the reference names, or a refusal.
    pub fn room(&self, room: &RoomRef) -> Result<&RoomFacts, Refusal> {
        self.found_room(room).ok_or_else(|| Refusal::RoomNotFound(room.shown()))
    }

    /// Returns the room that the reference names, if it exists.
    pub fn found_room(&self, room: &RoomRef) -> Option<&RoomFacts> {
        self.rooms.iter().find(|(asked, _)| asked == room).map(|(_, facts)| facts)
    }

    /// Returns the user to whom the reference resolves without a room, if there is exactly one.
    pub fn found_user(&self, user: &UserRef) -> Option<&Arc<User>> {
        user.found_in(&self.users)
    }

    /// Returns the user to whom the reference resolves without a room, or a refusal.
    pub fn user(&self, user: &UserRef) -> Result<&Arc<User>, Refusal> {
        user.resolved_in(&self.users)
    }

    /// Returns the user to whom the reference resolves within a room. A name means the room's
    /// customer, else the app's own user, else any other participant with this name. If no
    /// participant has the name, it resolves as without a room. The question must have requested
    /// the participants with `finds_members`.
    pub fn found_user_in(&self, room: &RoomFacts, user: &UserRef) -> Option<&Arc<User>> {
        let (UserRef::Named(user_id) | UserRef::Addressed(user_id)) = user else {
            return self.found_user(user);
        };
        let is_there = |found: &&Arc<User>| room.members.contains(&found.key);
        let there = self.users.iter().filter(|it| it.user_id == *user_id).filter(is_there);
        there.max_by_key(|it| room.room.rank_of(it)).or_else(|| self.found_user(user))
    }

    /// Returns the user to whom the reference resolves within a room, or a refusal.
    pub fn user_in(&self, room: &RoomFacts, user: &UserRef) -> Result<&Arc<User>, Refusal> {
        self.found_user_in(room, user).ok_or_else(|| self.unresolved([user]))
    }

    /// Returns all of these users, or a refusal that names the first ambiguous user or else every
    /// unknown one. References resolve within the room, if one is given.
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

    /// Returns the refusal for users that were not found. It names the first ambiguous user, or
    /// else all of them.
    fn unresolved<'a>(&self, users: impl IntoIterator<Item = &'a UserRef>) -> Refusal {
        let users: Vec<&UserRef> = users.into_iter().collect();
        let ambiguity = users.iter().find_map(|user| user.ambiguity_in(&self.users));
        ambiguity.unwrap_or_else(|| {
            Refusal::UsersNotFound(users.into_iter().map(UserRef::address).collect())
        })
    }

    /// Returns the message that the reference names, if it exists.
    pub fn message(&self, message: &MessageRef) -> Option<&PostedMessage> {
        self.messages.iter().find(|(asked, _)| asked == message).map(|(_, posted)| posted)
    }

    /// Returns the largest message id in the requested rooms. New ids in these rooms must be
    /// greater.
    pub fn newest_message(&self) -> i64 {
        let last = |(_, facts): &(RoomRef, RoomFacts)| facts.last.map(|last| last.id.0);
        self.rooms.iter().filter_map(last).max().unwrap_or(0)
    }
}

/// The facts about one room.
#[derive(Debug, Clone)]
pub struct RoomFacts {
    pub room: Arc<Room>,
    pub last: Option<LastMessage>,
    /// The requested users who are participants of the room, if `finds_members` is set.
    pub members: Vec<UserKey>,
    /// Positions of the `members` in the room, if `finds_participations` is set.
    pub participations: Vec<(UserKey, Participation)>,
    /// Number of participants, if `counts_participants` is set; else 0.
    pub participants: usize,
}

/// A participant's positions in a room, as message numbers; 0 if there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Participation {
    /// Number of the newest message that the participant read. Posting counts as reading.
    pub read_number: u64,
    /// Number of the newest message that reached the participant's client.
    pub received_number: u64,
    /// Number of the newest message that is hidden from the participant because they cleared the
    /// room.
    pub cleared_number: u64,
}

/// The data that the store loads for an [`OmnichannelQuestion`].
///
/// [`OmnichannelQuestion`]: crate::decision::question::OmnichannelQuestion
#[derive(Default)]
pub struct OmnichannelFacts {
    /// Current role and expiry of the sign-in that the decision's right refers to; `None` if the
    /// sign-in does not exist.
    pub standing: Option<SignInState>,
    /// Support facts of those requested rooms that are customers' rooms.
    pub services: Vec<SupportFacts>,
    /// Automatic replies that apply in the requested room.
    pub auto_replies: AllAutoReplies,
    pub settings: Settings,
    /// The app's stored state, if `finds_app` is set.
    pub app: Option<App>,
    /// Agents of the requested [`CandidateScope`].
    ///
    /// [`CandidateScope`]: crate::decision::question::CandidateScope
    pub candidates: Vec<Candidate>,
    /// The requested agents.
    pub agents: Vec<Candidate>,
    /// The requested accounts.
    pub accounts: Vec<Account>,
    /// Agent of any app who signs in with the requested e-mail address.
    pub email_of: Option<AgentId>,
    /// Number of the app's admins, if `counts_admins` is set.
    pub admins: usize,
    /// Number of the app's agents, if an e-mail address was requested.
    pub agent_count: usize,
    /// The requested channels.
    pub channels: Vec<Channel>,
    pub divisions: Vec<Division>,
    /// The canned replies that the requested agent may use.
    pub canned_replies: Vec<CannedReplyKey>,
    /// Health of the requested provider channel.
    pub channel_health: Option<ProviderHealth>,
    /// Stored message with the requested id at its provider, if there is one.
    pub external_message: Option<ChannelMessage>,
    /// Time of the customer's last message in the requested room, by the clock of the customer's
    /// provider.
    pub last_inbound_at: Option<Timestamp>,
    /// Whether messages of agents through the requested room's channel get the provider's human
    /// agent tag.
    pub tags_people: bool,
    /// Newest room of the requested customer.
    pub customer_room: Option<CustomerRoom>,
    /// Hash of the requested customer's visitor secret, if they have one.
    pub visitor_secret: Option<String>,
    /// Expiry time of the requested nonce.
    pub nonce_until: Option<Timestamp>,
    /// Facts about the requested upload.
    pub upload: UploadFacts,
    /// The requested tags.
    pub tags: Vec<StoredTag>,
    /// Facts about the notes of the requested room.
    pub notes: NoteFacts,
    /// Properties of the requested customer; `None` if the app has no such customer.
    pub properties: Option<Vec<CustomerProperty>>,
    /// The values before the change, for the audit log.
    pub before: BeforeFacts,
}

/// The values before a change, for the audit log. Only the field for the requested value is set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BeforeFacts {
    pub auto_replies: AllAutoReplies,
    pub button_label: Option<String>,
    /// Text and language of the canned reply.
    pub canned_reply: Option<(String, String)>,
    /// The agent's divisions, sorted by id.
    pub divisions: Vec<DivisionId>,
}

impl std::fmt::Debug for OmnichannelFacts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Omit the fields: they hold keys.
        f.write_str("OmniFacts")
    }
}
