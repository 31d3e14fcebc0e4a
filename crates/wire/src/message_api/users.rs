//! Requests and responses about users (wire facts 3.1).

use confab_domain::limits;
use confab_domain::people::registering::UserInput;
use confab_domain::people::user::{User, UserId, UserRef};
use confab_domain::refusal::Refusal;
use serde::Serialize;
use utoipa::ToSchema;

use super::Page;
use crate::body::Body;
use crate::fields::{self, AddressedUsers, NonEmpty, Short, Users, field};
use crate::request::request;
use crate::shown_extras::{ShownExtras, shown_extras};
use crate::time::to_the_second;

request! {
    /// Body of `POST /login_or_register`.
    pub struct LoginOrRegisterFields as "LoginOrRegister" {
        /// User id: letters, digits and `. - _ @`.
        user_id: fields::User, required, example = "ana";
        /// Display name of the user.
        username: NonEmpty<fields::Name>, required, example = "Ana";
        /// New password of the user; unchanged if absent.
        password: NonEmpty<Short<{ limits::PASSWORD_CHARS_MAX }>>, optional;
        /// URL of the user's picture.
        avatar_url: fields::Picture, optional;
        /// Metadata of the user, defined by the app.
        extras: fields::Properties, optional;
    }
}

/// Parses the user to create or update.
pub fn read_login_or_register(body: &Body<'_>) -> Result<UserInput, Refusal> {
    let LoginOrRegisterFields { user_id, username, password, avatar_url, extras } =
        body.read_spelled()?;
    Ok(UserInput { user_id, username, password, avatar_url, extras })
}

request! {
    /// Body or query of a call about one user.
    pub struct OneUserFields as "OneUser" {
        /// Id of the user to whom the call applies.
        user_id: fields::User, required, example = "ana";
    }
}

/// Parses the id of the user to whom the call applies.
pub fn read_one_user(body: &Body<'_>) -> Result<UserId, Refusal> {
    body.read_spelled().map(|fields: OneUserFields| fields.user_id)
}

request! {
    /// Query of `GET /user_profile`.
    pub struct ProfileFields {
        /// Id of the user whose profile is requested.
        user_id: fields::AddressedUser, required, example = "ana";
    }
}

/// Parses the user whose profile is requested.
pub fn read_profile(query: &Body<'_>) -> Result<UserRef, Refusal> {
    query.read().map(|fields: ProfileFields| fields.user_id)
}

request! {
    /// Query of `GET /get_user_unread_count`.
    pub struct CountedUsersFields {
        /// Ids of the users whose unread messages are counted, at most 100.
        user_ids: AddressedUsers<1, { limits::CALL_USERS_MAX }>, required, also = "user_ids[]";
    }
}

/// Parses the users whose unread messages are counted.
pub fn read_counted_users(query: &Body<'_>) -> Result<Vec<UserRef>, Refusal> {
    query.read().map(|fields: CountedUsersFields| fields.user_ids)
}

request! {
    /// Body or query of a call about several users.
    pub struct SomeUsersFields as "SomeUsers" {
        /// Ids of the users to whom the call applies, at most 100.
        user_ids: Users<1, { limits::CALL_USERS_MAX }>, required, also = "user_ids[]",
            example = r#"["bob"]"#;
    }
}

/// Parses user ids from the body, or from the query if the body has none.
pub fn read_some_users(body: &Body<'_>, query: &Body<'_>) -> Result<Vec<UserId>, Refusal> {
    let given = body.given_or::<SomeUsersFields>(query)?;
    given.read().map(|fields: SomeUsersFields| fields.user_ids)
}

request! {
    /// Query of `GET /get_user_list`.
    pub struct UserListFields {
        page: Page, group;
        /// Whether to include deactivated users.
        show_all: fields::Flag, or false;
        /// Sort order: `created_at`, `updated_at`, `username` or `user_id`, then `asc` or `desc`.
        order_query: Order, or (UserOrder::CreatedAt, false),
            example = "created_at desc nulls last";
    }
}

/// Sort key of a list of users.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserOrder {
    /// Time of registration.
    CreatedAt,
    /// Time of the last change.
    UpdatedAt,
    /// Display name of the user.
    Username,
    /// User id, as assigned by the app.
    UserId,
}

/// A request for one page of an app's users.
#[derive(Debug)]
pub struct UserList {
    pub page: Page,
    /// Whether to include deactivated users.
    pub shows_all: bool,
    pub order: UserOrder,
    /// Whether the sort order is descending.
    pub is_descending: bool,
}

impl UserList {
    /// Parses the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let UserListFields { page, show_all, order_query } = query.read_spelled()?;
        let (order, is_descending) = order_query;
        Ok(Self { page, shows_all: show_all, order, is_descending })
    }
}

field! {
    /// Sort order of a list of users: the key, and whether the order is descending.
    Order -> (UserOrder, bool);
    |reading, field, given| {
        let text = reading.text(field, given)?.to_lowercase();
        let mut words = text.split_whitespace();
        let order = match words.next() {
            None | Some("created_at" | "id") => UserOrder::CreatedAt,
            Some("updated_at") => UserOrder::UpdatedAt,
            Some("username" | "name") => UserOrder::Username,
            Some("user_id" | "email") => UserOrder::UserId,
            Some(_) => return reading.wrong(field, ORDER_HELP),
        };
        let rest: Vec<_> = words.collect();
        match rest[..] {
            [] | ["asc"] | ["asc", "nulls", "first" | "last"] => Some((order, false)),
            ["desc"] | ["desc", "nulls", "first" | "last"] => Some((order, true)),
            _ => reading.wrong(field, ORDER_HELP),
        }
    }
}

const ORDER_HELP: &str =
    "must be created_at, updated_at, username or user_id, followed by asc or desc";

/// A user in the format of the message API (wire facts 3.1).
#[derive(Debug, Serialize, ToSchema)]
pub struct UserShape<'a> {
    /// Whether the user is active; false after deactivation.
    active: bool,
    /// URL of the user's picture, or an empty string.
    avatar_url: &'a str,
    /// Metadata of the user, defined by the app.
    #[schema(value_type = Object)]
    extras: ShownExtras<'a>,
    /// User id, as assigned by the app.
    user_id: &'a str,
    /// Display name of the user.
    username: &'a str,
}

impl<'a> From<&'a User> for UserShape<'a> {
    fn from(user: &'a User) -> Self {
        Self {
            active: user.is_active,
            avatar_url: &user.avatar_url,
            extras: shown_extras(user),
            user_id: user.user_id.as_str(),
            username: &user.username,
        }
    }
}

/// The `results` object of a response with one user.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserBox<'a> {
    pub user: UserShape<'a>,
}

/// Returns a response with one user.
pub fn one_user(user: &User) -> UserBox<'_> {
    UserBox { user: user.into() }
}

/// The `results` object of a response with a token. No `Debug`, because the token is secret.
#[derive(Serialize, ToSchema)]
pub struct TokenBox {
    /// The user's access token.
    pub token: String,
}

/// A user in the response to `get_user_list` (wire facts 3.1).
#[derive(Debug, Serialize, ToSchema)]
pub struct ListedUser<'a> {
    active: bool,
    avatar_url: &'a str,
    #[schema(example = "2026-01-31T10:00:00Z")]
    created_at: String,
    email: &'a str,
    #[schema(value_type = Object)]
    extras: ShownExtras<'a>,
    id: i64,
    name: &'a str,
    #[schema(example = "2026-01-31T10:00:00Z")]
    updated_at: String,
    username: &'a str,
}

/// Total number of users in a list, and number of its pages.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserListMeta {
    total_data: u64,
    total_page: u64,
}

/// Body of the response to `get_user_list`.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserListShape<'a> {
    meta: UserListMeta,
    users: Vec<ListedUser<'a>>,
}

/// Returns one page of a list with `total` users.
pub fn user_list<'a>(users: &'a [User], total: u64, page: Page) -> UserListShape<'a> {
    let listed = |user: &'a User| ListedUser {
        active: user.is_active,
        avatar_url: &user.avatar_url,
        created_at: to_the_second(user.created_at),
        email: user.user_id.as_str(),
        extras: shown_extras(user),
        id: user.key.0,
        name: &user.username,
        updated_at: to_the_second(user.updated_at),
        username: &user.username,
    };
    let total_page = total.div_ceil(page.size as u64);
    let meta = UserListMeta { total_data: total, total_page };
    UserListShape { meta, users: users.iter().map(listed).collect() }
}

/// A user's number of unread messages.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserUnread {
    /// Number of unread messages in all rooms of the user.
    pub unread_count: u64,
    /// Id of the user whose messages are counted.
    pub user_id: String,
}

/// The `results` object of `get_user_unread_count`.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserUnreadList {
    /// One entry per user.
    pub user_unread_count: Vec<UserUnread>,
}
