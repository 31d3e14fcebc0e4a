//! Users (wire facts 3.1).

use confab_domain::limits;
use confab_domain::people::registering::WantedUser;
use confab_domain::people::user::{User, UserId};
use confab_domain::refusal::Refusal;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::{IntoParams, ToSchema};

use super::{Page, read_page, read_some_user_ids, read_user_id};
use crate::body::Body;
use crate::raw_json::{empty, raw};
use crate::reading::Given;
use crate::reading::Reading;
use crate::time::to_the_second;

/// `POST /login_or_register`
#[derive(Deserialize, ToSchema)]
#[schema(as = LoginOrRegister)]
pub struct LoginOrRegisterFields<'a> {
    /// Letters, digits and `. - _ @`.
    #[schema(value_type = String, required = true, example = "ana", max_length = 255,
        pattern = "^[A-Za-z0-9._@-]+$")]
    #[serde(borrow, default)]
    user_id: Given<'a>,
    /// The name for people.
    #[schema(value_type = String, required = true, example = "Ana", max_length = 255)]
    #[serde(default)]
    username: Given<'a>,
    /// Replaces the old one; a user may have none.
    #[schema(value_type = Option<String>, max_length = 255)]
    #[serde(default)]
    password: Given<'a>,
    /// A picture.
    #[schema(value_type = Option<String>, max_length = 2048)]
    #[serde(default)]
    avatar_url: Given<'a>,
    /// Whatever the app keeps about the user.
    #[schema(value_type = Option<Object>)]
    #[serde(default)]
    extras: Given<'a>,
}

/// Reads who shall exist.
pub fn read_login_or_register(body: &Body<'_>) -> Result<WantedUser, Refusal> {
    let fields: LoginOrRegisterFields<'_> = body.fields()?;
    let mut reading = Reading::default();
    let user_id = read_user_id(&mut reading, "user_id", fields.user_id);
    let username = reading.name("username", fields.username, limits::NAME_CHARS_MAX);
    let username = reading.needed("username", username.filter(|name| !name.is_empty()));
    let password = reading.short_text("password", fields.password, limits::PASSWORD_CHARS_MAX);
    let avatar_url = read_picture(&mut reading, "avatar_url", fields.avatar_url);
    let extras = reading.json_object("extras", fields.extras);
    reading.check_bytes("extras", extras.as_ref(), limits::OPTIONS_BYTES_MAX);
    let (Some(user_id), Some(username)) = (user_id, username) else {
        return Err(reading.refusal());
    };
    reading.finish()?;
    let password = password.filter(|password| !password.is_empty());
    Ok(WantedUser { user_id, username, password, avatar_url, extras })
}

/// The address of a picture.
pub(crate) fn read_picture(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<String> {
    let url = reading.url(field, given)?;
    if url.chars().count() > limits::URL_CHARS_MAX {
        return reading.wrong(field, "must have at most 2048 characters");
    }
    Some(url)
}

/// One user, in a body or a query.
#[derive(Deserialize, ToSchema, IntoParams)]
#[schema(as = OneUser)]
#[into_params(parameter_in = Query)]
pub struct OneUserFields<'a> {
    /// The user.
    #[schema(value_type = String, required = true, example = "ana")]
    #[param(value_type = String, required = true, example = "ana")]
    #[serde(borrow, default)]
    user_id: Given<'a>,
}

/// Reads which user is meant.
pub fn read_one_user(body: &Body<'_>) -> Result<UserId, Refusal> {
    let fields: OneUserFields<'_> = body.fields()?;
    let mut reading = Reading::default();
    let user = read_user_id(&mut reading, "user_id", fields.user_id);
    user.ok_or_else(|| reading.refusal())
}

/// Several users, in a body or a query.
#[derive(Deserialize, ToSchema, IntoParams)]
#[schema(as = SomeUsers)]
#[into_params(parameter_in = Query)]
pub struct SomeUsersFields<'a> {
    /// The users, at most 100.
    #[schema(value_type = Vec<String>, required = true, min_items = 1, max_items = 100)]
    #[param(value_type = Vec<String>, required = true, rename = "user_ids[]", min_items = 1)]
    #[serde(borrow, default, alias = "user_ids[]")]
    user_ids: Given<'a>,
}

/// Reads which users are meant, from the body, or from the query where the body names none.
pub fn read_some_users(body: &Body<'_>, query: &Body<'_>) -> Result<Vec<UserId>, Refusal> {
    let in_body: SomeUsersFields<'_> = body.fields()?;
    let in_query: SomeUsersFields<'_> = query.fields()?;
    let is_in_body = !in_body.user_ids.is_absent();
    let given = if is_in_body { in_body.user_ids } else { in_query.user_ids };
    let mut reading = Reading::default();
    let users = read_some_user_ids(&mut reading, "user_ids", given, limits::CALL_USERS_MAX);
    users.ok_or_else(|| reading.refusal())
}

/// `GET /get_user_list`
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct UserListFields<'a> {
    /// From 1.
    #[param(value_type = Option<i64>)]
    #[serde(borrow, default)]
    page: Given<'a>,
    /// Default 20, at most 100.
    #[param(value_type = Option<i64>)]
    #[serde(default)]
    limit: Given<'a>,
    /// Also deactivated users.
    #[param(value_type = Option<bool>)]
    #[serde(default)]
    show_all: Given<'a>,
    /// `created_at`, `updated_at`, `username` or `user_id`, then `asc` or `desc`.
    #[param(value_type = Option<String>, example = "created_at desc nulls last")]
    #[serde(default)]
    order_query: Given<'a>,
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
        let fields: UserListFields<'_> = query.fields()?;
        let mut reading = Reading::default();
        let shows_all = reading.boolean("show_all", fields.show_all).unwrap_or(false);
        let text = reading.text("order_query", fields.order_query).unwrap_or_default();
        let order = read_order(&mut reading, &text.to_lowercase());
        let page = read_page(fields.page, fields.limit, limits::PAGE_DEFAULT);
        let Some((order, is_descending)) = order else { return Err(reading.refusal()) };
        reading.finish()?;
        Ok(Self { page, shows_all, order, is_descending })
    }
}

fn read_order(reading: &mut Reading, text: &str) -> Option<(UserOrder, bool)> {
    let mut words = text.split_whitespace();
    let order = match words.next() {
        None | Some("created_at" | "id") => UserOrder::CreatedAt,
        Some("updated_at") => UserOrder::UpdatedAt,
        Some("username" | "name") => UserOrder::Username,
        Some("user_id" | "email") => UserOrder::UserId,
        Some(_) => return reading.wrong("order_query", ORDER_HELP),
    };
    let rest: Vec<_> = words.collect();
    match rest[..] {
        [] | ["asc"] | ["asc", "nulls", "first" | "last"] => Some((order, false)),
        ["desc"] | ["desc", "nulls", "first" | "last"] => Some((order, true)),
        _ => reading.wrong("order_query", ORDER_HELP),
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
    extras: &'a RawValue,
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
            extras: user.extras.as_ref().map_or(empty(), raw),
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
    extras: &'a RawValue,
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
        extras: user.extras.as_ref().map_or(empty(), raw),
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
