//! The reads: one statement each, so each sees one moment, and every commit answered before it.

mod client_rooms;

use std::sync::Arc;

use confab_domain::app::{App, AppCode};
use confab_domain::ids::{AppId, MessageId, RoomId, UserKey};
use confab_domain::limits;
use confab_domain::messages::message::{Message, Said};
use confab_domain::people::user::{User, UserId};
use confab_domain::rooms::room::{Room, RoomKind, RoomRef};
use confab_domain::webhooks::endpoint::Endpoint;

use super::readers::Readers;
use super::{Engine, rows};
use crate::error::StoreError;
use crate::listing::{RoomListing, UserListing};
use crate::pages::{MessageKey, PageEntry};
use crate::secrets::sealer::Place;
use crate::sql::as_offset;
use crate::statements::{self as sql, listed_users};

type Read<T> = Result<T, StoreError>;

impl Engine {
    pub(crate) async fn app(&self, code: &AppCode) -> Read<Option<App>> {
        let text = sql::APP_BY_CODE.postgres();
        let rows = self.readers.query("reading an app", text, &[&code.as_str()]).await?;
        rows.first().map(|row| rows::app(row, &self.sealer)).transpose()
    }

    pub(crate) async fn app_by_id(&self, app: AppId) -> Read<Option<App>> {
        let text = sql::APP_BY_ID.postgres();
        let rows = self.readers.query("reading an app", text, &[&app.0]).await?;
        rows.first().map(|row| rows::app(row, &self.sealer)).transpose()
    }

    pub(crate) async fn first_app(&self) -> Read<Option<App>> {
        let text = sql::FIRST_APP.postgres();
        let rows = self.readers.query("reading the first app", text, &[]).await?;
        rows.first().map(|row| rows::app(row, &self.sealer)).transpose()
    }

    pub(crate) async fn room(&self, app: AppId, room: &RoomRef) -> Read<Option<Room>> {
        match self.room_id(app, room).await? {
            Some(id) => self.room_by_id(app, id).await,
            None => Ok(None),
        }
    }

    async fn room_by_id(&self, app: AppId, room: RoomId) -> Read<Option<Room>> {
        let text = sql::ROOM_BY_ID.postgres();
        let rows = self.readers.query("reading a room", text, &[&room.0, &app.0]).await?;
        rows.first().map(rows::room).transpose()
    }

    pub(crate) async fn rooms(&self, app: AppId, asked: &[RoomRef]) -> Read<Vec<Room>> {
        let ids = self.room_ids(app, asked).await?;
        let wanted: Vec<i64> = ids.iter().map(|room| room.0).collect();
        let text = sql::POSTGRES_ROOMS.postgres();
        let rows = self.readers.query("reading rooms", text, &[&wanted, &app.0]).await?;
        let mut rooms = rows.iter().map(rows::room).collect::<Read<Vec<_>>>()?;
        rooms.sort_by_key(|room| wanted.iter().position(|id| *id == room.id.0));
        Ok(rooms)
    }

    /// Which rooms the app means, in the order asked, each once.
    async fn room_ids(&self, app: AppId, asked: &[RoomRef]) -> Read<Vec<RoomId>> {
        let mut ids: Vec<RoomId> = Vec::with_capacity(asked.len());
        for room in asked {
            let id = self.room_id(app, room).await?;
            ids.extend(id.filter(|id| !ids.contains(id)));
        }
        Ok(ids)
    }

    /// Which room the app means; `None` without such a room.
    async fn room_id(&self, app: AppId, asked: &RoomRef) -> Read<Option<RoomId>> {
        if let Some(room) = self.room_names.get(app, asked) {
            return Ok(Some(room));
        }
        let by_id = match asked {
            RoomRef::Id(id) | RoomRef::Either(id, _) => self.room_by_id(app, *id).await?,
            RoomRef::Unique(_) => None,
        };
        let found = match (by_id, asked) {
            (None, RoomRef::Unique(unique_id) | RoomRef::Either(_, unique_id)) => {
                let params: super::Params<'_> = &[&vec![app.0], &vec![unique_id.as_str()]];
                let text = sql::POSTGRES_ROOMS_BY_UNIQUE_IDS.postgres();
                let rows = self.readers.query("finding a room", text, params).await?;
                match rows.first() {
                    Some(row) => self.room_by_id(app, RoomId(rows::get(row, 2)?)).await?,
                    None => None,
                }
            }
            (by_id, _) => by_id,
        };
        if let Some(room) = &found {
            self.room_names.keep(app, asked, room);
        }
        Ok(found.map(|room| room.id))
    }

    pub(crate) async fn page(
        &self,
        app: AppId,
        room: &RoomRef,
        skipped: u64,
        size: usize,
    ) -> Read<Option<Vec<PageEntry>>> {
        let Some(room) = self.room_id(app, room).await? else { return Ok(None) };
        let (doing, light, size) = ("reading a page", light_bytes(size), size as i64);
        let rows = if skipped == 0 {
            let text = sql::POSTGRES_FIRST_PAGE.postgres();
            self.readers.query(doing, text, &[&room.0, &size, &light]).await?
        } else {
            // No room has so many messages, and the sum must not run over.
            let skipped = as_offset(skipped.min(1 << 60));
            let text = sql::POSTGRES_PAGE.postgres();
            self.readers.query(doing, text, &[&room.0, &skipped, &size, &light]).await?
        };
        Ok(Some(rows::page_entries(&rows)?))
    }

    pub(crate) async fn range(
        &self,
        app: AppId,
        room: &RoomRef,
        ids: (MessageId, MessageId),
        size: usize,
    ) -> Read<Option<Vec<PageEntry>>> {
        let Some(room) = self.room_id(app, room).await? else { return Ok(None) };
        let light = light_bytes(size);
        let params: super::Params<'_> = &[&room.0, &ids.0.0, &ids.1.0, &(size as i64), &light];
        let text = sql::POSTGRES_RANGE.postgres();
        let rows = self.readers.query("reading a range", text, params).await?;
        Ok(Some(rows::page_entries(&rows)?))
    }

    /// See [`crate::Store::messages`]: they are many or large, and others shall not wait for them.
    pub(crate) async fn messages(&self, keys: &[MessageKey]) -> Read<Vec<Arc<Said>>> {
        messages_by(&self.listers, keys).await
    }

    /// The messages of these, of which the first are read.
    pub(crate) async fn first_messages(&self, keys: &[MessageKey]) -> Read<Vec<PageEntry>> {
        let said = messages_by(&self.readers, keys).await?;
        let rest = keys[said.len()..].iter().copied().map(PageEntry::Deferred);
        Ok(said.into_iter().map(PageEntry::Loaded).chain(rest).collect())
    }

    pub(crate) async fn chain(&self, room: RoomId) -> Read<Vec<Message>> {
        let text = sql::POSTGRES_CHAIN.postgres();
        let rows = self.listers.query("reading a room", text, &[&room.0]).await?;
        rows.iter().map(rows::message).collect()
    }

    pub(crate) async fn user(&self, app: AppId, user: &UserId) -> Read<Option<User>> {
        let text = sql::USER_BY_ID.postgres();
        let rows = self.readers.query("reading a user", text, &[&app.0, &user.as_str()]).await?;
        rows.first().map(rows::user).transpose()
    }

    pub(crate) async fn token(&self, app: AppId, user: &UserId) -> Read<Option<String>> {
        let text = sql::TOKEN_OF_USER.postgres();
        let rows = self.readers.query("reading a token", text, &[&app.0, &user.as_str()]).await?;
        let Some(row) = rows.first() else { return Ok(None) };
        let place = Place::UserToken(rows::get(row, 0)?);
        self.sealer.open_text(place, rows::get(row, 1)?).map(Some)
    }

    pub(crate) async fn participants(
        &self,
        app: AppId,
        room: &RoomRef,
        skipped: u64,
        size: usize,
    ) -> Read<Option<Vec<User>>> {
        let Some(room) = self.room_id(app, room).await? else { return Ok(None) };
        let params: super::Params<'_> = &[&room.0, &(size as i64), &as_offset(skipped)];
        let text = sql::PARTICIPANTS.postgres();
        let rows = self.readers.query("reading participants", text, params).await?;
        rows.iter().map(rows::user).collect::<Read<Vec<_>>>().map(Some)
    }

    pub(crate) async fn unread(
        &self,
        app: AppId,
        user: &UserId,
        rooms: &[RoomRef],
    ) -> Read<Option<Vec<(RoomId, u64)>>> {
        let text = sql::USERS_NAMED.postgres();
        let named = self.readers.query("reading users", text, &[&app.0, &user.as_str()]).await?;
        let keys = named.iter().map(|row| rows::get(row, 0)).collect::<Read<Vec<i64>>>()?;
        if keys.is_empty() {
            return Ok(None);
        }
        let rooms = self.room_ids(app, rooms).await?;
        let ids: Vec<i64> = rooms.iter().map(|room| room.0).collect();
        let text = sql::POSTGRES_UNREAD.postgres();
        let rows = self.readers.query(COUNTING_UNREAD, text, &[&keys, &ids]).await?;
        let mut counts = Vec::with_capacity(rows.len());
        for row in &rows {
            counts.push((RoomId(rows::get(row, 0)?), rows::get::<i64>(row, 1)?.max(0) as u64));
        }
        counts.sort_by_key(|(room, _)| rooms.iter().position(|asked| asked == room));
        Ok(Some(counts))
    }

    pub(crate) async fn unread_in_all(&self, user: UserKey) -> Read<u64> {
        let text = sql::POSTGRES_UNREAD_IN_ALL.postgres();
        let rows = self.listers.query(COUNTING_UNREAD, text, &[&user.0]).await?;
        let total: i64 = rows::get(&rows[0], 0)?;
        Ok(total.max(0) as u64)
    }

    pub(crate) async fn user_rooms(
        &self,
        app: AppId,
        user: UserKey,
        listing: RoomListing,
    ) -> Read<(Vec<Room>, u64)> {
        let (doing, kind) = ("listing rooms", listing.kind.map(RoomKind::as_str));
        let text = sql::POSTGRES_COUNT_ROOMS_OF_USER.postgres();
        let total = self.listers.query(doing, text, &[&user.0, &kind, &app.0]).await?;
        let total: i64 = rows::get(&total[0], 0)?;
        let (size, skipped) = (listing.size as i64, as_offset(listing.skipped));
        let text = sql::POSTGRES_ROOMS_OF_USER.postgres();
        let params: super::Params<'_> = &[&user.0, &kind, &app.0, &size, &skipped];
        let rows = self.listers.query(doing, text, params).await?;
        let rooms = rows.iter().map(rows::room).collect::<Read<Vec<_>>>()?;
        Ok((rooms, total as u64))
    }

    pub(crate) async fn endpoints(&self, app: AppId) -> Read<Vec<Endpoint>> {
        let text = sql::ENDPOINTS.postgres();
        let rows = self.readers.query("listing endpoints", text, &[&app.0]).await?;
        rows.iter().map(rows::endpoint).collect()
    }

    pub(crate) async fn users(&self, app: AppId, listing: UserListing) -> Read<(Vec<User>, u64)> {
        let (doing, least_active) = ("listing users", i16::from(!listing.shows_all));
        let text = sql::COUNT_USERS.postgres();
        let total = self.listers.query(doing, text, &[&app.0, &least_active]).await?;
        let total: i64 = rows::get(&total[0], 0)?;
        let (size, skipped) = (listing.size as i64, as_offset(listing.skipped));
        let params: super::Params<'_> = &[&app.0, &least_active, &size, &skipped];
        let rows = self.listers.query(doing, listed_users(listing).postgres(), params).await?;
        let users = rows.iter().map(rows::user).collect::<Read<Vec<_>>>()?;
        Ok((users, total as u64))
    }
}

/// The first of these messages, as many as are read at a time.
async fn messages_by(readers: &Readers, keys: &[MessageKey]) -> Read<Vec<Arc<Said>>> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let rooms: Vec<i64> = keys.iter().map(|key| key.room.0).collect();
    let ids: Vec<i64> = keys.iter().map(|key| key.id.0).collect();
    let (doing, bytes) = ("reading messages", limits::PAGE_READ_BYTES as i64);
    let text = sql::POSTGRES_MESSAGES.postgres();
    let rows = readers.query(doing, text, &[&rooms, &ids, &bytes]).await?;
    let said: Vec<_> = rows::said(&rows)?.into_iter().map(Arc::new).collect();
    // Messages are emptied, never removed.
    let is_there = said.iter().zip(keys).all(|(said, key)| said.message.id == key.id);
    match is_there && !said.is_empty() {
        true => Ok(said),
        false => Err(StoreError::while_doing(doing)("a message is gone")),
    }
}

/// What each message of a page may take to be read with it.
fn light_bytes(size: usize) -> i64 {
    (limits::PAGE_READ_BYTES / size.max(1)) as i64
}

const COUNTING_UNREAD: &str = "counting unread messages";
