//! Users as clients see them, and what they keep about themselves (wire facts 4.1, 4.2).

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
use crate::fields::{self, Filled, Short, Users};
use crate::message_api::Page;
use crate::raw_json::empty;
use crate::request::request;
use crate::shown_extras::{ShownExtras, shown_extras};
use crate::time::to_the_second;

request! {
    /// `POST /login_or_register`
    pub struct LoginFields as "ClientLogin" {
        /// The user id.
        email: fields::User, required, example = "ana";
        /// Checked for a user who exists; kept for a new one.
        password: Filled<Short<{ limits::PASSWORD_CHARS_MAX }>>, required;
        /// The name for people; the user id for a new user where absent.
        username: Filled<fields::Name>, optional;
        /// A picture.
        avatar_url: Filled<fields::Picture>, optional;
        /// Whatever the app keeps about the user.
        extras: fields::Properties, optional;
    }
}

/// Who wants to be whom. No `Debug`: the password is a secret.
pub struct Login {
    /// Whom.
    pub user_id: UserId,
    /// What proves it.
    pub password: String,
    /// What shall be known of them.
    pub profile: ProfileEdit,
}

impl Login {
    /// Reads the body.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let LoginFields { email: user_id, password, username, avatar_url, extras } = body.read()?;
        Ok(Self { user_id, password, profile: ProfileEdit { username, avatar_url, extras } })
    }
}

request! {
    /// `PATCH /my_profile`
    pub struct ProfileFields as "ClientProfile" {
        /// The name for people; an empty one stays as it is.
        name: Filled<fields::Name>, optional;
        /// A picture; an empty one stays as it is.
        avatar_url: Filled<fields::Picture>, optional;
        /// Whatever the app keeps about the user.
        extras: fields::Properties, optional;
    }
}

/// Reads what shall change.
pub fn read_profile(body: &Body<'_>) -> Result<ProfileEdit, Refusal> {
    let ProfileFields { name: username, avatar_url, extras } = body.read()?;
    Ok(ProfileEdit { username, avatar_url, extras })
}

/// Checks a name and a picture that a token of identity holds.
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
    /// `POST /refresh_user_token`, `/expire_user_token` and `/logout`
    pub struct TokenFields as "ClientToken" {
        /// Whose token: the caller's own.
        user_id: Filled<fields::Key>, optional;
    }
}

/// Reads whose token is meant, where somebody is named.
pub fn read_token_owner(body: &Body<'_>) -> Result<Option<String>, Refusal> {
    body.read().map(|fields: TokenFields| fields.user_id)
}

/// The answer of `refresh_user_token`. No `Debug`: it is a secret.
#[derive(Serialize, ToSchema)]
pub struct NewToken {
    /// What the user connects with from now on.
    token: String,
    /// Empty: a token is refreshed with itself (D-0044).
    refresh_token: &'static str,
    /// Empty: tokens do not end by themselves, and a null is more than some clients bear.
    token_expires_at: &'static str,
}

/// The new token of a user.
pub fn new_token(token: String) -> NewToken {
    NewToken { token, refresh_token: "", token_expires_at: "" }
}

request! {
    /// `GET /get_user_list`
    pub struct FindUsersFields {
        /// Stands in the name or the user id.
        query: Short<{ limits::NAME_CHARS_MAX }>, or String::new();
        page: Page, group;
    }
}

/// Reads who is looked for.
pub fn read_find_users(query: &Body<'_>) -> Result<(String, Page), Refusal> {
    let FindUsersFields { query, page } = query.read()?;
    Ok((query, page))
}

request! {
    /// A page of a list.
    pub struct PageFields {
        page: Page, group;
    }
}

/// Reads which page is wanted.
pub fn read_plain_page(query: &Body<'_>) -> Result<Page, Refusal> {
    query.read().map(|fields: PageFields| fields.page)
}

request! {
    /// `POST /block_user` and `/unblock_user`
    pub struct BlockFields as "ClientBlock" {
        /// Whom.
        user_email: fields::User, required, example = "bob";
    }
}

/// Reads whom.
pub fn read_block(body: &Body<'_>) -> Result<UserId, Refusal> {
    body.read().map(|fields: BlockFields| fields.user_email)
}

request! {
    /// `POST /users/status`
    pub struct StatusFields as "ClientStatus" {
        /// Whose, at most 100.
        user_ids: Users<1, { limits::CALL_USERS_MAX }>, required, also = "user_ids[]",
            example = r#"["bob"]"#;
    }
}

/// Reads whose status is wanted.
pub fn read_status(body: &Body<'_>) -> Result<Vec<UserId>, Refusal> {
    body.read().map(|fields: StatusFields| fields.user_ids)
}

request! {
    /// `POST /set_user_device_token` and `/remove_user_device_token`
    pub struct DeviceFields as "ClientDevice" {
        /// What the maker of the device knows it by.
        device_token: Filled<Short<{ limits::DEVICE_TOKEN_CHARS_MAX }>>, required;
        /// Such as `ios`, `android` or `rn`.
        device_platform: Short<{ limits::LABEL_CHARS_MAX }>, or String::new();
        /// Whether the client is one that is being developed.
        is_development: fields::Flag, or false;
        /// The client's name; taken and not kept.
        bundle_id: fields::Unkept, or ();
    }
}

/// Reads which device.
pub fn read_device(body: &Body<'_>) -> Result<Device, Refusal> {
    let fields: DeviceFields = body.read()?;
    let DeviceFields { device_token: token, device_platform: platform, bundle_id: (), .. } = fields;
    Ok(Device { token, platform, is_development: fields.is_development })
}

/// The answer about a device.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeviceChanged {
    changed: bool,
    pn_android_configured: bool,
    pn_ios_configured: bool,
}

/// Whether anything changed.
pub fn device_changed(changed: bool, pushes_to_ios: bool) -> DeviceChanged {
    DeviceChanged { changed, pn_android_configured: false, pn_ios_configured: pushes_to_ios }
}

/// Somebody else, as a client sees them.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClientUser<'a> {
    active: bool,
    avatar: NestedAvatar<'a>,
    avatar_url: &'a str,
    #[schema(example = "2026-01-31T10:00:00Z")]
    created_at: String,
    /// The user id.
    email: &'a str,
    #[schema(value_type = Object)]
    extras: ShownExtras<'a>,
    id: i64,
    id_str: String,
    /// The same as `username`.
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

/// `results.user`
#[derive(Debug, Serialize, ToSchema)]
pub struct ClientUserBox<'a> {
    /// The user.
    pub user: ClientUser<'a>,
}

/// The answer about somebody else.
pub fn other_user(user: &User) -> ClientUserBox<'_> {
    ClientUserBox { user: user.into() }
}

/// How long a list of users is.
#[derive(Debug, Serialize, ToSchema)]
pub struct FoundMeta {
    total_data: u64,
    total_page: u64,
}

/// The answer of `get_user_list`.
#[derive(Debug, Serialize, ToSchema)]
pub struct FoundUsers<'a> {
    meta: FoundMeta,
    users: Vec<ClientUser<'a>>,
}

/// A page of the users that were looked for, of so many; what the app keeps about them is shown or
/// left out.
pub fn found_users(users: &[User], total: u64, page: Page, shows_extras: bool) -> FoundUsers<'_> {
    let shown = |user| match shows_extras {
        true => ClientUser::from(user),
        false => ClientUser { extras: ShownExtras::Borrowed(empty()), ..ClientUser::from(user) },
    };
    let total_page = total.div_ceil(page.size as u64);
    let meta = FoundMeta { total_data: total, total_page };
    FoundUsers { meta, users: users.iter().map(shown).collect() }
}

/// The answer of `get_blocked_users`: clients read one or the other.
#[derive(Debug, Serialize, ToSchema)]
pub struct BlockedUsers<'a> {
    blocked_user: Vec<ClientUser<'a>>,
    blocked_users: Vec<ClientUser<'a>>,
    users: Vec<ClientUser<'a>>,
    total: u64,
}

/// A page of those whom somebody blocked, of so many.
pub fn blocked_users(users: &[User], total: u64) -> BlockedUsers<'_> {
    let listed = || users.iter().map(ClientUser::from).collect();
    BlockedUsers { blocked_user: listed(), blocked_users: listed(), users: listed(), total }
}

/// Whether somebody is there.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserStatus<'a> {
    email: &'a str,
    /// 1 or 0.
    status: u8,
    /// Unix seconds; 0 for who was never there.
    timestamp: i64,
}

/// Whether a user is there, and since when or until when.
pub fn user_status(user: &UserId, is_online: bool, at: Option<Timestamp>) -> UserStatus<'_> {
    let timestamp = at.map_or(0, Timestamp::unix_seconds);
    UserStatus { email: user.as_str(), status: u8::from(is_online), timestamp }
}

/// The answer of `users/status`.
#[derive(Debug, Serialize, ToSchema)]
pub struct UserStatuses<'a> {
    /// One entry a user.
    pub user_status: Vec<UserStatus<'a>>,
}

/// The answer of `total_unread_count` and `get_room_unread_count`.
#[derive(Debug, Serialize, ToSchema)]
pub struct TotalUnread {
    /// Messages, or rooms.
    pub total_unread_count: u64,
}
