//! Users (wire facts 3.1).

use confab_domain::limits;
use confab_domain::people::registering::UserInput;
use confab_domain::people::user::{User, UserId, UserRef};
use confab_domain::refusal::Refusal;
use serde::Serialize;
use utoipa::ToSchema;

use super::Page;
use crate::body::Body;
use crate::fields::{self, AddressedUsers, Filled, Short, Users, field};
use crate::request::request;
use crate::shown_extras::{ShownExtras, shown_extras};
use crate::time::to_the_second;

request! {
    /// `POST /login_or_register`
    pub struct LoginOrRegisterFields as "LoginOrRegister" {
        /// Letters, digits and `. - _ @`.
        user_id: fields::User, required, example = "ana";
        /// The name for people.
        username: Filled<fields::Name>, required, example = "Ana";
        /// Replaces the old one; a user may have none.
        password: Filled<Short<{ limits::PASSWORD_CHARS_MAX }>>, optional;
        /// A picture.
        avatar_url: fields::Picture, optional;
        /// Whatever the app keeps about the user.
        extras: fields::Properties, optional;
    }
}

/// Reads who shall exist.
pub fn read_login_or_register(body: &Body<'_>) -> Result<UserInput, Refusal> {
    let LoginOrRegisterFields { user_id, username, password, avatar_url, extras } =
        body.read_spelled()?;
    Ok(UserInput { user_id, username, password, avatar_url, extras })
}

request! {
    /// One user, in a body or a query.
    pub struct OneUserFields as "OneUser" {
        /// The user.
        user_id: fields::User, required, example = "ana";
    }
}

/// Reads which user is meant.
pub fn read_one_user(body: &Body<'_>) -> Result<UserId, Refusal> {
    body.read_spelled().map(|fields: OneUserFields| fields.user_id)
}

request! {
    /// `GET /user_profile`
    pub struct ProfileFields {
        /// The user.
        user_id: fields::AddressedUser, required, example = "ana";
    }
}

/// Reads whose profile is meant.
pub fn read_profile(query: &Body<'_>) -> Result<UserRef, Refusal> {
    query.read().map(|fields: ProfileFields| fields.user_id)
}

request! {
    /// `GET /get_user_unread_count`
    pub struct CountedUsersFields {
        /// The users, at most 100.
        user_ids: AddressedUsers<1, { limits::CALL_USERS_MAX }>, required, also = "user_ids[]";
    }
}

/// Reads whose unread messages are counted.
pub fn read_counted_users(query: &Body<'_>) -> Result<Vec<UserRef>, Refusal> {
    query.read().map(|fields: CountedUsersFields| fields.user_ids)
}

request! {
    /// Several users, in a body or a query.
    pub struct SomeUsersFields as "SomeUsers" {
        /// The users, at most 100.
        user_ids: Users<1, { limits::CALL_USERS_MAX }>, required, also = "user_ids[]",
            example = r#"["bob"]"#;
    }
}

/// Reads which users are meant, from the body, or from the query where the body names none.
pub fn read_some_users(body: &Body<'_>, query: &Body<'_>) -> Result<Vec<UserId>, Refusal> {
    let given = body.given_or::<SomeUsersFields>(query)?;
    given.read().map(|fields: SomeUsersFields| fields.user_ids)
}

request! {
    /// `GET /get_user_list`
    pub struct UserListFields {
        page: Page, group;
        /// Also deactivated users.
        show_all: fields::Flag, or false;
        /// `created_at`, `updated_at`, `username` or `user_id`, then `asc` or `desc`.
        order_query: Order, or (UserOrder::CreatedAt, false),
            example = "created_at desc nulls last";
    }
}

/// What users are listed by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserOrder {
    /// When they were registered.
    CreatedAt,
    /// When they last changed.
    UpdatedAt,
    /// Their name for people.
    Username,
    /// The name the app gave.
    UserId,
}

/// A page of an app's users.
#[derive(Debug)]
pub struct UserList {
    /// Which page.
    pub page: Page,
    /// Also deactivated users.
    pub shows_all: bool,
    /// What they are listed by.
    pub order: UserOrder,
    /// Greatest first.
    pub is_descending: bool,
}

impl UserList {
    /// Reads the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let UserListFields { page, show_all, order_query } = query.read_spelled()?;
        let (order, is_descending) = order_query;
        Ok(Self { page, shows_all: show_all, order, is_descending })
    }
}

field! {
    /// What users are listed by, and whether the greatest come first.
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

/// A user (wire facts 3.1).
#[derive(Debug, Serialize, ToSchema)]
pub struct UserShape<'a> {
    /// False after deactivation.
    active: bool,
    /// A picture, or an empty text.
    avatar_url: &'a str,
    /// Whatever the app keeps about the user.
    #[schema(value_type = Object)]
    extras: ShownExtras<'a>,
    /// The name the app gave.
    user_id: &'a str,
    /// The name for people.
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

/// `results.user`
#[derive(Debug, Serialize, ToSchema)]
pub struct UserBox<'a> {
    /// The user.
    pub user: UserShape<'a>,
}

/// The answer about one user.
pub fn one_user(user: &User) -> UserBox<'_> {
    UserBox { user: user.into() }
}

/// `results.token`. No `Debug`: it is a secret.
#[derive(Serialize, ToSchema)]
pub struct TokenBox {
    /// What the user connects with.
    pub token: String,
}

/// A user in a list (wire facts 3.1).
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

/// How long the list is.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserListMeta {
    total_data: u64,
    total_page: u64,
}

/// The answer of `get_user_list`.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserListShape<'a> {
    meta: UserListMeta,
    users: Vec<ListedUser<'a>>,
}

/// A page of users, of so many in all.
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

/// How much a user has not read.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserUnread {
    /// Messages in all rooms of the user.
    pub unread_count: u64,
    /// The user.
    pub user_id: String,
}

/// The answer of `get_user_unread_count`.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserUnreadList {
    /// One entry a user.
    pub user_unread_count: Vec<UserUnread>,
}
