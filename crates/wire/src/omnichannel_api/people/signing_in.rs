//! Signing in and out (wire facts 5.1).

use confab_domain::agents::account::EmailAddress;
use confab_domain::agents::password::NewPassword;
use confab_domain::refusal::Refusal;
use confab_domain::service::customer_room::AgentRecord;
use serde::Serialize;
use utoipa::ToSchema;

use super::apps::{AppShape, ShownApp};
use crate::body::Body;
use crate::fields::{self, Email, Password};
use crate::request::request;
use crate::time::{to_the_plain_second, to_the_second};

request! {
    /// `POST /api/v1/auth`
    pub struct SignInFields as "SignIn" {
        /// The sign-in name.
        email: Email, required, example = "admin@localhost";
        /// The password.
        password: Password, required;
    }
}

/// Who wants to sign in. No `Debug`: it holds a password.
pub struct SignInRequest {
    /// The sign-in name.
    pub email: EmailAddress,
    /// The password.
    pub password: String,
}

impl SignInRequest {
    /// Reads the request.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let SignInFields { email, password } = body.read()?;
        Ok(Self { email, password })
    }
}

request! {
    /// `POST /api/v1/auth/change_password`
    pub struct ChangePasswordFields as "ChangePassword" {
        /// The password until now.
        current_password: Password, required;
        /// The password from now on.
        new_password: fields::NewPassword, required;
    }
}

/// A new password of the caller's own. No `Debug`.
pub struct ChangePassword {
    /// The password until now.
    pub current: String,
    /// The password from now on.
    pub new: NewPassword,
}

impl ChangePassword {
    /// Reads the request.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let ChangePasswordFields { current_password: current, new_password: new } = body.read()?;
        Ok(Self { current, new })
    }
}

/// Somebody who signed in, with their app. No `Debug`: it holds keys.
#[derive(Serialize, ToSchema)]
#[schema(as = SignedInUser)]
pub struct SignedInUserShape<'a> {
    id: i64,
    name: &'a str,
    email: &'a str,
    /// For the header Authorization, for 30 days; null where nobody signed in just now.
    authentication_token: Option<&'a str>,
    #[schema(example = "2026-01-31 10:00:00")]
    created_at: String,
    #[schema(example = "2026-01-31 10:00:00")]
    updated_at: String,
    /// The user that speaks for them in rooms.
    sdk_email: &'a str,
    /// What that user connects with.
    sdk_key: &'a str,
    is_available: bool,
    /// 1 is an admin, 2 an agent, 3 a supervisor.
    #[schema(example = 1)]
    r#type: i64,
    #[schema(example = "admin")]
    type_as_string: &'static str,
    avatar_url: Option<&'a str>,
    app_id: i64,
    is_verified: bool,
    /// Always null, as all below without a meaning here (D-0033).
    #[schema(value_type = Option<String>)]
    notifications_room_id: (),
    #[schema(value_type = Option<String>)]
    bubble_color: (),
    #[schema(value_type = Option<String>)]
    qismo_key: (),
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
    /// Always empty.
    #[schema(value_type = Vec<String>)]
    assigned_rules: [&'a str; 0],
    app: UserAppShape<'a>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = SignedInApp)]
struct UserAppShape<'a> {
    #[serde(flatten)]
    app: AppShape<'a>,
    app_config: AppConfigShape,
    /// Always empty: roles are those of `type`.
    #[schema(value_type = Vec<String>)]
    agent_roles: [&'a str; 0],
}

#[derive(Serialize, ToSchema)]
#[schema(as = AppConfig)]
struct AppConfigShape {
    id: i64,
    app_id: i64,
    #[schema(value_type = Option<String>)]
    widget: (),
    created_at: String,
    updated_at: String,
    #[schema(value_type = Option<String>)]
    offline_message: (),
    #[schema(value_type = Option<String>)]
    online_message: (),
    #[schema(example = "UTC")]
    timezone: &'static str,
    enable_bulk_assign: bool,
    send_online_if_resolved: bool,
    send_offline_each_message: bool,
}

/// What who signs in is answered. No `Debug`: it holds keys.
#[derive(Serialize, ToSchema)]
#[schema(as = SignedIn)]
pub struct SignedInShape<'a> {
    user: SignedInUserShape<'a>,
    details: DetailsShape<'a>,
    /// The same token once more.
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

/// Who signed in, with the token of it.
pub fn signed_in<'a>(
    agent: &'a AgentRecord,
    token: &'a str,
    app: ShownApp<'a>,
) -> SignedInShape<'a> {
    let profile = &agent.profile;
    SignedInShape {
        user: user(agent, Some(token), app),
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

/// Who somebody is, with their app.
pub fn user<'a>(
    agent: &'a AgentRecord,
    token: Option<&'a str>,
    app: ShownApp<'a>,
) -> SignedInUserShape<'a> {
    let (profile, user) = (&agent.profile, &agent.profile.user);
    SignedInUserShape {
        id: user.id.0,
        name: &user.name,
        email: &user.email,
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
        qismo_key: (),
        direct_login_token: (),
        last_login: profile.last_login_at.map(to_the_second),
        force_offline: profile.is_forced_offline,
        deleted_at: (),
        is_toc_agree: true,
        totp_token: (),
        is_req_otp_reset: false,
        last_password_update: (),
        assigned_rules: [],
        app: user_app(app),
    }
}

fn user_app(app: ShownApp<'_>) -> UserAppShape<'_> {
    let app_config = AppConfigShape {
        id: app.app.id.0,
        app_id: app.app.id.0,
        widget: (),
        created_at: to_the_plain_second(app.app.created_at),
        updated_at: to_the_plain_second(app.changed_at()),
        offline_message: (),
        online_message: (),
        timezone: "UTC",
        enable_bulk_assign: false,
        send_online_if_resolved: false,
        send_offline_each_message: false,
    };
    UserAppShape { app: app.shape(), app_config, agent_roles: [] }
}

/// `{message}`: that it is done.
#[derive(Debug, Serialize, ToSchema)]
pub struct Done {
    /// One sentence.
    #[schema(example = "You are signed out.")]
    pub message: &'static str,
}
