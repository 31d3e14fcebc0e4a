//! Users: profiles, access tokens and password hashes.

use confab_domain::decision::change::NewUser;
use confab_domain::ids::{AppId, UserKey};
use confab_domain::people::user::{Realm, User, UserId};

use crate::error::Read;
use crate::reading::listing::{UserColumn, UserListing};
use crate::secrets::sealer::{Sealer, SecretLocation, token_hash};
use crate::sql::{Ask, Row, Statement, ValueRow, as_offset, count, prepared, statements, values};
use crate::store::Store;

macro_rules! user_columns {
    ($u:literal) => {
        $crate::sql::columns!($u; "id", "app", "user_id", "username", "avatar_url", "extras",
            "is_active", "created_at", "updated_at", "realm")
    };
}
pub(crate) use user_columns;

/// Number of columns of a user.
pub(crate) const COLUMNS: usize = count(user_columns!(""));

/// A page of an app's own users. Sort column and direction are macro arguments, because they cannot
/// be parameters of a statement.
macro_rules! listed_users {
    ($column:literal, $direction:literal) => {
        concat!(
            "SELECT ",
            user_columns!(""),
            " FROM users WHERE app = $1 AND realm = 0 AND is_active >= $2 ORDER BY ",
            $column,
            " ",
            $direction,
            ", id ",
            $direction,
            " LIMIT $3 OFFSET $4"
        )
    };
}

prepared! {
    SPEAKER = concat!("SELECT ", user_columns!("u."), " FROM users u WHERE u.id = $1 AND u.app = $2");
    INSERT_USER = "INSERT INTO users \
        (id, app, user_id, username, avatar_url, extras, is_active, created_at, updated_at, \
        token_hash, password_hash, sealed_token, realm) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
    UPDATE_USER = "UPDATE users SET username = $2, avatar_url = $3, extras = $4, is_active = $5, \
        updated_at = $6, password_hash = coalesce($7, password_hash) WHERE id = $1";
    ERASE_USER = "UPDATE users SET user_id = $2, password_hash = NULL WHERE id = $1";
    // Invalidates cached profiles (D-0165).
    POSTGRES_RAISE_USERS = "UPDATE users SET version = greatest(version + 1, $2) \
        WHERE id = ANY ($1)";
    SET_TOKEN = "UPDATE users SET token_hash = $2, sealed_token = $3 WHERE id = $1";
}

statements! {
    // `USER_BY_ID` finds the app's own user, `USERS_NAMED` the users of all realms (D-0065).
    USER_BY_ID = concat!("SELECT ", user_columns!(""), " FROM users WHERE app = $1 \
        AND user_id = $2 AND realm = 0");
    USERS_NAMED = concat!("SELECT ", user_columns!(""), " FROM users WHERE app = $1 \
        AND user_id = $2 ORDER BY realm");
    USER_BY_KEY = concat!("SELECT ", user_columns!(""), " FROM users WHERE id = $1");
    USER_OF_TOKEN = concat!("SELECT ", user_columns!(""), " FROM users WHERE token_hash = $1");
    TOKEN_OF_USER = "SELECT id, sealed_token FROM users WHERE app = $1 AND user_id = $2 AND realm = 0";
    TOKEN_OF_KEY = "SELECT sealed_token FROM users WHERE id = $1";
    PASSWORD_OF_USER = "SELECT password_hash FROM users \
        WHERE app = $1 AND user_id = $2 AND realm = 0";
    COUNT_USERS = "SELECT count(*) FROM users WHERE app = $1 AND realm = 0 AND is_active >= $2";
    USERS_BY_CREATED_AT = listed_users!("created_at", "ASC");
    USERS_BY_UPDATED_AT = listed_users!("updated_at", "ASC");
    USERS_BY_USERNAME = listed_users!("username", "ASC");
    USERS_BY_USER_ID = listed_users!("user_id", "ASC");
    USERS_FROM_LAST_CREATED_AT = listed_users!("created_at", "DESC");
    USERS_FROM_LAST_UPDATED_AT = listed_users!("updated_at", "DESC");
    USERS_FROM_LAST_USERNAME = listed_users!("username", "DESC");
    USERS_FROM_LAST_USER_ID = listed_users!("user_id", "DESC");
}

pub(crate) fn row<R: Row>(row: &R) -> Result<User, R::Error> {
    row_from(row, 0)
}

/// Reads a user, whose columns begin at `first`.
pub(crate) fn row_from<R: Row>(row: &R, first: usize) -> Result<User, R::Error> {
    Ok(User {
        key: UserKey(row.number(first)?),
        app: AppId(row.number(first + 1)?),
        user_id: UserId::from_stored(row.text(first + 2)?),
        username: row.text(first + 3)?,
        avatar_url: row.text(first + 4)?,
        extras: row.json(first + 5)?,
        is_active: row.flag(first + 6)?,
        created_at: row.time(first + 7)?,
        updated_at: row.time(first + 8)?,
        realm: Realm::from_number(row.number(first + 9)?),
    })
}

pub(crate) fn insert(new: &NewUser, sealer: &Sealer) -> Ask {
    let NewUser { user, token, password_hash } = new;
    let values = values![
        user.key.0,
        user.app.0,
        user.user_id.as_str(),
        &user.username,
        &user.avatar_url,
        user.extras.as_ref(),
        user.is_active,
        user.created_at,
        user.updated_at,
        token_hash(token),
        password_hash.as_deref(),
        sealer.seal(SecretLocation::UserToken(user.key.0), token),
        user.realm.number(),
    ];
    Ask::new(&INSERT_USER, values)
}

/// Updates a profile. The password remains unchanged if none is given.
pub(crate) fn update(user: &User, password_hash: Option<&str>) -> Ask {
    let values = values![
        user.key.0,
        &user.username,
        &user.avatar_url,
        user.extras.as_ref(),
        user.is_active,
        user.updated_at,
        password_hash,
    ];
    Ask::new(&UPDATE_USER, values)
}

/// Replaces the user's id by `erased-` and the user's key, and deletes the password.
pub(crate) fn erase(user: &User) -> Ask {
    Ask::new(&ERASE_USER, values![user.key.0, format!("erased-{}", user.key)])
}

pub(crate) fn set_token(user: UserKey, token: &str, sealer: &Sealer) -> Ask {
    let sealed = sealer.seal(SecretLocation::UserToken(user.0), token);
    Ask::new(&SET_TOKEN, values![user.0, token_hash(token), sealed])
}

impl Store {
    /// Returns the app's own user with this id.
    pub async fn user(&self, app: AppId, user: &UserId) -> Read<Option<User>> {
        let ask = Ask::new(&USER_BY_ID, values![app.0, user.as_str()]);
        Ok(self.query_now(ask, row).await?.pop())
    }

    /// Returns a user of the app by key, of any realm.
    pub async fn user_by_key(&self, app: AppId, user: UserKey) -> Read<Option<User>> {
        let found = self.query_now(Ask::new(&USER_BY_KEY, values![user.0]), row).await?.pop();
        Ok(found.filter(|found| found.app == app))
    }

    /// Returns the users of the app with this id, of all realms.
    pub async fn users_named(&self, app: AppId, user: &UserId) -> Read<Vec<User>> {
        self.query_now(Ask::new(&USERS_NAMED, values![app.0, user.as_str()]), row).await
    }

    /// Returns the user with this access token, even if the user is deactivated.
    pub async fn user_of_token(&self, token: &str) -> Read<Option<User>> {
        let ask = Ask::new(&USER_OF_TOKEN, values![token_hash(token)]);
        Ok(self.query_now(ask, row).await?.pop())
    }

    /// Returns the access token of the app's own user with this id.
    pub async fn token(&self, app: AppId, user: &UserId) -> Read<Option<String>> {
        let ask = Ask::new(&TOKEN_OF_USER, values![app.0, user.as_str()]);
        let opened = |row: &ValueRow| {
            self.sealer().open_text(SecretLocation::UserToken(row.number(0)?), row.word(1)?)
        };
        Ok(self.query_now(ask, opened).await?.pop())
    }

    /// Returns a user's access token.
    pub async fn token_of(&self, user: UserKey) -> Read<Option<String>> {
        let (ask, place) =
            (Ask::new(&TOKEN_OF_KEY, values![user.0]), SecretLocation::UserToken(user.0));
        let opened = |row: &ValueRow| self.sealer().open_text(place, row.word(0)?);
        Ok(self.query_now(ask, opened).await?.pop())
    }

    /// Returns the password hash of the app's own user with this id: `None` without such a user,
    /// `Some(None)` without a password.
    pub async fn user_password(&self, app: AppId, user: &UserId) -> Read<Option<Option<String>>> {
        let ask = Ask::new(&PASSWORD_OF_USER, values![app.0, user.as_str()]);
        Ok(self.query_now(ask, |row| row.maybe_text(0)).await?.pop())
    }

    /// Returns a page of the app's own users, and their total number.
    pub async fn users(&self, app: AppId, listing: UserListing) -> Read<(Vec<User>, u64)> {
        let least_active = !listing.shows_all;
        let total = self.counted(Ask::new(&COUNT_USERS, values![app.0, least_active])).await?;
        let (size, skipped) = (listing.size as i64, as_offset(listing.skipped));
        let ask = Ask::new(listed(listing), values![app.0, least_active, size, skipped]);
        Ok((self.asked(ask, row).await?, total))
    }
}

fn listed(listing: UserListing) -> &'static Statement {
    match (listing.order, listing.is_descending) {
        (UserColumn::CreatedAt, false) => &USERS_BY_CREATED_AT,
        (UserColumn::UpdatedAt, false) => &USERS_BY_UPDATED_AT,
        (UserColumn::Username, false) => &USERS_BY_USERNAME,
        (UserColumn::UserId, false) => &USERS_BY_USER_ID,
        (UserColumn::CreatedAt, true) => &USERS_FROM_LAST_CREATED_AT,
        (UserColumn::UpdatedAt, true) => &USERS_FROM_LAST_UPDATED_AT,
        (UserColumn::Username, true) => &USERS_FROM_LAST_USERNAME,
        (UserColumn::UserId, true) => &USERS_FROM_LAST_USER_ID,
    }
}
