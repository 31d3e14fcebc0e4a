//! The rules that import an app from another server: a group of lines of one kind per decision
//! (D-0173).
//!
//! Existing values stay as they are, so the same lines may be imported again. Integer ids are
//! assigned in the order of the lines; unique ids, times and deletions are preserved. An import
//! causes no webhooks, pushes or realtime events, because everything in it happened long ago.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::app::App;
use crate::channels::channel::{Channel, ChannelKind};
use crate::decision::change::{
    Change, ChannelChange, MessageChange, NewUser, RoomChange, SupportChange, UserChange,
};
use crate::decision::facts::{Facts, RoomFacts};
use crate::decision::question::{OmnichannelQuestion, Question};
use crate::decision::rule::Decision;
use crate::decision::stamp::Stamp;
use crate::field_problem::FieldProblem;
use crate::ids::{ChannelId, MessageId, RoomId, UserKey};
use crate::limits;
use crate::messages::message::{Message, MessageRef, PostedMessage};
use crate::messages::unique_id::UniqueId;
use crate::moving::moved::{
    MovedChannel, MovedMessage, MovedName, MovedParticipant, MovedRoom, MovedSession, MovedSupport,
    MovedUser,
};
use crate::moving::names::MovedNames;
use crate::people::user::{User, UserId, UserRef};
use crate::refusal::Refusal;
use crate::rooms::room::{LastMessage, Room, RoomKind, RoomRef, RoomUniqueId};
use crate::support::conversations::customer_room::CustomerRoom;
use crate::webhooks::event::Session;

/// Lines of an export file, all of one kind, each with its line number.
pub enum MovedLines {
    Channels(Vec<(u64, MovedChannel)>),
    Users(Vec<(u64, MovedUser)>),
    Rooms(Vec<(u64, MovedRoom)>),
    Participants(Vec<(u64, MovedParticipant)>),
    Messages(Vec<(u64, MovedMessage)>),
    Sessions(Vec<(u64, MovedSession)>),
}

/// Optional permissions of an import. A line that needs a missing permission is refused.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportRights {
    /// Whether lines may add participants, messages and sessions to rooms that the app had before
    /// the import.
    pub joins_rooms: bool,
    /// Whether messages and sessions are attributed to the app's agents, found by their e-mail
    /// addresses.
    pub matches_agents: bool,
}

/// Imports a group of lines: all of them or none. No `Debug`: it holds tokens.
pub struct ImportLines {
    pub app: Arc<App>,
    pub names: Arc<MovedNames>,
    pub lines: MovedLines,
    /// Random secrets, one per line: the tokens of new users, or the keys of new channels.
    pub secrets: Vec<String>,
    pub rights: ImportRights,
    /// The newest room of the app before the import. Rooms with greater ids were created by the
    /// import.
    pub newest_room: RoomId,
}

/// The result of importing a group of lines.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ImportOutcome {
    /// Number of lines that created something. Lines with participants are always counted, even if
    /// the participants existed before.
    pub new: u64,
    /// Ids of the imported channels: on the exporting server, then on this server.
    pub channels: Vec<(ChannelId, ChannelId)>,
}

/// Determines which of these messages the app already has.
pub struct FindImportedMessages {
    pub messages: Vec<UniqueId>,
}

impl FindImportedMessages {
    pub fn question(&self) -> Question {
        Question { messages: refs(&self.messages), ..Question::default() }
    }

    /// Returns the unique ids of the messages that exist. Changes nothing.
    pub fn decide(&self, facts: &Facts) -> Decision<HashSet<UniqueId>> {
        let found = facts.messages.iter().filter_map(|(asked, _)| match asked {
            MessageRef::Unique(unique_id) => Some(unique_id.clone()),
            MessageRef::Id(_) => None,
        });
        Decision::nothing(found.collect())
    }
}

impl ImportLines {
    /// Returns the facts that the import needs. The rooms stay locked until the lines are written.
    /// `finds_members` costs a read per user and room, and is needed only for rooms that seem full.
    pub fn question(&self, finds_members: bool) -> Question {
        match &self.lines {
            MovedLines::Channels(_) => {
                let omni =
                    OmnichannelQuestion { finds_channels: true, ..OmnichannelQuestion::default() };
                Question { omni: Some(omni), ..Question::default() }
            }
            MovedLines::Users(lines) => Question {
                users: self.user_ids(lines.iter().map(|(_, it)| &it.name)),
                locks_users: true,
                ..Question::default()
            },
            MovedLines::Rooms(lines) => {
                let services = lines.iter().filter_map(|(_, it)| it.service.as_ref());
                Question {
                    rooms: rooms(lines.iter().map(|(_, it)| &it.unique_id)),
                    users: self.user_ids(services.map(|it| &it.customer)),
                    ..Question::default()
                }
            }
            MovedLines::Participants(lines) => Question {
                rooms: rooms(lines.iter().map(|(_, it)| &it.room)),
                users: self.user_ids(lines.iter().map(|(_, it)| &it.user)),
                finds_members,
                counts_participants: true,
                ..Question::default()
            },
            MovedLines::Messages(lines) => Question {
                rooms: rooms(lines.iter().map(|(_, it)| &it.room)),
                users: self.user_ids(lines.iter().map(|(_, it)| &it.sender)),
                messages: refs(lines.iter().map(|(_, it)| &it.unique_id)),
                ..Question::default()
            },
            MovedLines::Sessions(lines) => {
                let named = lines.iter().flat_map(|(_, it)| [&it.first_message, &it.last_message]);
                let omni =
                    OmnichannelQuestion { finds_support: true, ..OmnichannelQuestion::default() };
                Question {
                    rooms: rooms(lines.iter().map(|(_, it)| &it.room)),
                    messages: refs(named),
                    omni: Some(omni),
                    ..Question::default()
                }
            }
        }
    }

    /// Returns the changes that the lines cause. On [`Refusal::RoomFull`] the caller decides again
    /// with `finds_members`.
    pub fn decide(
        &self,
        facts: &Facts,
        stamp: &Stamp<'_>,
        finds_members: bool,
    ) -> Result<Decision<ImportOutcome>, Refusal> {
        match &self.lines {
            MovedLines::Channels(lines) => self.channels(lines, facts, stamp),
            MovedLines::Users(lines) => self.users(lines, facts, stamp),
            MovedLines::Rooms(lines) => self.rooms(lines, facts, stamp),
            MovedLines::Participants(lines) => self.participants(lines, facts, finds_members),
            MovedLines::Messages(lines) => self.messages(lines, facts, stamp),
            MovedLines::Sessions(lines) => self.sessions(lines, facts),
        }
    }

    /// Maps each channel to the app's channel of the same kind and name, and a widget channel to
    /// the app's widget channel. Creates channels that do not exist, as disabled ones.
    fn channels(
        &self,
        lines: &[(u64, MovedChannel)],
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<ImportOutcome>, Refusal> {
        let (mut changes, mut imported) = (Vec::new(), ImportOutcome::default());
        let mut here: Vec<Channel> = facts.omni.channels.clone();
        for ((line, moved), key) in lines.iter().zip(&self.secrets) {
            let is_it = |it: &&Channel| {
                it.kind == moved.kind && (it.name == moved.name || it.kind == ChannelKind::Widget)
            };
            let id = match here.iter().find(is_it) {
                Some(found) => found.id,
                None if here.len() >= limits::IMPORTED_CHANNELS_MAX => {
                    let channels_max = limits::IMPORTED_CHANNELS_MAX;
                    let problem = format!("exceeds the maximum of {channels_max} channels");
                    return Err(wrong(*line, problem));
                }
                None => {
                    let channel = self.channel(moved, key, stamp);
                    changes.push(Change::Channel(ChannelChange::Put(channel.clone())));
                    here.push(channel);
                    imported.new += 1;
                    here[here.len() - 1].id
                }
            };
            imported.channels.push((moved.id, id));
        }
        Ok(Decision::new(changes, imported))
    }

    fn channel(&self, moved: &MovedChannel, key: &str, stamp: &Stamp<'_>) -> Channel {
        Channel {
            id: ChannelId(stamp.next_id()),
            app: self.app.id,
            kind: moved.kind,
            name: moved.name.clone(),
            is_active: false,
            identifier_key: key.to_owned(),
            webhook_url: None,
            logo_url: None,
            phone: String::new(),
            created_at: stamp.now,
            updated_at: stamp.now,
            deleted_at: None,
        }
    }

    fn users(
        &self,
        lines: &[(u64, MovedUser)],
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<ImportOutcome>, Refusal> {
        let mut known: HashSet<UserRef> = facts.users.iter().map(|it| it.itself()).collect();
        let mut changes = Vec::new();
        for ((line, moved), token) in lines.iter().zip(&self.secrets) {
            self.agent(*line, moved.agent.as_ref())?;
            let here = self.user_ref(*line, &moved.name)?;
            if !known.insert(here.clone()) {
                continue;
            }
            let user = User {
                key: UserKey(stamp.next_id()),
                app: self.app.id,
                realm: here.realm(),
                user_id: here.user_id().clone(),
                username: moved.username.clone(),
                avatar_url: moved.avatar_url.clone(),
                extras: moved.extras.clone(),
                is_active: moved.is_active,
                created_at: moved.created_at,
                updated_at: moved.updated_at,
            };
            let new = NewUser { user, token: token.clone(), password_hash: None };
            changes.push(UserChange::Insert(new).into());
        }
        Ok(counted(changes))
    }

    fn rooms(
        &self,
        lines: &[(u64, MovedRoom)],
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<ImportOutcome>, Refusal> {
        let (mut changes, mut made) = (Vec::new(), HashSet::new());
        for (line, moved) in lines {
            let found = facts.found_room(&RoomRef::Unique(moved.unique_id.clone()));
            if let Some(other) = found.filter(|it| it.room.kind != moved.kind) {
                let kind = other.room.kind.as_str();
                return Err(wrong(*line, format!("names a room that already exists as a {kind}")));
            }
            if let Some(found) = found {
                self.check_room(*line, &found.room)?;
            }
            if found.is_some() || !made.insert(&moved.unique_id) {
                continue;
            }
            let (id, unique_id) = (RoomId(stamp.next_id()), moved.unique_id.clone());
            let mut room = Room {
                name: moved.name.clone(),
                avatar_url: moved.avatar_url.clone(),
                options: moved.options.clone(),
                updated_at: moved.updated_at,
                ..Room::new(id, self.app.id, unique_id, moved.kind, moved.created_at)
            };
            let service = match &moved.service {
                Some(service) => Some(self.service(*line, service, &room, facts)?),
                None => None,
            };
            room.customer = service.as_ref().map(|it| it.customer);
            changes.push(RoomChange::Insert(room).into());
            let service = service.map(|it| SupportChange::PutCustomerRoom(Box::new(it)));
            changes.extend(service.map(Change::from));
        }
        let new = made.len() as u64;
        Ok(Decision::new(changes, ImportOutcome { new, ..ImportOutcome::default() }))
    }

    fn service(
        &self,
        line: u64,
        moved: &MovedSupport,
        room: &Room,
        facts: &Facts,
    ) -> Result<CustomerRoom, Refusal> {
        let channel = self.names.channel(moved.channel);
        let channel = channel.ok_or_else(|| wrong(line, NO_CHANNEL.to_owned()))?;
        Ok(CustomerRoom {
            room: room.id,
            app: self.app.id,
            channel,
            customer: self.user(line, &moved.customer, facts)?.key,
            session: None,
            waits_since: moved.waits_since,
            is_handled_by_bot: moved.is_handled_by_bot,
            bot_duty: moved.bot_duty,
            brand: moved.brand.clone(),
            extras: moved.extras.clone(),
            badge_url: moved.badge_url.clone(),
            created_at: moved.created_at,
            updated_at: moved.updated_at,
        })
    }

    /// Adds participants. The store ignores users who are in the room already.
    fn participants(
        &self,
        lines: &[(u64, MovedParticipant)],
        facts: &Facts,
        finds_members: bool,
    ) -> Result<Decision<ImportOutcome>, Refusal> {
        let mut changes = Vec::new();
        let mut added: HashMap<RoomId, HashSet<UserKey>> = HashMap::new();
        for (line, moved) in lines {
            let found = self.found_room(*line, &moved.room, facts)?;
            let (room, user) = (found.room.id, self.user(*line, &moved.user, facts)?);
            if user.key == self.app.system_user {
                return Err(wrong(*line, "names the System user, who is in no room".to_owned()));
            }
            let added = added.entry(room).or_default();
            if !found.members.contains(&user.key) {
                added.insert(user.key);
            }
            let most = participants_max(found.room.kind);
            if found.participants + added.len() > most {
                let problem = format!("adds more than {most} participants to its room");
                return Err(match finds_members {
                    true => wrong(*line, problem),
                    false => Refusal::RoomFull(moved.room.as_str().to_owned()),
                });
            }
            let (user, read_number, at) = (user.key, moved.read_number, moved.joined_at);
            changes.push(RoomChange::AddParticipant { room, user, read_number, at }.into());
        }
        Ok(counted(changes))
    }

    fn messages(
        &self,
        lines: &[(u64, MovedMessage)],
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<ImportOutcome>, Refusal> {
        let mut known = places(facts);
        let mut last: HashMap<RoomId, LastMessage> = HashMap::new();
        let (mut changes, mut new) = (Vec::new(), 0);
        for (line, moved) in lines {
            let found = self.found_room(*line, &moved.room, facts)?;
            let RoomFacts { room, last: last_found, .. } = found;
            if let Some((_, there)) = known.get(&moved.unique_id) {
                if *there != room.id {
                    let unique_id = &moved.unique_id;
                    let problem = format!("has unique id {unique_id} of a message in another room");
                    return Err(wrong(*line, problem));
                }
                continue;
            }
            let sender = self.user(*line, &moved.sender, facts)?;
            let before = last.get(&room.id).copied().or(*last_found);
            let message = message(moved, room.id, sender.key, before, stamp);
            let (id, number) = (message.id, message.number);
            last.insert(room.id, LastMessage { id, number });
            known.insert(moved.unique_id.clone(), (id, room.id));
            let posted = Arc::new(PostedMessage { message, sender: sender.clone() });
            changes.push(MessageChange::Insert { posted, room: room.clone() }.into());
            if moved.is_deleted {
                changes.push(MessageChange::Delete { room: room.id, number, id }.into());
            }
            new += 1;
        }
        Ok(Decision::new(changes, ImportOutcome { new, ..ImportOutcome::default() }))
    }

    /// Imports sessions with their ids, in ascending order per room. A session that is not newer
    /// than its room's newest session counts as already imported.
    fn sessions(
        &self,
        lines: &[(u64, MovedSession)],
        facts: &Facts,
    ) -> Result<Decision<ImportOutcome>, Refusal> {
        let known = places(facts);
        let mut now: HashMap<RoomId, CustomerRoom> = HashMap::new();
        let (mut changes, mut new) = (Vec::new(), 0);
        for (line, moved) in lines {
            let room = self.found_room(*line, &moved.room, facts)?.room.id;
            let found = now.get(&room).or_else(|| Some(&facts.service(room)?.customer_room));
            let Some(found) = found else {
                return Err(wrong(*line, "names a room that is not a customer's".to_owned()));
            };
            if found.session.as_ref().is_some_and(|newest| newest.id >= moved.id) {
                continue;
            }
            let message = |unique_id: &UniqueId| {
                let found = known.get(unique_id).filter(|(_, it)| *it == room).map(|(id, _)| *id);
                found.ok_or_else(|| {
                    wrong(*line, format!("names message {unique_id}, which does not exist"))
                })
            };
            let messages = (message(&moved.first_message)?, message(&moved.last_message)?);
            for email in [&moved.served_by, &moved.resolved_by, &moved.first_reply_by] {
                self.agent(*line, email.as_ref())?;
            }
            let session = self.session(moved, room, messages);
            let served_by = session.served_by.filter(|_| session.resolved_at.is_none());
            let waits = session.resolved_at.is_none() && served_by.is_none();
            let waits_since = waits.then(|| found.waits_since.unwrap_or(session.first_message_at));
            let put = CustomerRoom { session: Some(session), waits_since, ..found.clone() };
            changes.push(SupportChange::PutCustomerRoom(Box::new(put.clone())).into());
            let at = moved.taken_at.unwrap_or(moved.updated_at);
            let serves = served_by.map(|agent| SupportChange::AddAgent { room, agent, at });
            changes.extend(serves.map(Change::from));
            now.insert(room, put);
            new += 1;
        }
        Ok(Decision::new(changes, ImportOutcome { new, ..ImportOutcome::default() }))
    }

    fn session(
        &self,
        moved: &MovedSession,
        room: RoomId,
        (first_message, last_message): (MessageId, MessageId),
    ) -> Session {
        Session {
            id: moved.id,
            app: self.app.id,
            room,
            served_by: self.names.agent(moved.served_by.as_ref()),
            taken_at: moved.taken_at,
            notes: moved.notes.clone(),
            first_message,
            first_message_at: moved.first_message_at,
            last_message,
            created_at: moved.created_at,
            updated_at: moved.updated_at,
            resolved_at: moved.resolved_at,
            resolved_by: self.names.agent(moved.resolved_by.as_ref()),
            first_reply_at: moved.first_reply_at,
            first_reply_by: self.names.agent(moved.first_reply_by.as_ref()),
            reopened_at: moved.reopened_at,
            rating: moved.rating,
            rated_at: moved.rated_at,
            rating_asked_at: moved.rating_asked_at,
            unheard_since: moved.unheard_since,
        }
    }

    fn user_ids<'a>(&self, names: impl Iterator<Item = &'a MovedName>) -> Vec<UserId> {
        let users = names.filter_map(|name| self.names.user(name));
        let users: BTreeSet<UserId> = users.map(|user| user.user_id().clone()).collect();
        users.into_iter().collect()
    }

    /// Fails if the room existed before the import and lines may not add to such rooms.
    fn check_room(&self, line: u64, room: &Room) -> Result<(), Refusal> {
        if self.rights.joins_rooms || room.id > self.newest_room {
            return Ok(());
        }
        let room = room.unique_id.as_str();
        let problem = format!("is about room {room}, which existed before the import");
        Err(wrong(line, format!("{problem}; use --join-rooms to add to such rooms")))
    }

    /// Fails if the address belongs to an agent of this app and lines may not be attributed to
    /// agents.
    fn agent(&self, line: u64, email: Option<&String>) -> Result<(), Refusal> {
        if self.rights.matches_agents || self.names.agent(email).is_none() {
            return Ok(());
        }
        let problem = "names an agent of this app; use --match-agents to attribute lines to agents";
        Err(wrong(line, problem.to_owned()))
    }

    fn found_room<'a>(
        &self,
        line: u64,
        room: &RoomUniqueId,
        facts: &'a Facts,
    ) -> Result<&'a RoomFacts, Refusal> {
        let found = facts.found_room(&RoomRef::Unique(room.clone())).ok_or_else(|| {
            wrong(line, format!("names room {}, which no earlier line created", room.as_str()))
        })?;
        self.check_room(line, &found.room)?;
        Ok(found)
    }

    fn user_ref(&self, line: u64, name: &MovedName) -> Result<UserRef, Refusal> {
        self.names.user(name).ok_or_else(|| match name.channel {
            Some(_) => wrong(line, NO_CHANNEL.to_owned()),
            None => no_user(line, name),
        })
    }

    fn user<'a>(
        &self,
        line: u64,
        name: &MovedName,
        facts: &'a Facts,
    ) -> Result<&'a Arc<User>, Refusal> {
        facts.found_user(&self.user_ref(line, name)?).ok_or_else(|| no_user(line, name))
    }
}

fn no_user(line: u64, name: &MovedName) -> Refusal {
    wrong(line, format!("names user {}, whom no earlier line created", name.user.as_str()))
}

const NO_CHANNEL: &str = "names a channel that no earlier line created";

/// Returns the outcome for changes that each create one value.
fn counted(changes: Vec<Change>) -> Decision<ImportOutcome> {
    let new = changes.len() as u64;
    Decision::new(changes, ImportOutcome { new, ..ImportOutcome::default() })
}

fn message(
    moved: &MovedMessage,
    room: RoomId,
    sender: UserKey,
    before: Option<LastMessage>,
    stamp: &Stamp<'_>,
) -> Message {
    Message {
        id: MessageId(stamp.next_id()),
        room,
        number: before.map_or(0, |it| it.number) + 1,
        before: before.map(|it| it.id),
        sender,
        kind: moved.kind,
        text: moved.text.clone(),
        payload: moved.payload.clone(),
        extras: moved.extras.clone(),
        client_unique_id: Some(moved.unique_id.clone()),
        posted_at: moved.posted_at,
        // For a deleted message, a separate change deletes it after this one.
        is_deleted: false,
    }
}

/// Returns the id and room of each message that the app already has, by its unique id.
fn places(facts: &Facts) -> HashMap<UniqueId, (MessageId, RoomId)> {
    let place = |(asked, posted): &(MessageRef, PostedMessage)| match asked {
        MessageRef::Unique(id) => Some((id.clone(), (posted.message.id, posted.message.room))),
        MessageRef::Id(_) => None,
    };
    facts.messages.iter().filter_map(place).collect()
}

/// Returns the maximum number of participants that the API allows.
fn participants_max(kind: RoomKind) -> usize {
    match kind {
        RoomKind::Single => 2,
        RoomKind::Group | RoomKind::Public => limits::ROOM_PARTICIPANTS_MAX,
    }
}

fn rooms<'a>(unique_ids: impl Iterator<Item = &'a RoomUniqueId>) -> Vec<RoomRef> {
    let unique_ids: BTreeSet<&RoomUniqueId> = unique_ids.collect();
    unique_ids.into_iter().cloned().map(RoomRef::Unique).collect()
}

fn refs<'a>(unique_ids: impl IntoIterator<Item = &'a UniqueId>) -> Vec<MessageRef> {
    let unique_ids: BTreeSet<&UniqueId> = unique_ids.into_iter().collect();
    unique_ids.into_iter().cloned().map(MessageRef::Unique).collect()
}

fn wrong(line: u64, problem: String) -> Refusal {
    FieldProblem::new(format!("line {line}"), problem).into()
}
