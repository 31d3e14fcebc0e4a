//! What clients keep about themselves, and whom they find.

use std::cmp::Reverse;

use confab_domain::app::App;
use confab_domain::decision::change::{FileChange, UserChange};
use confab_domain::files::stored_file::StoredFile;
use confab_domain::ids::{AppId, RoomId, UserKey};
use confab_domain::limits;
use confab_domain::people::user::{User, UserId};
use confab_domain::time::Timestamp;

use super::people_statements as sql;
use crate::error::StoreError;
use crate::omnichannel::{rows, statements as omni};
use crate::secrets::sealer::Place;
use crate::sql::as_offset;
use crate::sql::{Ask, Row, ValueRow, values};
use crate::statements::{USER_BY_KEY, USERS_NAMED};
use crate::store::Store;

type Read<T> = Result<T, StoreError>;

/// A page of those whom somebody blocked, and how many there are.
#[derive(Debug)]
pub struct Blocked {
    /// The newest first.
    pub users: Vec<User>,
    /// How many there are.
    pub total: u64,
}

/// A page of the users that somebody looked for.
#[derive(Debug)]
pub struct FoundUsers {
    /// By their names.
    pub users: Vec<User>,
    /// How many there are, at most `limits::USERS_COUNTED_MAX`.
    pub total: u64,
}

/// The statements that change what users keep. Their profiles and tokens are the engines' own.
pub(crate) fn user(app: AppId, change: &UserChange) -> Vec<Ask> {
    match change {
        UserChange::Insert(_) | UserChange::Update { .. } | UserChange::SetToken { .. } => {
            Vec::new()
        }
        UserChange::SetPresence { user, is_online, at, node } => {
            vec![Ask::new(
                &super::statements::SET_PRESENCE,
                values![user.0, *is_online, at.0, *node],
            )]
        }
        UserChange::EndPresences { node } => {
            vec![Ask::new(&super::statements::END_PRESENCES, values![*node])]
        }
        UserChange::PutDevice { user, device, at } => {
            let row = values![user.0, &device.token, &device.platform, device.is_development, at.0];
            let kept = limits::DEVICES_OF_USER_MAX as i64;
            vec![
                Ask::new(&sql::TAKE_DEVICE, values![user.0, &device.token]),
                Ask::new(&sql::PUT_DEVICE, row),
                Ask::new(&sql::FORGET_DEVICES, values![user.0, kept]),
            ]
        }
        UserChange::RemoveDevice { user, token } => {
            vec![Ask::new(&sql::REMOVE_DEVICE, values![user.0, token])]
        }
        UserChange::RemoveDevices { user } => {
            vec![Ask::new(&sql::REMOVE_DEVICES, values![user.0])]
        }
        UserChange::Block { user, blocked, at } => {
            vec![Ask::new(&sql::BLOCK, values![user.0, blocked.0, at.0])]
        }
        UserChange::Unblock { user, blocked } => {
            vec![Ask::new(&sql::UNBLOCK, values![user.0, blocked.0])]
        }
        UserChange::AddNonce { nonce, until } => {
            vec![Ask::new(&omni::ADD_NONCE, values![app.0, nonce, until.0])]
        }
        UserChange::UseNonce { nonce } => {
            vec![Ask::new(&omni::USE_NONCE, values![app.0, nonce])]
        }
        UserChange::ForgetNonces { before } => {
            vec![Ask::new(&sql::FORGET_NONCES, values![before.0])]
        }
    }
}

/// The statements that change what was uploaded.
pub(crate) fn file(change: &FileChange) -> Vec<Ask> {
    match change {
        FileChange::Add(file) => {
            let StoredFile { hash, app, name, media_type, size, uploaded_by, created_at } = file;
            let size = *size as i64;
            let row = values![hash, app.0, name, media_type, size, uploaded_by.0, created_at.0];
            vec![Ask::new(&sql::ADD_FILE, row)]
        }
        FileChange::CountUpload { app, user, day, bytes } => {
            let bytes = *bytes as i64;
            vec![
                Ask::new(&sql::COUNT_UPLOAD, values![app.0, 0_i64, 0_i64, bytes]),
                Ask::new(&sql::COUNT_UPLOAD, values![app.0, user.0, *day, bytes]),
            ]
        }
        FileChange::ForgetUploads { before_day } => {
            vec![Ask::new(&sql::FORGET_UPLOADED, values![*before_day])]
        }
    }
}

impl Store {
    /// A user of the app, by integer.
    pub async fn user_by_key(&self, app: AppId, user: UserKey) -> Read<Option<User>> {
        let found = self.asked(Ask::new(&USER_BY_KEY, values![user.0]), rows::user).await?.pop();
        Ok(found.filter(|found| found.app == app))
    }

    /// Everybody of this name, in whichever realm.
    pub async fn users_named(&self, app: AppId, user: &UserId) -> Read<Vec<User>> {
        self.asked(Ask::new(&USERS_NAMED, values![app.0, user.as_str()]), rows::user).await
    }

    /// What a user connects with.
    pub async fn token_of(&self, user: UserKey) -> Read<Option<String>> {
        let (ask, place) =
            (Ask::new(&sql::TOKEN_OF_KEY, values![user.0]), Place::UserToken(user.0));
        let opened = |row: &ValueRow| self.sealer().open_text(place, &row.text(0)?);
        Ok(self.asked(ask, opened).await?.pop())
    }

    /// The hash of the password of the app's own user of this name: nothing without such a user,
    /// `Some(None)` without a password.
    pub async fn user_password(&self, app: AppId, user: &UserId) -> Read<Option<Option<String>>> {
        let ask = Ask::new(&sql::PASSWORD_OF_USER, values![app.0, user.as_str()]);
        Ok(self.asked(ask, |row| row.maybe_text(0)).await?.pop())
    }

    /// The newest message of all rooms of a user, or 0.
    pub async fn newest_of_user(&self, user: UserKey) -> Read<i64> {
        match self {
            Self::Sqlite(engine) => engine.read_long(move |reads| reads.newest_of_user(user)).await,
            Self::Postgres(_) => {
                let ask = Ask::new(&sql::NEWEST_OF_USER, values![user.0]);
                let newest = self.asked(ask, |row| row.maybe_number(0)).await?;
                Ok(newest.into_iter().flatten().next().unwrap_or(0))
            }
        }
    }

    /// Whether pushes go to this device of a user, as it is registered.
    pub async fn device(&self, user: UserKey, token: &str) -> Read<Option<(String, bool)>> {
        let ask = Ask::new(&sql::DEVICE, values![user.0, token]);
        Ok(self.asked(ask, |row| Ok((row.text(0)?, row.flag(1)?))).await?.pop())
    }

    /// Whom a user blocked.
    pub async fn blocked(&self, user: UserKey, skipped: u64, size: usize) -> Read<Blocked> {
        let page = values![user.0, size as i64, as_offset(skipped)];
        let users = self.asked(Ask::new(&sql::BLOCKED_USERS, page), rows::user).await?;
        let ask = Ask::new(&sql::COUNT_BLOCKED, values![user.0]);
        let total = self.asked(ask, |row| row.number(0)).await?;
        Ok(Blocked { users, total: total.first().map_or(0, |total| *total as u64) })
    }

    /// Whether anybody in a room blocked this user.
    pub async fn is_blocked_in(&self, room: RoomId, user: UserKey) -> Read<bool> {
        let ask = Ask::new(&sql::IS_BLOCKED_IN, values![room.0, user.0]);
        Ok(!self.asked(ask, |_| Ok(())).await?.is_empty())
    }

    /// Whether a user blocked this other one.
    pub async fn has_blocked(&self, user: UserKey, other: UserKey) -> Read<bool> {
        let ask = Ask::new(&sql::HAS_BLOCKED, values![user.0, other.0]);
        Ok(!self.asked(ask, |_| Ok(())).await?.is_empty())
    }

    /// A file of the app.
    pub async fn file(&self, app: AppId, hash: &str) -> Read<Option<StoredFile>> {
        let read = |row: &ValueRow| {
            Ok(StoredFile {
                hash: row.text(0)?,
                app: AppId(row.number(1)?),
                name: row.text(2)?,
                media_type: row.text(3)?,
                size: row.number(4)? as u64,
                uploaded_by: UserKey(row.number(5)?),
                created_at: Timestamp(row.number(6)?),
            })
        };
        let ask = Ask::new(&sql::FILE, values![hash, app.0]);
        Ok(self.asked(ask, read).await?.pop())
    }

    /// Bytes of all files of each app that has any, by the app's code.
    pub async fn uploaded_by_app(&self) -> Read<Vec<(String, u64)>> {
        let read = |row: &ValueRow| Ok((row.text(0)?, row.number(1)? as u64));
        self.asked(Ask::new(&sql::UPLOADED_BY_APP, values![]), read).await
    }

    /// Users of the app in whose name or id this text stands, as clients may find them.
    pub async fn find_users(
        &self,
        app: &App,
        text: &str,
        skipped: u64,
        size: usize,
    ) -> Read<FoundUsers> {
        let pattern = pattern(text);
        let system = app.system_user.0;
        let page = values![app.id.0, system, &pattern, size as i64, as_offset(skipped)];
        let users = self.asked(Ask::new(&sql::FIND_USERS, page), rows::user).await?;
        let counted = limits::USERS_COUNTED_MAX as i64;
        let ask = Ask::new(&sql::COUNT_FOUND_USERS, values![app.id.0, system, pattern, counted]);
        let total = self.asked(ask, |row| row.number(0)).await?;
        Ok(FoundUsers { users, total: total.first().map_or(0, |total| *total as u64) })
    }

    /// Whom a user means by each of these names, in no order: themselves, else the customer of a
    /// channel with whom they share a room, else the app's own user.
    pub async fn meant_by(&self, viewer: &User, users: &[UserId]) -> Read<Vec<(UserKey, UserId)>> {
        let mut named = self.keys_of_users(viewer.app, viewer.key, users).await?;
        // The one who is meant comes first.
        named.sort_by_key(|(key, _, realm)| (*key != viewer.key, *realm == 0, Reverse(*key)));
        let mut meant: Vec<(UserKey, UserId)> = Vec::new();
        for (key, user_id, _) in named {
            if meant.iter().all(|(_, known)| *known != user_id) {
                meant.push((key, user_id));
            }
        }
        Ok(meant)
    }

    /// The app's own users of these names, and customers who share a room with the viewer.
    async fn keys_of_users(
        &self,
        app: AppId,
        viewer: UserKey,
        users: &[UserId],
    ) -> Read<Vec<(UserKey, UserId, i64)>> {
        let values = values![app.0, self.listed(users), viewer.0];
        let ask = match self {
            Self::Sqlite(_) => Ask::new(&sql::SQLITE_KEYS_OF_USERS, values),
            Self::Postgres(_) => Ask::new(&sql::POSTGRES_KEYS_OF_USERS, values),
        };
        let read = |row: &ValueRow| {
            let user_id = UserId::from_stored(row.text(1)?);
            Ok((UserKey(row.number(0)?), user_id, row.number(2)?))
        };
        self.asked(ask, read).await
    }

    /// Those of the users who work in the app or are its customers, and share no room with `user`.
    pub async fn hidden_from(
        &self,
        app: AppId,
        user: UserKey,
        others: &[UserKey],
    ) -> Read<Vec<UserKey>> {
        let keys: Vec<_> = others.iter().map(|key| key.0.to_string()).collect();
        let row = values![app.0, keys.join(","), user.0];
        let ask = match self {
            Self::Sqlite(_) => Ask::new(&sql::SQLITE_HIDDEN_USERS, row),
            Self::Postgres(_) => Ask::new(&sql::POSTGRES_HIDDEN_USERS, row),
        };
        self.asked(ask, |row| Ok(UserKey(row.number(0)?))).await
    }

    /// Users as one text: a list is no value that both engines know.
    fn listed(&self, users: &[UserId]) -> String {
        let ids: Vec<_> = users.iter().map(UserId::as_str).collect();
        match self {
            Self::Sqlite(_) => {
                let quoted: Vec<_> = ids.iter().map(|id| format!("\"{id}\"")).collect();
                format!("[{}]", quoted.join(","))
            }
            Self::Postgres(_) => ids.join("\n"),
        }
    }
}

/// What `LIKE` takes for a text that stands anywhere. Letters beyond ASCII are found as they are
/// written: the engines disagree about their small ones.
fn pattern(text: &str) -> String {
    let mut pattern = String::from("%");
    for letter in text.chars() {
        if matches!(letter, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(letter.to_ascii_lowercase());
    }
    pattern.push('%');
    pattern
}
