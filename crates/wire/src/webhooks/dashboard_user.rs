//! The dashboard user object (spec 2.5): a candidate agent, or the user that logged out.

use confab_domain::webhooks::event::AgentProfile;
use serde::Serialize;
use utoipa::ToSchema;

use crate::time::to_the_second;

/// An agent, admin or supervisor of the app.
// No `Debug`: it contains a key.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookDashboardUser)]
pub(super) struct DashboardUserShape<'a> {
    avatar_url: Option<&'a str>,
    // Spec 2.5: the logout body may omit the `Z`. It is always written, because strict clients need
    // it.
    created_at: String,
    email: &'a str,
    force_offline: bool,
    id: i64,
    is_available: bool,
    is_verified: bool,
    // Spec 2.5 has no null here: before the first sign-in it is the account's creation time.
    last_login: String,
    name: &'a str,
    sdk_email: &'a str,
    sdk_key: &'a str,
    r#type: i64,
    type_as_string: &'a str,
    updated_at: String,
}

impl<'a> From<&'a AgentProfile> for DashboardUserShape<'a> {
    fn from(profile: &'a AgentProfile) -> Self {
        let user = &profile.user;
        Self {
            avatar_url: profile.avatar_url.as_deref(),
            created_at: to_the_second(user.created_at),
            email: &user.email,
            force_offline: profile.is_forced_offline,
            id: user.id.0,
            is_available: profile.is_available,
            is_verified: profile.is_verified,
            last_login: to_the_second(profile.last_login_at.unwrap_or(user.created_at)),
            name: &user.name,
            sdk_email: profile.sdk_user.as_str(),
            sdk_key: &profile.sdk_key,
            r#type: user.role.number(),
            type_as_string: user.role.as_str(),
            updated_at: to_the_second(profile.updated_at),
        }
    }
}
