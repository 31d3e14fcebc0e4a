//! Users as clients see them, and what they keep about themselves (wire facts 4.1, 4.2).

use confab_domain::limits;
use confab_domain::people::device::Device;
use confab_domain::people::registering::ProfileEdit;
use confab_domain::people::user::{User, UserId};
use confab_domain::refusal::Refusal;
use confab_domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::{IntoParams, ToSchema};

use super::comment::NestedAvatar;
use crate::body::Body;
use crate::message_api::users::read_picture;
use crate::message_api::{Page, read_page, read_some_user_ids, read_user_id};
use crate::raw_json::{empty, raw};
use crate::reading::{Given, Reading};
use crate::time::to_the_second;

/// `POST /login_or_register`
#[derive(Deserialize, ToSchema)]
#[schema(as = ClientLogin)]
pub struct LoginFields<'a> {
    /// The user id.
    #[schema(value_type = String, required = true, example = "ana", max_length = 255)]
    #[serde(borrow, default)]
    email: Given<'a>,
    /// Checked for a user who exists; kept for a new one.
    #[schema(value_type = String, required = true, max_length = 255)]
    #[serde(default)]
    password: Given<'a>,
    /// The name for people; the user id for a new user where absent.
    #[schema(value_type = Option<String>, max_length = 255)]
    #[serde(default)]
    username: Given<'a>,
    /// A picture.
    #[schema(value_type = Option<String>, max_length = 2048)]
    #[serde(default)]
    avatar_url: Given<'a>,
    /// Whatever the app keeps about the user.
    #[schema(value_type = Option<Object>)]
    #[serde(default)]
    extras: Given<'a>,
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
        let fields: LoginFields<'_> = body.fields()?;
        let mut reading = Reading::default();
        let user_id = read_user_id(&mut reading, "email", fields.email);
        let password = reading.short_text("password", fields.password, limits::PASSWORD_CHARS_MAX);
        let password = reading.needed("password", password.filter(|it| !it.is_empty()));
        let profile = (("username", fields.username), fields.avatar_url, fields.extras);
        let profile = read_edit(&mut reading, profile);
        let (Some(user_id), Some(password)) = (user_id, password) else {
            return Err(reading.refusal());
        };
        reading.finish()?;
        Ok(Self { user_id, password, profile })
    }
}

/// `PATCH /my_profile`
#[derive(Deserialize, ToSchema)]
#[schema(as = ClientProfile)]
pub struct ProfileFields<'a> {
    /// The name for people; an empty one stays as it is.
    #[schema(value_type = Option<String>, max_length = 255)]
    #[serde(borrow, default)]
    name: Given<'a>,
    /// A picture; an empty one stays as it is.
    #[schema(value_type = Option<String>, max_length = 2048)]
    #[serde(default)]
    avatar_url: Given<'a>,
    /// Whatever the app keeps about the user.
    #[schema(value_type = Option<Object>)]
    #[serde(default)]
    extras: Given<'a>,
}

/// Reads what shall change.
pub fn read_profile(body: &Body<'_>) -> Result<ProfileEdit, Refusal> {
    let fields: ProfileFields<'_> = body.fields()?;
    let mut reading = Reading::default();
    let profile = (("name", fields.name), fields.avatar_url, fields.extras);
    let edit = read_edit(&mut reading, profile);
    reading.finish()?;
    Ok(edit)
}

/// Forms send an empty text for what is not given.
fn read_edit(
    reading: &mut Reading,
    ((field, name), avatar_url, extras): ((&str, Given<'_>), Given<'_>, Given<'_>),
) -> ProfileEdit {
    let username = reading.name(field, name, limits::NAME_CHARS_MAX);
    let avatar_url = read_picture(reading, "avatar_url", avatar_url);
    let extras = reading.json_object("extras", extras);
    reading.check_bytes("extras", extras.as_ref(), limits::OPTIONS_BYTES_MAX);
    let filled = |text: &String| !text.is_empty();
    ProfileEdit { username: username.filter(filled), avatar_url: avatar_url.filter(filled), extras }
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

/// `POST /refresh_user_token`, `/expire_user_token` and `/logout`
#[derive(Deserialize, ToSchema)]
#[schema(as = ClientToken)]
pub struct TokenFields<'a> {
    /// Whose token: the caller's own.
    #[schema(value_type = Option<String>)]
    #[serde(borrow, default)]
    user_id: Given<'a>,
}

/// Reads whose token is meant, where somebody is named.
pub fn read_token_owner(body: &Body<'_>) -> Result<Option<String>, Refusal> {
    let fields: TokenFields<'_> = body.fields()?;
    let mut reading = Reading::default();
    let owner = reading.key("user_id", fields.user_id);
    reading.finish()?;
    Ok(owner.filter(|owner| !owner.is_empty()))
}

/// The answer of `refresh_user_token`. No `Debug`: it is a secret.
#[derive(Serialize, ToSchema)]
pub struct NewToken {
    /// What the user connects with from now on.
    token: String,
    /// Empty: a token is refreshed with itself (D-0044).
    refresh_token: &'static str,
    /// Tokens do not end by themselves.
    token_expires_at: Option<String>,
}

/// The new token of a user.
pub fn new_token(token: String) -> NewToken {
    NewToken { token, refresh_token: "", token_expires_at: None }
}

/// `GET /get_user_list`
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FindUsersFields<'a> {
    /// Stands in the name or the user id.
    #[param(value_type = Option<String>)]
    #[serde(borrow, default)]
    query: Given<'a>,
    /// From 1.
    #[param(value_type = Option<i64>)]
    #[serde(default)]
    page: Given<'a>,
    /// Default 20, at most 100.
    #[param(value_type = Option<i64>)]
    #[serde(default)]
    limit: Given<'a>,
}

/// Reads who is looked for.
pub fn read_find_users(query: &Body<'_>) -> Result<(String, Page), Refusal> {
    let fields: FindUsersFields<'_> = query.fields()?;
    let mut reading = Reading::default();
    let text = reading.short_text("query", fields.query, limits::NAME_CHARS_MAX);
    reading.finish()?;
    let page = read_page(fields.page, fields.limit, limits::PAGE_DEFAULT);
    Ok((text.unwrap_or_default(), page))
}

/// A page of a list.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageFields<'a> {
    /// From 1.
    #[param(value_type = Option<i64>)]
    #[serde(borrow, default)]
    page: Given<'a>,
    /// Default 20, at most 100.
    #[param(value_type = Option<i64>)]
    #[serde(default)]
    limit: Given<'a>,
}

/// Reads which page is wanted.
pub fn read_plain_page(query: &Body<'_>) -> Result<Page, Refusal> {
    let fields: PageFields<'_> = query.fields()?;
    Ok(read_page(fields.page, fields.limit, limits::PAGE_DEFAULT))
}

/// `POST /block_user` and `/unblock_user`
#[derive(Deserialize, ToSchema)]
#[schema(as = ClientBlock)]
pub struct BlockFields<'a> {
    /// Whom.
    #[schema(value_type = String, required = true, example = "bob")]
    #[serde(borrow, default)]
    user_email: Given<'a>,
}

/// Reads whom.
pub fn read_block(body: &Body<'_>) -> Result<UserId, Refusal> {
    let fields: BlockFields<'_> = body.fields()?;
    let mut reading = Reading::default();
    let user = read_user_id(&mut reading, "user_email", fields.user_email);
    user.ok_or_else(|| reading.refusal())
}

/// `POST /users/status`
#[derive(Deserialize, ToSchema)]
#[schema(as = ClientStatus)]
pub struct StatusFields<'a> {
    /// Whose, at most 100.
    #[schema(value_type = Vec<String>, required = true, min_items = 1, max_items = 100)]
    #[serde(borrow, default, alias = "user_ids[]")]
    user_ids: Given<'a>,
}

/// Reads whose status is wanted.
pub fn read_status(body: &Body<'_>) -> Result<Vec<UserId>, Refusal> {
    let fields: StatusFields<'_> = body.fields()?;
    let mut reading = Reading::default();
    let users =
        read_some_user_ids(&mut reading, "user_ids", fields.user_ids, limits::CALL_USERS_MAX);
    users.ok_or_else(|| reading.refusal())
}

/// `POST /set_user_device_token` and `/remove_user_device_token`
#[derive(Deserialize, ToSchema)]
#[schema(as = ClientDevice)]
pub struct DeviceFields<'a> {
    /// What the maker of the device knows it by.
    #[schema(value_type = String, required = true, max_length = 1024)]
    #[serde(borrow, default)]
    device_token: Given<'a>,
    /// Such as `ios`, `android` or `rn`.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    device_platform: Given<'a>,
    /// Whether the client is one that is being developed.
    #[schema(value_type = Option<bool>)]
    #[serde(default)]
    is_development: Given<'a>,
    /// The client's name; taken and not kept.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    bundle_id: Given<'a>,
}

/// Reads which device.
pub fn read_device(body: &Body<'_>) -> Result<Device, Refusal> {
    let fields: DeviceFields<'_> = body.fields()?;
    let mut reading = Reading::default();
    let chars_max = limits::DEVICE_TOKEN_CHARS_MAX;
    let token = reading.short_text("device_token", fields.device_token, chars_max);
    let token = reading.needed("device_token", token.filter(|it| !it.is_empty()));
    let platform =
        reading.short_text("device_platform", fields.device_platform, limits::LABEL_CHARS_MAX);
    let is_development = reading.boolean("is_development", fields.is_development);
    reading.text("bundle_id", fields.bundle_id);
    let Some(token) = token else { return Err(reading.refusal()) };
    reading.finish()?;
    let platform = platform.unwrap_or_default();
    Ok(Device { token, platform, is_development: is_development.unwrap_or(false) })
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
    extras: &'a RawValue,
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
            extras: user.extras.as_ref().map_or(empty(), raw),
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
        false => ClientUser { extras: empty(), ..ClientUser::from(user) },
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
