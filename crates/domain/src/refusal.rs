//! Why a rule said no: the caller's fault, shown to the caller, one variant per reason.

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

/// Why nothing was done. Each says in one sentence what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Fields are wrong.
    #[error("{}", first_problem(.0))]
    Invalid(Vec<FieldProblem>),
    /// No such room in this app.
    #[error("Room {0} does not exist in this app; create it first.")]
    RoomNotFound(String),
    /// No such users in this app.
    #[error("Unknown users: {}; register them first.", .0.join(", "))]
    UsersNotFound(Vec<String>),
    /// Several customers of this app have the name.
    #[error(
        "User {user} is ambiguous: customers of several channels have this user id. Send the \
         channel's id, a colon and the user id: {}.",
        some_of(.addresses)
    )]
    UserAmbiguous {
        /// The name that the caller sent.
        user: String,
        /// How each of the customers is named.
        addresses: Vec<String>,
    },
    /// No such messages in this app.
    #[error("Unknown messages: {}; nothing was deleted.", .0.join(", "))]
    MessagesNotFound(Vec<String>),
    /// No such message in this app, or it is deleted.
    #[error("Message {0} does not exist here, or is deleted.")]
    MessageNotFound(String),
    /// Only who said something changes or deletes it.
    #[error("Message {0} is not yours; only who posted a message changes or deletes it.")]
    NotYourMessage(String),
    /// The sender is not in the room.
    #[error("User {user} is not a participant of room {room}; add the user first.")]
    NotAParticipant {
        /// Who wanted to post.
        user: String,
        room: String,
    },
    /// No customer writes in the room.
    #[error("Room {0} is not a customer's room.")]
    NotACustomerRoom(String),
    /// No such agent in this app.
    #[error("Agent {0} does not exist in this app.")]
    AgentNotFound(i64),
    /// The e-mail address or the password is wrong, or the account changed meanwhile.
    #[error("The e-mail address or the password is wrong.")]
    WrongSignIn,
    /// Somebody who is signed in does not know their own password.
    #[error("The password is wrong.")]
    WrongPassword,
    /// The app's keys are not as they were when the step was wanted.
    #[error("Somebody changed the app's keys meanwhile; look at how they stand now.")]
    KeysChanged,
    /// The code was used, is too old, or was never made.
    #[error("The link is good no more; ask for another one.")]
    WrongSignInCode,
    /// The token is good no more.
    #[error("The token in Authorization is no longer good; sign in again.")]
    SignedOut,
    /// The caller has another role.
    #[error("Only {} may do this.", role_names(.0))]
    WrongRole(&'static [Role]),
    /// The caller's role changed between authentication and the decision.
    #[error("Your role changed while this request was processed. Send it again.")]
    RoleChanged,
    /// The caller is the customer of a channel, and the call is for the app's own users.
    #[error("Customers may use only their own conversations; this call is for the app's users.")]
    NotForCustomers,
    /// An app that has an admin keeps one.
    #[error("This is the last admin of the app; make somebody else an admin first.")]
    LastAdmin,
    /// Somebody signs in with the address already.
    #[error("This e-mail address cannot be used; choose another one.")]
    EmailTaken,
    /// Nobody deletes or demotes themselves.
    #[error("You cannot delete your own account or change your own role; ask another admin.")]
    OwnAccount,
    /// An admin took the agent offline.
    #[error("An admin took you offline; ask them to let you come back.")]
    ForcedOffline,
    /// The app has as many agents as it may.
    #[error("At most {0} people may work in an app; delete somebody first.")]
    TooManyAgentsInApp(usize),
    /// No such sign-in of theirs.
    #[error("This sign-in does not exist, or is over.")]
    SignInNotFound,
    /// No such channel in this app.
    #[error("Channel {0} does not exist in this app.")]
    ChannelNotFound(i64),
    /// There is no open session.
    #[error("The conversation of room {0} is resolved.")]
    SessionResolved(String),
    /// There is nothing to be opened again.
    #[error("Room {0} has no resolved conversation that could be opened again.")]
    NotResolved(String),
    /// The customer does not write in the room any more.
    #[error("The customer of room {0} has a newer conversation in another room.")]
    LeftBehind(String),
    /// The agent serves the room already.
    #[error("Agent {agent} already serves room {room}.")]
    AlreadyAssigned { agent: i64, room: String },
    /// The agent does not serve the room.
    #[error("Agent {agent} does not serve room {room}.")]
    NotAssigned { agent: i64, room: String },
    /// The agent does not serve the channel.
    #[error("Agent {0} does not serve the channel of this room.")]
    WrongChannel(i64),
    /// No more agents may serve the room.
    #[error("Room {room} may have at most {agents_max} agents.")]
    TooManyAgents {
        room: String,
        /// How many.
        agents_max: u32,
    },
    /// Nothing comes in or goes out.
    #[error("The channel {0} is switched off.")]
    ChannelOff(String),
    /// Its customers must write first.
    #[error("Nobody can be written to first through a channel of this kind; only WhatsApp can.")]
    CannotStart,
    /// The customer's service takes only templates now.
    #[error("The customer's window is closed: wait until they write.")]
    WindowClosed {
        /// When the window closed; nothing if the customer never wrote.
        until: Option<Timestamp>,
    },
    /// Two channels cannot be told apart by the same key.
    #[error("Another channel of this app has this identifier_key; choose another one.")]
    ChannelKeyTaken,
    /// A service's account is one channel, so that two do not take each other's messages away.
    #[error("This account is connected already, as another channel of this app.")]
    AccountConnected,
    /// The app has as many channels as it may have.
    #[error("This app has {channels_max} channels already; delete one first.")]
    TooManyChannels {
        /// How many.
        channels_max: usize,
    },
    /// Only who serves the room answers in it.
    #[error("You do not serve room {0}; be assigned first.")]
    NotServing(String),
    /// The nonce is unknown, was used, or is too old.
    #[error("The nonce is unknown, used or expired; ask for a new one.")]
    NonceNotGood,
    /// The app wants visitors of the widget to show who they are.
    #[error(
        "Show who this visitor is: send the visitor_secret of their first visit, or an \
         identity_token of the app's server for this user_id and nonce."
    )]
    VisitorNotProven,
    /// The caller is an agent who does not serve the room and may not take it.
    #[error("You do not serve room {0}, and may not take it.")]
    NotYourRoom(String),
    /// Somebody serves the room.
    #[error("Somebody serves room {0} already.")]
    AlreadyServed(String),
    /// No agent may take the customer now.
    #[error("No agent is free for this customer; try again later.")]
    NobodyFree,
    /// No customer waits for an agent.
    #[error("No customer waits for an agent.")]
    NobodyWaits,
    /// Nobody can act for the app.
    #[error("The app has no admin in whose name this can be done; create one first.")]
    NoAdmin,
    /// No such button in this app.
    #[error("Custom button {0} does not exist in this app.")]
    ButtonNotFound(i64),
    /// No such division in this app.
    #[error("Division {0} does not exist in this app.")]
    DivisionNotFound(i64),
    /// No such canned reply that who asks may see.
    #[error("Canned reply {0} does not exist, or is somebody else's.")]
    CannedReplyNotFound(i64),
    /// No such note beside the room.
    #[error("Note {0} does not exist beside this conversation.")]
    NoteNotFound(i64),
    /// Somebody else wrote it.
    #[error("Note {0} is somebody else's.")]
    NotYourNote(i64),
    /// The button is switched off.
    #[error("Custom button {0} is switched off.")]
    ButtonOff(i64),
    /// Nothing is known by this key.
    #[error("Nothing is known as {0} in this room.")]
    InfoNotFound(String),
    /// No such property of the customer.
    #[error("Property {0} does not exist of this contact.")]
    PropertyNotFound(i64),
    /// No such tag in this app.
    #[error("Tag {0} does not exist in this app.")]
    TagOfAppNotFound(i64),
    /// The tag is not on the room.
    #[error("Tag {tag} is not on room {room}.")]
    TagNotFound { tag: i64, room: String },
    /// No such customer in this app.
    #[error("Contact {0} does not exist in this app.")]
    ContactNotFound(i64),
    /// More are not kept.
    #[error("There may be at most {max} {what}.")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many.
        max: usize,
    },
    /// The user was deactivated.
    #[error("User {0} is deactivated; reactivate the user first.")]
    UserDeactivated(String),
    /// The System user is not for callers.
    #[error("User {0} is the System user of this app and cannot be used here.")]
    SystemUser(String),
    /// The replied message is not in the room.
    #[error("Message {0} is not in this room; reply to a message of the same room.")]
    RepliedMessageNotInRoom(i64),
    /// The unique id was used for a message that is deleted.
    #[error("A message with unique id {0} was posted and deleted; use a new unique id.")]
    MessageDeleted(String),
    /// Another message has the unique id.
    #[error(
        "The unique id {unique_id} belongs to a message with another {}; use a new one.",
        .differs.join(" and ")
    )]
    UniqueIdTaken {
        unique_id: String,
        /// Parts of the message that differ.
        differs: Vec<&'static str>,
    },
    /// The unique id names another room.
    #[error("A room with unique id {0} exists already.")]
    RoomExists(String),
    /// The room is of another kind than the call needs.
    #[error("Room {room} is a {kind} room; this call takes {wanted} rooms.")]
    WrongRoomKind {
        /// The room.
        room: String,
        /// What it is.
        kind: &'static str,
        /// What the call takes.
        wanted: &'static str,
    },
    /// The room would have too many participants.
    #[error("Room {0} would have more than 10000 participants.")]
    RoomFull(String),
    /// Who is in a customer's room is not for its clients to say.
    #[error("Room {0} serves a customer; who is in it is decided by those who serve.")]
    CustomersRoom(String),
    /// Somebody does not want to hear from the sender.
    #[error("You cannot write in room {0}: the other one blocked you.")]
    Blocked(String),
    /// The app has as many bytes of files as it may have; waiting does not help.
    #[error(
        "This app has no room for the file (app_upload_bytes_max is {bytes_max}); its operator \
         must make some."
    )]
    AppUploadsFull {
        /// How many.
        bytes_max: u64,
    },
    /// The user added as many bytes as one may on a day.
    #[error(
        "You uploaded too much today (user_upload_bytes_per_day is {bytes_max}); try again tomorrow."
    )]
    UserUploadedMuch {
        /// How many.
        bytes_max: u64,
        /// When the next day begins.
        wait_s: u64,
    },
    /// There is no such kind of webhook.
    #[error("There is no webhook {0}; the kinds are {kinds}.", kinds = kinds())]
    KindNotFound(String),
    /// Nobody wants to be told of this kind.
    #[error("No endpoint is registered for {0}; register one first.")]
    EndpointNotFound(&'static str),
    /// Something else has it.
    #[error("This endpoint for {0} belongs to a button, a channel or the operator.")]
    EndpointInUse(&'static str),
    /// Nothing can be made up for this kind.
    #[error(
        "There is no example of {0}: it goes to phones or services, not to a receiver of yours."
    )]
    NoExample(&'static str),
    /// No such delivery in this app.
    #[error("Delivery {0} does not exist in this app, or was forgotten.")]
    DeliveryNotFound(String),
    /// Webhooks lead to webhooks.
    #[error(
        "Too many webhooks led to this request; do not cause another one while you handle one."
    )]
    WebhookLoop,
}

fn kinds() -> String {
    EventKind::ALL.map(EventKind::as_str).join(", ")
}

/// The first few of several alternatives.
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
