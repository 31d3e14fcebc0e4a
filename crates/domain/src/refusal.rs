//! Refusals: the reasons why a rule rejects a request, shown to the caller.

use crate::agents::role::Role;
use crate::field_problem::FieldProblem;
use crate::limits;
use crate::time::Timestamp;
use crate::webhooks::event_kind::EventKind;

impl From<FieldProblem> for Refusal {
    fn from(problem: FieldProblem) -> Self {
        Self::Invalid(vec![problem])
    }
}

/// A reason to reject a request; nothing was changed. The text names the problem and the remedy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Fields of the request are invalid.
    #[error("{}", first_problem(.0))]
    Invalid(Vec<FieldProblem>),
    /// The app has no such room.
    #[error("Room {0} does not exist in this app; create it first.")]
    RoomNotFound(String),
    /// The app has no such users.
    #[error("Unknown users: {}; register them first.", .0.join(", "))]
    UsersNotFound(Vec<String>),
    /// Customers of several channels have the user id.
    #[error(
        "User {user} is ambiguous: customers of several channels have this user id. Send the \
         channel's id, a colon and the user id: {}.",
        some_of(.addresses)
    )]
    UserAmbiguous {
        /// User id that the caller sent.
        user: String,
        /// Unambiguous address of each customer who has the user id.
        addresses: Vec<String>,
    },
    /// The app has no such messages.
    #[error("Unknown messages: {}. Nothing was deleted.", .0.join(", "))]
    MessagesNotFound(Vec<String>),
    /// The app has no such message, or it was deleted.
    #[error("Message {0} does not exist in this app or was deleted.")]
    MessageNotFound(String),
    /// The message was posted by another user.
    #[error("Message {0} was posted by another user. You can change or delete only your own.")]
    NotYourMessage(String),
    /// The user is not a participant of the room.
    #[error("User {user} is not a participant of room {room}. Add the user first.")]
    NotAParticipant { user: String, room: String },
    /// The room belongs to no customer.
    #[error("Room {0} is not a customer's room.")]
    NotACustomerRoom(String),
    /// The app has no such agent.
    #[error("Agent {0} does not exist in this app.")]
    AgentNotFound(i64),
    /// The e-mail address or the password is wrong, or the account changed during the sign-in.
    #[error("The e-mail address or the password is wrong.")]
    WrongSignIn,
    /// A signed-in agent entered a wrong password for their own account.
    #[error("The password is wrong.")]
    WrongPassword,
    /// The state of the app's keys does not allow the step, for example after a concurrent change.
    #[error("The app's keys have changed in the meantime. Reload their state before you go on.")]
    KeysChanged,
    /// The code was used, has expired or never existed.
    #[error("This link has expired or was used. Request a new one.")]
    WrongSignInCode,
    /// The token has expired or was revoked.
    #[error("The token in Authorization has expired or was revoked. Sign in again.")]
    SignedOut,
    /// The caller has none of the required roles.
    #[error("This requires the role {}.", role_names(.0))]
    WrongRole(&'static [Role]),
    /// The caller's role changed between authentication and the decision.
    #[error("Your role changed while this request was processed. Send it again.")]
    RoleChanged,
    /// The caller is a channel's customer, and the call is for the app's own users.
    #[error("Customers may use only their own conversations. This call is for the app's users.")]
    NotForCustomers,
    /// The change would delete or demote the app's last admin.
    #[error("This is the last admin of the app. Make another agent an admin first.")]
    LastAdmin,
    /// Another agent of this server has the e-mail address.
    #[error("This e-mail address cannot be used. Choose another one.")]
    EmailTaken,
    /// Agents cannot delete their own account or change their own role.
    #[error("You cannot delete your own account or change your own role. Ask another admin.")]
    OwnAccount,
    /// An admin forced the agent offline.
    #[error("An admin set you offline. Ask an admin to let you come back.")]
    ForcedOffline,
    /// The app has the maximum number of agents.
    #[error("This app already has {0} agents, the maximum. Delete one first.")]
    TooManyAgentsInApp(usize),
    /// The agent has no such sign-in, or it has ended.
    #[error("This sign-in does not exist or has ended.")]
    SignInNotFound,
    /// The app has no such channel.
    #[error("Channel {0} does not exist in this app.")]
    ChannelNotFound(i64),
    /// The room has no open session.
    #[error("The conversation in room {0} is resolved.")]
    SessionResolved(String),
    /// The room has no resolved session to reopen.
    #[error("Room {0} has no resolved conversation to reopen.")]
    NotResolved(String),
    /// The customer's newer conversation is in another room.
    #[error("The customer of room {0} has a newer conversation in another room.")]
    LeftBehind(String),
    /// The agent is already assigned to the room.
    #[error("Agent {agent} is already assigned to room {room}.")]
    AlreadyAssigned { agent: i64, room: String },
    /// The agent is not assigned to the room.
    #[error("Agent {agent} is not assigned to room {room}.")]
    NotAssigned { agent: i64, room: String },
    /// The agent may serve only other channels than the room's.
    #[error("Agent {0} may not serve the channel of this room.")]
    WrongChannel(i64),
    /// The room has the maximum number of agents.
    #[error("Room {room} may have at most {agents_max} agents.")]
    TooManyAgents { room: String, agents_max: u32 },
    /// The channel is switched off: it neither receives nor sends messages.
    #[error("Channel {0} is switched off. Switch it on first.")]
    ChannelOff(String),
    /// Customers of the channel must write first.
    #[error(
        "Customers of this kind of channel must write first. Only WhatsApp lets you write first."
    )]
    CannotStart,
    /// The messaging window after the customer's last message is closed: the provider accepts no
    /// such message now. WhatsApp still accepts templates.
    #[error("The customer's messaging window is closed. Wait until they write.")]
    WindowClosed {
        /// Time when the messaging window closed; `None` if the customer never wrote.
        until: Option<Timestamp>,
    },
    /// Another channel of the app has the same key.
    #[error("Another channel of this app has this identifier_key. Choose another one.")]
    ChannelKeyTaken,
    /// The account at the provider is already connected to another channel. Two channels of one
    /// account would each receive only a part of its messages.
    #[error("This account is connected already, as another channel of this app.")]
    AccountConnected,
    /// The app has the maximum number of channels.
    #[error("This app already has {channels_max} channels, the maximum. Delete one first.")]
    TooManyChannels { channels_max: usize },
    /// The agent must be assigned to the room to answer in it.
    #[error("You are not assigned to room {0}. Have yourself assigned first.")]
    NotServing(String),
    /// The nonce is unknown, was used or has expired.
    #[error("The nonce is unknown, used or expired. Request a new one.")]
    NonceNotGood,
    /// The app requires visitors of the widget to prove their identity.
    #[error(
        "This visitor must prove their identity. Send the visitor_secret of their first visit, or \
         an identity_token of the app's server for this user_id and nonce."
    )]
    VisitorNotProven,
    /// The agent is not assigned to the room and may not take it over.
    #[error("You are not assigned to room {0} and may not take it over.")]
    NotYourRoom(String),
    /// Another agent is assigned to the room.
    #[error("Another agent is already assigned to room {0}.")]
    AlreadyServed(String),
    /// No agent can be assigned to the customer now.
    #[error("No agent is free for this customer. Try again later.")]
    NobodyFree,
    /// No customer is waiting for an agent.
    #[error("No customer is waiting for an agent.")]
    NobodyWaits,
    /// The app has no admin who could act for it.
    #[error("This app has no admin to act on its behalf. Create one first.")]
    NoAdmin,
    /// The app has no such custom button.
    #[error("Custom button {0} does not exist in this app.")]
    ButtonNotFound(i64),
    /// The app has no such division.
    #[error("Division {0} does not exist in this app.")]
    DivisionNotFound(i64),
    /// The canned reply does not exist or belongs to another agent.
    #[error("Canned reply {0} does not exist or belongs to another agent.")]
    CannedReplyNotFound(i64),
    /// The room has no such note.
    #[error("This conversation has no note {0}.")]
    NoteNotFound(i64),
    /// The note was written by another agent.
    #[error("Note {0} was written by another agent. Only its author may change it.")]
    NotYourNote(i64),
    /// The button is switched off.
    #[error("Custom button {0} is switched off. Switch it on first.")]
    ButtonOff(i64),
    /// The room has no customer info with this key.
    #[error("This room has no info {0}.")]
    InfoNotFound(String),
    /// The customer has no such property.
    #[error("This contact has no property {0}.")]
    PropertyNotFound(i64),
    /// The app has no such tag.
    #[error("Tag {0} does not exist in this app.")]
    TagOfAppNotFound(i64),
    /// The tag is not on the room.
    #[error("Tag {tag} is not on room {room}.")]
    TagNotFound { tag: i64, room: String },
    /// The app has no such customer.
    #[error("Contact {0} does not exist in this app.")]
    ContactNotFound(i64),
    /// A collection would exceed its maximum size.
    #[error("At most {max} {what} are allowed.")]
    TooMany {
        /// Plural name of the collection's items.
        what: &'static str,
        max: usize,
    },
    /// The user was deactivated.
    #[error("User {0} is deactivated. Reactivate the user first.")]
    UserDeactivated(String),
    /// The request names the app's System user, which the call does not accept.
    #[error("User {0} is the System user of this app and cannot be used here.")]
    SystemUser(String),
    /// The message that the reply quotes is not in the room.
    #[error("Message {0} is not in this room. Reply to a message of the same room.")]
    RepliedMessageNotInRoom(i64),
    /// The unique id belongs to a deleted message.
    #[error("A message with unique id {0} was posted and deleted. Use a new unique id.")]
    MessageDeleted(String),
    /// Another message has the unique id.
    #[error(
        "The unique id {unique_id} belongs to a message with another {}. Use a new one.",
        .differs.join(" and ")
    )]
    UniqueIdTaken {
        unique_id: String,
        /// Names of the parts in which the two messages differ.
        differs: Vec<&'static str>,
    },
    /// Another room has the unique id.
    #[error("A room with unique id {0} exists already.")]
    RoomExists(String),
    /// The call does not accept rooms of this kind.
    #[error("Room {room} is a {kind} room. This call accepts only {wanted} rooms.")]
    WrongRoomKind {
        room: String,
        /// Public name of the room's kind.
        kind: &'static str,
        /// Public names of the kinds that the call accepts.
        wanted: &'static str,
    },
    /// The room would have more than the maximum number of participants.
    #[error("Room {0} would have more than 10000 participants.")]
    RoomFull(String),
    /// Clients may not change the participants of a customer's room.
    #[error("Room {0} belongs to a customer. Only agents may change its participants.")]
    CustomersRoom(String),
    /// The other participant of the single room blocked the sender.
    #[error("You cannot post in room {0}: the other participant blocked you.")]
    Blocked(String),
    /// The file would exceed the app's upload quota. Waiting does not help.
    #[error(
        "The file would exceed this app's upload quota (app_upload_bytes_max is {bytes_max}). Ask \
         the operator to raise it."
    )]
    AppUploadsFull { bytes_max: u64 },
    /// The file would exceed the user's daily upload quota.
    #[error(
        "The file would exceed your daily upload quota (user_upload_bytes_per_day is \
         {bytes_max}). Try again tomorrow."
    )]
    UserUploadedMuch {
        bytes_max: u64,
        /// Seconds until the next day begins.
        wait_s: u64,
    },
    /// There is no kind of webhook with this name.
    #[error("There is no webhook kind {0}. The kinds are {kinds}.", kinds = kinds())]
    KindNotFound(String),
    /// The app has no endpoint for this kind.
    #[error("No endpoint is registered for {0}; register one first.")]
    EndpointNotFound(&'static str),
    /// The endpoint can be changed only with the custom button or channel to which it belongs, or
    /// by the operator.
    #[error(
        "This endpoint for {0} belongs to a button, a channel or the operator. Change it there."
    )]
    EndpointInUse(&'static str),
    /// The kind of event has no example, because it is not sent to an app's endpoints.
    #[error(
        "There is no example of {0}: it is sent to devices or providers, not to your endpoints."
    )]
    NoExample(&'static str),
    /// The app has no such delivery.
    #[error("Delivery {0} does not exist in this app or was purged.")]
    DeliveryNotFound(String),
    /// The request was triggered by webhooks nested more than [`limits::WEBHOOK_DEPTH_MAX`] levels
    /// deep.
    #[error(
        "Webhook loop detected: this request was triggered by {depth} nested webhooks, each of \
         which caused the next. Ignore events that your own requests caused.",
        depth = limits::WEBHOOK_DEPTH_MAX
    )]
    WebhookLoop,
}

fn kinds() -> String {
    EventKind::ALL.map(EventKind::as_str).join(", ")
}

/// Joins the first [`limits::NAMED_ADDRESSES_MAX`] texts with "or".
fn some_of(texts: &[String]) -> String {
    let shown = texts.iter().take(limits::NAMED_ADDRESSES_MAX);
    shown.map(String::as_str).collect::<Vec<_>>().join(" or ")
}

fn role_names(roles: &[Role]) -> String {
    let names: Vec<_> = roles.iter().map(|role| role.as_str()).collect();
    names.join(" or ")
}

fn first_problem(problems: &[FieldProblem]) -> String {
    problems.first().map_or_else(|| "The request is not valid.".to_owned(), ToString::to_string)
}
