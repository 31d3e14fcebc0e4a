//! The logout webhook (spec 2.5, wire facts 6.6).

use confab_domain::webhooks::event::LoggedOut;
use serde::Serialize;
use utoipa::ToSchema;

use super::dashboard_user::DashboardUserShape;

/// Body of the logout webhook.
// No `Debug`: it contains a key.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookLogoutBody)]
pub(super) struct LogoutBody<'a> {
    payload: LogoutPayload<'a>,
    r#type: &'static str,
}

#[derive(Serialize, ToSchema)]
#[schema(as = WebhookLogoutPayload)]
struct LogoutPayload<'a> {
    action: &'static str,
    timestamp: i64,
    user: DashboardUserShape<'a>,
}

impl<'a> From<&'a LoggedOut> for LogoutBody<'a> {
    fn from(logout: &'a LoggedOut) -> Self {
        let payload = LogoutPayload {
            action: "logout",
            timestamp: logout.at.unix_seconds(),
            user: (&logout.user).into(),
        };
        Self { payload, r#type: "auth" }
    }
}
