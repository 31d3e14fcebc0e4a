//! Sign-in, own profile and password of an agent (wire facts 5.1).

use confab_domain::agents::account::EmailAddress;
use confab_domain::agents::division::{Division, Divisions};
use confab_domain::agents::password::NewPassword;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::support::automation::auto_reply::AutoReplies;
use confab_domain::support::conversations::customer_room::AgentRecord;
use confab_domain::support::settings::Settings;
use confab_domain::webhooks::event::AgentProfile;
use serde::Serialize;
use utoipa::ToSchema;

use super::apps::{AppShape, ShownApp};
use crate::body::Body;
use crate::fields::{self, Email, Label, Password};
use crate::request::request;
use crate::time::{to_the_plain_second, to_the_second};

request! {
    /// Body of `POST /api/v1/auth`.
    pub struct SignInFields as "SignIn" {
        /// Email address with which the agent signs in.
        email: Email, required, example = "admin@localhost";
        /// Password of the agent.
        password: Password, required;
    }
}

/// A request to sign in. No `Debug`, because it contains a password.
pub struct SignInRequest {
    /// Email address with which the agent signs in.
    pub email: EmailAddress,
    pub password: String,
}

impl SignInRequest {
    /// Parses the body of `POST /api/v1/auth`.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let SignInFields { email, password } = body.read()?;
        Ok(Self { email, password })
    }
}

request! {
    /// Body of `POST /api/v1/auth/change_password`.
    pub struct ChangePasswordFields as "ChangePassword" {
        /// Current password; optional if the agent has none yet (`has_password` of `me`).
        current_password: Password, optional;
        /// New password of the caller.
        new_password: fields::NewPassword, required;
    }
}

/// A request to change the caller's own password. No `Debug`, because it contains passwords.
pub struct ChangePassword {
    /// Current password; `None` if the agent has none yet.
    pub current: Option<String>,
    /// New password of the caller.
    pub new: NewPassword,
}

impl ChangePassword {
    /// Parses the body of `POST /api/v1/auth/change_password`.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let ChangePasswordFields { current_password: current, new_password: new } = body.read()?;
        Ok(Self { current, new })
    }
}

request! {
    /// Body of `POST /api/v1/auth/get_token_by_qismo_key`.
    pub struct ExchangeTokenFields as "ExchangeToken" {
        /// App code of the agent's app.
        app_id: Label<{ limits::NAME_CHARS_MAX }>, required, example = "shop";
        /// `qismo_key` from the profile of the agent who owns the SDK token.
        qismo_key: Label<{ limits::NAME_CHARS_MAX }>, required;
    }
}

/// A request to exchange an SDK token for a sign-in token. No `Debug`, because it contains a key.
pub struct ExchangeToken {
    pub app_code: String,
    /// `qismo_key` of the agent who owns the SDK token.
    pub key: String,
}

impl ExchangeToken {
    /// Parses the body of `POST /api/v1/auth/get_token_by_qismo_key`.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let ExchangeTokenFields { app_id: app_code, qismo_key: key } = body.read()?;
        Ok(Self { app_code, key })
    }
}

request! {
    /// Body of `POST /api/v1/agent/update_profile`.
    pub struct UpdateProfileFields as "UpdateProfile" {
        /// Display name of the caller.
        name: Label<{ limits::NAME_CHARS_MAX }>, required, example = "Ana";
        /// Email address with which the agent signs in; unchanged if absent.
        email: Email, optional, example = "ana@example.com";
    }
}

/// Parses the caller's new display name and, if present, new email address.
pub fn read_profile(body: &Body<'_>) -> Result<(String, Option<EmailAddress>), Refusal> {
    body.read().map(|fields: UpdateProfileFields| (fields.name, fields.email))
}

/// A signed-in agent, with their app. No `Debug`, because it contains keys.
#[derive(Serialize, ToSchema)]
#[schema(as = SignedInUser)]
pub struct SignedInUserShape<'a> {
    id: i64,
    name: &'a str,
    email: &'a str,
    /// Same value as `email`: agent apps read an admin's address here.
    email_address: &'a str,
    /// Token for the header Authorization, valid for 30 days; null unless the response is to a
    /// sign-in.
    authentication_token: Option<&'a str>,
    #[schema(example = "2026-01-31 10:00:00")]
    created_at: String,
    #[schema(example = "2026-01-31 10:00:00")]
    updated_at: String,
    /// User id under which the agent posts in rooms.
    sdk_email: &'a str,
    /// Access token of the user as whom the agent posts.
    sdk_key: &'a str,
    is_available: bool,
    /// Role: 1 is an admin, 2 an agent, 3 a supervisor.
    #[schema(example = 1)]
    r#type: i64,
    #[schema(example = "admin")]
    type_as_string: &'static str,
    avatar_url: Option<&'a str>,
    app_id: i64,
    is_verified: bool,
    /// Always null, like all fields that exist only for compatibility with existing clients.
    #[schema(value_type = Option<String>)]
    notifications_room_id: (),
    #[schema(value_type = Option<String>)]
    bubble_color: (),
    /// Key for `get_token_by_qismo_key`; valid as long as `sdk_key`.
    qismo_key: String,
    #[schema(value_type = Option<String>)]
    direct_login_token: (),
    #[schema(example = "2026-01-31T10:00:00Z")]
    last_login: Option<String>,
    force_offline: bool,
    #[schema(value_type = Option<String>)]
    deleted_at: (),
    is_toc_agree: bool,
    #[schema(value_type = Option<String>)]
    totp_token: (),
    is_req_otp_reset: bool,
    #[schema(value_type = Option<String>)]
    last_password_update: (),
    /// Always empty; the field exists only for compatibility with existing clients.
    #[schema(value_type = Vec<String>)]
    assigned_rules: [&'a str; 0],
    app: UserAppShape<'a>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = SignedInApp)]
struct UserAppShape<'a> {
    #[serde(flatten)]
    app: AppShape<'a>,
    app_config: AppConfigShape<'a>,
    /// Divisions of the app.
    agent_roles: Vec<AgentRoleShape<'a>>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = AgentRole)]
struct AgentRoleShape<'a> {
    id: i64,
    app_id: i64,
    name: &'a str,
    /// Whether new agents are added to this division by default.
    is_default_role: bool,
    #[schema(example = "2026-01-31 10:00:00")]
    created_at: String,
    #[schema(example = "2026-01-31 10:00:00")]
    updated_at: String,
}

#[derive(Serialize, ToSchema)]
#[schema(as = AppConfig)]
struct AppConfigShape<'a> {
    id: i64,
    app_id: i64,
    #[schema(value_type = Option<String>)]
    widget: (),
    created_at: String,
    updated_at: String,
    /// Automatic reply outside office hours; null for none.
    offline_message: Option<&'a str>,
    /// Automatic reply during office hours; null for none.
    online_message: Option<&'a str>,
    #[schema(example = "UTC")]
    timezone: &'a str,
    enable_bulk_assign: bool,
    send_online_if_resolved: bool,
    send_offline_each_message: bool,
}

/// Response data of a sign-in. No `Debug`, because it contains keys.
#[derive(Serialize, ToSchema)]
#[schema(as = SignedIn)]
pub struct SignedInShape<'a> {
    user: SignedInUserShape<'a>,
    details: DetailsShape<'a>,
    /// Same value as `user.authentication_token`.
    long_lived_token: &'a str,
    user_configs: UserConfigsShape,
    use_2fa: bool,
    need_setup_otp: bool,
}

#[derive(Serialize, ToSchema)]
#[schema(as = SignedInDetails)]
struct DetailsShape<'a> {
    is_integrated: bool,
    sdk_user: SdkUserShape<'a>,
    app: DetailsAppShape<'a>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = SignedInDetailsApp)]
struct DetailsAppShape<'a> {
    #[serde(flatten)]
    app: AppShape<'a>,
    is_bulk_assignment_enabled: bool,
}

#[derive(Serialize, ToSchema)]
#[schema(as = SignedInSdkUser)]
struct SdkUserShape<'a> {
    id: i64,
    token: &'a str,
    email: &'a str,
    display_name: &'a str,
    avatar_url: &'a str,
    extras: SdkExtrasShape,
}

#[derive(Serialize, ToSchema)]
#[schema(as = SignedInSdkExtras)]
struct SdkExtrasShape {
    r#type: &'static str,
    #[schema(value_type = Option<String>)]
    user_bubble_color: (),
}

#[derive(Serialize, ToSchema)]
#[schema(as = SignedInConfigs)]
struct UserConfigsShape {
    notifagentjoining: &'static str,
    is_notifagentjoining_enabled: bool,
    notifmessagecoming: &'static str,
    is_notifmessagecoming_enabled: bool,
}

/// The parts of a signed-in agent's own profile that come from their app. No `Debug`, because it
/// contains a key.
pub struct OwnOffice<'a> {
    /// Key that the agent sends with their SDK token to get a sign-in token.
    pub qismo_key: String,
    /// Divisions of the app.
    pub divisions: &'a Divisions,
    /// Automatic replies of the app.
    pub auto_replies: &'a AutoReplies,
}

/// Returns the response data of a sign-in. `token` is the new sign-in token.
pub fn signed_in<'a>(
    agent: &'a AgentRecord,
    token: &'a str,
    app: ShownApp<'a>,
    own: OwnOffice<'a>,
) -> SignedInShape<'a> {
    let profile = &agent.profile;
    SignedInShape {
        user: user(profile, Some(token), app, own),
        details: DetailsShape {
            is_integrated: true,
            sdk_user: SdkUserShape {
                id: agent.speaker.0,
                token: &profile.sdk_key,
                email: profile.sdk_user.as_str(),
                display_name: &profile.user.name,
                avatar_url: profile.avatar_url.as_deref().unwrap_or_default(),
                extras: SdkExtrasShape {
                    r#type: profile.user.role.as_str(),
                    user_bubble_color: (),
                },
            },
            app: DetailsAppShape { app: app.shape(), is_bulk_assignment_enabled: false },
        },
        long_lived_token: token,
        user_configs: UserConfigsShape {
            notifagentjoining: "",
            is_notifagentjoining_enabled: false,
            notifmessagecoming: "",
            is_notifmessagecoming_enabled: false,
        },
        use_2fa: false,
        need_setup_otp: false,
    }
}

/// Returns the agent's own profile, with their app.
pub fn user<'a>(
    profile: &'a AgentProfile,
    token: Option<&'a str>,
    app: ShownApp<'a>,
    own: OwnOffice<'a>,
) -> SignedInUserShape<'a> {
    let user = &profile.user;
    SignedInUserShape {
        id: user.id.0,
        name: &user.name,
        email: &user.email,
        email_address: &user.email,
        authentication_token: token,
        created_at: to_the_plain_second(user.created_at),
        updated_at: to_the_plain_second(profile.updated_at),
        sdk_email: profile.sdk_user.as_str(),
        sdk_key: &profile.sdk_key,
        is_available: profile.is_available,
        r#type: user.role.number(),
        type_as_string: user.role.as_str(),
        avatar_url: profile.avatar_url.as_deref(),
        app_id: user.app.0,
        is_verified: profile.is_verified,
        notifications_room_id: (),
        bubble_color: (),
        qismo_key: own.qismo_key,
        direct_login_token: (),
        last_login: profile.last_login_at.map(to_the_second),
        force_offline: profile.is_forced_offline,
        deleted_at: (),
        is_toc_agree: true,
        totp_token: (),
        is_req_otp_reset: false,
        last_password_update: (),
        assigned_rules: [],
        app: user_app(app, own.divisions, own.auto_replies),
    }
}

fn user_app<'a>(
    app: ShownApp<'a>,
    divisions: &'a Divisions,
    auto_replies: &'a AutoReplies,
) -> UserAppShape<'a> {
    let app_id = app.app.id.0;
    let app_config = AppConfigShape {
        id: app_id,
        app_id,
        widget: (),
        created_at: to_the_plain_second(app.app.created_at),
        updated_at: to_the_plain_second(app.changed_at()),
        offline_message: auto_replies.offline_text.as_deref(),
        online_message: auto_replies.online_text.as_deref(),
        timezone: app.settings.get(Settings::TIMEZONE).unwrap_or("UTC"),
        enable_bulk_assign: false,
        send_online_if_resolved: auto_replies.is_online_if_resolved.unwrap_or(false),
        send_offline_each_message: auto_replies.is_offline_each_message.unwrap_or(false),
    };
    let role = |it: &'a Division| AgentRoleShape {
        id: it.id.0,
        app_id,
        name: &it.name,
        is_default_role: it.is_default,
        created_at: to_the_plain_second(it.created_at),
        updated_at: to_the_plain_second(it.updated_at),
    };
    let agent_roles = divisions.all.iter().map(role).collect();
    UserAppShape { app: app.shape(), app_config, agent_roles }
}

/// Response data that only confirms an action.
#[derive(Debug, Serialize, ToSchema)]
pub struct Done {
    /// Confirmation to show to the user.
    #[schema(example = "You are signed out.")]
    pub message: &'static str,
}
