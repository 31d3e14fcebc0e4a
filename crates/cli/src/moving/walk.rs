//! Imports an app through another server's message API: users, their rooms, participants and
//! messages (design/moving).
//!
//! A room is read from its newest message back to the first page with a message that already
//! exists, so a restarted import reads only new messages. Messages that are posted during an import
//! are found by the next import.

use std::collections::HashSet;

use confab_domain::limits;
use confab_domain::moving::moved::{MovedParticipant, MovedRoom, MovedUser};
use confab_domain::people::user::UserId;
use confab_domain::rooms::room::{Pair, RoomKind, RoomUniqueId};
use confab_domain::time::Timestamp;
use confab_runtime::{clock, ids};
use confab_wire::moving::{
    FetchedComment, FetchedRoom, Line, comments, participants, rooms, users,
};

use super::importer::Importer;
use super::progress::Progress;
use super::service::Service;
use super::spool::Spool;
use crate::command_error::CommandError;

/// Imports all users and rooms of the other server's app, one room after another.
pub(super) async fn fetch(
    service: &Service,
    importer: &mut Importer,
    progress: &mut Progress,
) -> Result<(), CommandError> {
    let (seen_users, seen_rooms) = (HashSet::new(), HashSet::new());
    let mut walk =
        Walk { service, importer, progress, seen_users, seen_rooms, number: 0, oldest: None };
    let listed = walk.all_users().await?;
    for user in &listed {
        walk.rooms_of(user).await?;
    }
    walk.importer.flush().await
}

struct Walk<'a> {
    service: &'a Service,
    importer: &'a mut Importer,
    progress: &'a mut Progress,
    seen_users: HashSet<UserId>,
    seen_rooms: HashSet<String>,
    /// Number of the last line that was passed to the importer.
    number: u64,
    /// Time of the oldest message that was fetched from the current room.
    oldest: Option<Timestamp>,
}

impl Walk<'_> {
    /// Imports all users, and returns their ids.
    async fn all_users(&mut self) -> Result<Vec<UserId>, CommandError> {
        let mut names = Vec::new();
        for page in 1.. {
            let query = [("show_all", "true"), ("order_query", "created_at asc")];
            let answer = self.page("get_user_list", &query, page).await?;
            let listed = users(&answer, clock::now()).map_err(|why| format!("get_user_list {why}"));
            let mut listed = listed?;
            listed.retain(|it| !self.seen_users.contains(&it.name.user));
            if listed.is_empty() {
                break;
            }
            // The System user is in no room.
            names.extend(listed.iter().filter(|it| !it.is_system).map(|it| it.name.user.clone()));
            for user in listed {
                self.user(user).await?;
            }
        }
        Ok(names)
    }

    async fn rooms_of(&mut self, user: &UserId) -> Result<(), CommandError> {
        let mut seen = HashSet::new();
        for page in 1.. {
            let answer = self.page("get_user_rooms", &[("user_id", user.as_str())], page).await?;
            let listed = rooms(&answer).map_err(|why| format!("get_user_rooms {why}"))?;
            let listed: Vec<_> =
                listed.into_iter().filter(|it| seen.insert(it.id.clone())).collect();
            if listed.is_empty() {
                break;
            }
            for room in listed {
                if self.seen_rooms.insert(room.id.clone()) {
                    self.room(room).await?;
                }
            }
        }
        Ok(())
    }

    async fn room(&mut self, room: FetchedRoom) -> Result<(), CommandError> {
        let members = self.participants_of(&room).await?;
        let unique_id = unique_id(&room, &members);
        let mut spool = self.new_messages_of(&room, &unique_id).await?;
        let opened = self.oldest.take().unwrap_or_else(clock::now);
        let line = MovedRoom {
            unique_id: unique_id.clone(),
            kind: room.kind,
            name: room.name,
            avatar_url: room.avatar_url,
            options: room.options,
            created_at: opened,
            updated_at: opened,
            service: None,
        };
        self.take(Line::Room(line)).await?;
        // Mark all imported messages as read, so that a move leaves no room full of unread
        // messages.
        let read_number = spool.len() as u64;
        for user in members.into_iter().filter(|it| !it.is_system) {
            let (room, user) = (unique_id.clone(), user.name);
            let line = MovedParticipant { room, user, read_number, joined_at: opened };
            self.take(Line::Participant(line)).await?;
        }
        while let Some(line) = spool.pop()? {
            self.take(line).await?;
        }
        Ok(())
    }

    /// Imports and returns the participants of a room.
    async fn participants_of(
        &mut self,
        room: &FetchedRoom,
    ) -> Result<Vec<MovedUser>, CommandError> {
        let (mut members, mut seen) = (Vec::new(), HashSet::new());
        for page in 1.. {
            let answer = self.page("get_room_participants", &[("room_id", &room.id)], page).await?;
            let listed = participants(&answer, clock::now());
            let mut listed = listed.map_err(|why| format!("get_room_participants {why}"))?;
            listed.retain(|it| seen.insert(it.name.user.clone()));
            if listed.is_empty() {
                break;
            }
            for user in &listed {
                self.user(user.clone()).await?;
            }
            members.extend(listed);
        }
        Ok(members)
    }

    /// Fetches the messages of a room that were not yet imported, and imports their senders.
    async fn new_messages_of(
        &mut self,
        room: &FetchedRoom,
        unique_id: &RoomUniqueId,
    ) -> Result<Spool, CommandError> {
        let (mut spool, mut seen) = (Spool::new()?, HashSet::new());
        for page in 1.. {
            let answer = self.page("load_comments", &[("room_id", &room.id)], page).await?;
            let listed = comments(&answer, clock::now());
            let listed = listed.map_err(|why| format!("load_comments {why}"))?;
            let known = listed.iter().map(|it| it.unique_id.clone()).collect();
            let known = self.importer.known(known).await?;
            let (is_full, is_end) = (listed.len() >= limits::FETCHED_PER_CALL, !known.is_empty());
            let is_new = |it: &FetchedComment| {
                !known.contains(&it.unique_id) && seen.insert(it.unique_id.clone())
            };
            let new: Vec<_> = listed.into_iter().filter(is_new).collect();
            if new.is_empty() && is_full && !is_end {
                // More than one page of messages was posted since the previous request, or the
                // server repeats a page forever.
                return Err(format!(
                    "load_comments returns page {page} of room {} twice; run the import \
                     again with --join-rooms",
                    room.id
                )
                .into());
            }
            if new.is_empty() {
                break;
            }
            for comment in new {
                self.oldest = Some(comment.posted_at);
                self.user(comment.sender.clone()).await?;
                spool.push(comment.into_message(unique_id.clone()))?;
            }
        }
        Ok(spool)
    }

    async fn user(&mut self, user: MovedUser) -> Result<(), CommandError> {
        match self.seen_users.insert(user.name.user.clone()) {
            true => self.take(Line::User(user)).await,
            false => Ok(()),
        }
    }

    async fn take(&mut self, line: Line) -> Result<(), CommandError> {
        self.number += 1;
        let bytes = match &line {
            Line::Message(it) => {
                it.text.len() + it.payload.as_ref().map_or(0, |it| it.as_str().len())
            }
            _ => 0,
        };
        self.importer.take(self.number, line, bytes).await?;
        self.progress.show(self.importer.taken());
        Ok(())
    }

    async fn page(
        &self,
        call: &str,
        query: &[(&str, &str)],
        page: u64,
    ) -> Result<bytes::Bytes, CommandError> {
        let (page, limit) = (page.to_string(), limits::FETCHED_PER_CALL.to_string());
        let paged = [("page", page.as_str()), ("limit", limit.as_str())];
        self.service.get(call, &[query, &paged].concat()).await
    }
}

/// Returns the unique id of a room. For a single room without one, it is derived from the two
/// users.
fn unique_id(room: &FetchedRoom, members: &[MovedUser]) -> RoomUniqueId {
    let pair = match members {
        [one, other] if room.kind == RoomKind::Single && !room.has_unique_id => {
            Pair::new(one.name.user.clone(), other.name.user.clone()).ok()
        }
        _ => None,
    };
    pair.map_or_else(|| room.unique_id.clone(), |pair| ids::pair_unique_id(&pair))
}
