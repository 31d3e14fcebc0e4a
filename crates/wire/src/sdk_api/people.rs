//! Requests and responses of clients about users (wire facts 4.1, 4.2).

use confab_domain::limits;
use confab_domain::people::device::Device;
use confab_domain::people::registering::ProfileEdit;
use confab_domain::people::user::{User, UserId};
use confab_domain::refusal::Refusal;
use confab_domain::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::comment::NestedAvatar;
use crate::body::Body;
use crate::fields::{self, NonEmpty, Short, Users};
use crate::message_api::Page;
use crate::raw_json::empty;
use crate::request::request;
use crate::shown_extras::{ShownExtras, shown_extras};
use crate::time::to_the_second;

request! {
    /// Body of `POST /login_or_register`.
    pub struct LoginFields as "ClientLogin" {
        /// Id of the user to log in or register.
        email: fields::User, required, example = "ana";
        /// Password of the user. It must be correct for an existing user, and becomes the password
        /// of a new user.
        password: NonEmpty<Short<{ limits::PASSWORD_CHARS_MAX }>>, required;
        /// Display name of the user. A new user without one has the user id as the display name.
        username: NonEmpty<fields::Name>, optional;
        /// URL of the user's picture.
        avatar_url: NonEmpty<fields::Picture>, optional;
        /// Metadata of the user, defined by the app.
        extras: fields::Properties, optional;
    }
}

/// A request to log in or register. No `Debug`, because the password is secret.
pub struct Login {
    pub user_id: UserId,
    pub password: String,
    /// Changes to the user's profile.
    pub profile: ProfileEdit,
}

impl Login {
    /// Parses the body.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let LoginFields { email: user_id, password, username, avatar_url, extras } = body.read()?;
        Ok(Self { user_id, password, profile: ProfileEdit { username, avatar_url, extras } })
    }
}

request! {
    /// Body of `PATCH /my_profile`.
    pub struct ProfileFields as "ClientProfile" {
        /// Display name; unchanged if empty.
        name: NonEmpty<fields::Name>, optional;
        /// URL of the user's picture; unchanged if empty.
        avatar_url: NonEmpty<fields::Picture>, optional;
        /// Metadata of the user, defined by the app.
        extras: fields::Properties, optional;
    }
}

/// Parses changes to the caller's profile.
pub fn read_profile(body: &Body<'_>) -> Result<ProfileEdit, Refusal> {
    let ProfileFields { name: username, avatar_url, extras } = body.read()?;
    Ok(ProfileEdit { username, avatar_url, extras })
}

/// Returns the name and the picture URL from an identity token; invalid values are ignored.
pub fn read_claims(name: Option<String>, avatar_url: Option<String>) -> ProfileEdit {
    let is_short = |text: &String, chars_max| !text.is_empty() && text.chars().count() <= chars_max;
    ProfileEdit {
        username: name
            .filter(|it| is_short(it, limits::NAME_CHARS_MAX) && !it.contains(char::is_control)),
        avatar_url: avatar_url.filter(|it| {
            let is_web = it.starts_with("https://") || it.starts_with("http://");
            is_web && is_short(it, limits::URL_CHARS_MAX) && !it.contains(char::is_control)
        }),
        extras: None,
    }
}

request! {
    /// Body of `POST /refresh_user_token`, `/expire_user_token` and `/logout`.
    pub struct TokenFields as "ClientToken" {
        /// User id of the token's owner; must be the caller.
        user_id: NonEmpty<fields::Key>, optional;
    }
}

/// Parses the user id of the token's owner, if present.
pub fn read_token_owner(body: &Body<'_>) -> Result<Option<String>, Refusal> {
    body.read().map(|fields: TokenFields| fields.user_id)
}

/// The `results` object of `refresh_user_token`. No `Debug`, because the token is secret.
#[derive(Serialize, ToSchema)]
pub struct NewToken {
    /// New access token of the user.
    token: String,
    /// Always empty: clients refresh an access token with the access token itself.
    refresh_token: &'static str,
    /// Always empty: tokens do not expire, and some clients do not accept null.
    token_expires_at: &'static str,
}

/// Returns the new token of a user.
pub fn new_token(token: String) -> NewToken {
    NewToken { token, refresh_token: "", token_expires_at: "" }
}

request! {
    /// Query of `GET /get_user_list`.
    pub struct FindUsersFields {
        /// Part of the display name or of the user id to search for.
        query: Short<{ limits::NAME_CHARS_MAX }>, or String::new();
        page: Page, group;
    }
}

/// Parses the text to search for, and the page.
pub fn read_find_users(query: &Body<'_>) -> Result<(String, Page), Refusal> {
    let FindUsersFields { query, page } = query.read()?;
    Ok((query, page))
}

request! {
    /// Query of a call that returns one page of a list.
    pub struct PageFields {
        page: Page, group;
    }
}

/// Parses the page number and size.
pub fn read_plain_page(query: &Body<'_>) -> Result<Page, Refusal> {
    query.read().map(|fields: PageFields| fields.page)
}

request! {
    /// Body of `POST /block_user` and `/unblock_user`.
    pub struct BlockFields as "ClientBlock" {
        /// User id of the user to block or unblock.
        user_email: fields::User, required, example = "bob";
    }
}

/// Parses the user to block or unblock.
pub fn read_block(body: &Body<'_>) -> Result<UserId, Refusal> {
    body.read().map(|fields: BlockFields| fields.user_email)
}

request! {
    /// Body of `POST /users/status`.
    pub struct StatusFields as "ClientStatus" {
        /// Ids of the users whose presence is requested, at most 100.
        user_ids: Users<1, { limits::CALL_USERS_MAX }>, required, also = "user_ids[]",
            example = r#"["bob"]"#;
    }
}

/// Parses the users whose presence is requested.
pub fn read_status(body: &Body<'_>) -> Result<Vec<UserId>, Refusal> {
    body.read().map(|fields: StatusFields| fields.user_ids)
}

request! {
    /// Body of `POST /set_user_device_token` and `/remove_user_device_token`.
    pub struct DeviceFields as "ClientDevice" {
        /// Token of the device at its push service.
        device_token: NonEmpty<Short<{ limits::DEVICE_TOKEN_CHARS_MAX }>>, required;
        /// Platform of the device, such as `ios`, `android` or `rn`.
        device_platform: Short<{ limits::LABEL_CHARS_MAX }>, or String::new();
        /// Whether the client is a development build.
        is_development: fields::Flag, or false;
        /// Accepted and ignored: name of the client.
        bundle_id: fields::Unkept, or ();
    }
}

/// Parses the device whose push token is set or removed.
pub fn read_device(body: &Body<'_>) -> Result<Device, Refusal> {
    let fields: DeviceFields = body.read()?;
    let DeviceFields { device_token: token, device_platform: platform, bundle_id: (), .. } = fields;
    Ok(Device { token, platform, is_development: fields.is_development })
}

/// The `results` object of a call about a device.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeviceChanged {
    changed: bool,
    pn_android_configured: bool,
    pn_ios_configured: bool,
}

/// Returns whether the call changed anything, and for which platforms push notifications are
/// configured.
pub fn device_changed(changed: bool, pushes_to_ios: bool) -> DeviceChanged {
    DeviceChanged { changed, pn_android_configured: false, pn_ios_configured: pushes_to_ios }
}

/// Another user, as seen by a client.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClientUser<'a> {
    active: bool,
    avatar: NestedAvatar<'a>,
    avatar_url: &'a str,
    #[schema(example = "2026-01-31T10:00:00Z")]
    created_at: String,
    /// Id of the user, as assigned by the app.
    email: &'a str,
    #[schema(value_type = Object)]
    extras: ShownExtras<'a>,
    id: i64,
    id_str: String,
    /// Same value as `username`.
    name: &'a str,
    #[schema(example = "2026-01-31T10:00:00Z")]
    updated_at: String,
    username: &'a str,
}

impl<'a> From<&'a User> for ClientUser<'a> {
    fn from(user: &'a User) -> Self {
        Self {
            active: user.is_active,
            avatar: NestedAvatar::new(&user.avatar_url),
            avatar_url: &user.avatar_url,
            created_at: to_the_second(user.created_at),
            email: user.user_id.as_str(),
            extras: shown_extras(user),
            id: user.key.0,
            id_str: user.key.to_string(),
            name: &user.username,
            updated_at: to_the_second(user.updated_at),
            username: &user.username,
        }
    }
}

/// The `results` object of a response with one user.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClientUserBox<'a> {
    pub user: ClientUser<'a>,
}

/// Returns a response with another user.
pub fn other_user(user: &User) -> ClientUserBox<'_> {
    ClientUserBox { user: user.into() }
}

/// Total number of users in a list, and number of its pages.
#[derive(Debug, Serialize, ToSchema)]
pub struct FoundMeta {
    total_data: u64,
    total_page: u64,
}

/// The `results` object of `get_user_list`.
#[derive(Debug, Serialize, ToSchema)]
pub struct FoundUsers<'a> {
    meta: FoundMeta,
    users: Vec<ClientUser<'a>>,
}

/// Returns one page of `total` matching users. Their `extras` are empty unless `shows_extras`.
pub fn found_users(users: &[User], total: u64, page: Page, shows_extras: bool) -> FoundUsers<'_> {
    let shown = |user| match shows_extras {
        true => ClientUser::from(user),
        false => ClientUser { extras: ShownExtras::Borrowed(empty()), ..ClientUser::from(user) },
    };
    let total_page = total.div_ceil(page.size as u64);
    let meta = FoundMeta { total_data: total, total_page };
    FoundUsers { meta, users: users.iter().map(shown).collect() }
}

/// The `results` object of `get_blocked_users`. The list has several names, because clients differ
/// in which one they read.
#[derive(Debug, Serialize, ToSchema)]
pub struct BlockedUsers<'a> {
    blocked_user: Vec<ClientUser<'a>>,
    blocked_users: Vec<ClientUser<'a>>,
    users: Vec<ClientUser<'a>>,
    total: u64,
}

/// Returns one page of `total` users whom the caller blocked.
pub fn blocked_users(users: &[User], total: u64) -> BlockedUsers<'_> {
    let listed = || users.iter().map(ClientUser::from).collect();
    BlockedUsers { blocked_user: listed(), blocked_users: listed(), users: listed(), total }
}

/// The presence of a user.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserStatus<'a> {
    email: &'a str,
    /// 1 if the user is online, 0 if not.
    status: u8,
    /// Unix time in seconds when the user came online or was last online; 0 if never.
    timestamp: i64,
}

/// Returns the presence of a user. `at` is the time when they came online or were last online.
pub fn user_status(user: &UserId, is_online: bool, at: Option<Timestamp>) -> UserStatus<'_> {
    let timestamp = at.map_or(0, Timestamp::unix_seconds);
    UserStatus { email: user.as_str(), status: u8::from(is_online), timestamp }
}

/// The `results` object of `users/status`.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserStatuses<'a> {
    /// One entry per user.
    pub user_status: Vec<UserStatus<'a>>,
}

/// The `results` object of `total_unread_count` and `get_room_unread_count`.
#[derive(Debug, Serialize, ToSchema)]
pub struct TotalUnread {
    /// Number of unread messages for `total_unread_count`, or of rooms with unread messages for
    /// `get_room_unread_count`.
    pub total_unread_count: u64,
}
