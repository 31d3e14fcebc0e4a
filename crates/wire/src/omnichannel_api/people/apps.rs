//! An app, as shown in the public API (spec 4.2, wire facts 5.2).

use confab_domain::app::App;
use confab_domain::support::settings::Settings;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::endpoint::Endpoint;
use confab_domain::webhooks::event_kind::EventKind;
use serde::Serialize;
use utoipa::ToSchema;

use crate::time::to_the_plain_second;

/// An app with its settings and webhooks. No `Debug`, because it contains keys.
#[derive(Clone, Copy)]
pub struct ShownApp<'a> {
    pub app: &'a App,
    /// Webhook endpoints of the app.
    pub endpoints: &'a [Endpoint],
    pub settings: &'a Settings,
    /// Whether the caller may see the secret key: true for admins and the app itself.
    pub shows_key: bool,
    /// Whether the server is configured to send push notifications.
    pub pushes: bool,
}

impl<'a> ShownApp<'a> {
    /// Returns the app's endpoint for a kind of event. Endpoints of custom buttons have names and
    /// are not considered.
    pub(super) fn endpoint(&self, kind: EventKind) -> Option<&'a Endpoint> {
        self.endpoints.iter().find(|it| it.kind == kind && it.name.is_empty())
    }

    /// Returns the URL to which events of a kind are sent, or an empty string, and whether the
    /// webhook is enabled.
    pub(super) fn hook(&self, kind: EventKind) -> (&'a str, bool) {
        self.endpoint(kind).map_or(("", false), |it| (it.url.as_str(), it.is_enabled))
    }

    /// Returns the time of the last change of the app's endpoints, or of the app's creation.
    pub(super) fn changed_at(&self) -> Timestamp {
        let changes = self.endpoints.iter().map(|it| it.updated_at);
        changes.fold(self.app.created_at, Timestamp::max)
    }

    /// Returns the app as shown in the public API.
    pub fn shape(&self) -> AppShape<'a> {
        let (bot_webhook_url, is_bot_enabled) = self.hook(EventKind::Bot);
        let allocation = self.hook(EventKind::AgentAllocation);
        let resolved = self.hook(EventKind::Resolved);
        AppShape {
            id: self.app.id.0,
            name: &self.app.name,
            app_code: self.app.code.as_str(),
            secret_key: if self.shows_key { &self.app.secret_key } else { "" },
            created_at: to_the_plain_second(self.app.created_at),
            updated_at: to_the_plain_second(self.changed_at()),
            bot_webhook_url,
            is_bot_enabled,
            allocate_agent_webhook_url: allocation.0,
            is_allocate_agent_webhook_enabled: allocation.1,
            mark_as_resolved_webhook_url: resolved.0,
            is_mark_as_resolved_webhook_enabled: resolved.1,
            is_mobile_pn_enabled: self.pushes,
            is_active: true,
            is_sessional: self.settings.is_on(Settings::IS_SESSIONAL),
            is_agent_allocation_enabled: self.settings.is_on(Settings::ALLOCATES),
            is_agent_takeover_enabled: self.settings.is_on(Settings::TAKEOVER),
            is_token_expiring: true,
            paid_channel_approved: (),
            use_latest: true,
            free_sessions: 0,
            is_force_send_bot: self.settings.is_on(Settings::FORCES_BOT),
            app_joined_status: 1,
            is_archieved: (),
            archieve_status: (),
            search_using_engine: false,
            use_2fa: false,
        }
    }
}

/// An app. No `Debug`, because it contains a key.
#[derive(Serialize, ToSchema)]
#[schema(as = App)]
pub struct AppShape<'a> {
    id: i64,
    name: &'a str,
    #[schema(example = "shop")]
    app_code: &'a str,
    /// Key that signs webhooks; empty unless the caller is an admin or the app itself.
    secret_key: &'a str,
    #[schema(example = "2026-01-31 10:00:00")]
    created_at: String,
    #[schema(example = "2026-01-31 10:00:00")]
    updated_at: String,
    /// URL of the bot webhook. This and the other webhook URLs are empty strings if none is set.
    bot_webhook_url: &'a str,
    is_bot_enabled: bool,
    allocate_agent_webhook_url: &'a str,
    is_allocate_agent_webhook_enabled: bool,
    mark_as_resolved_webhook_url: &'a str,
    is_mark_as_resolved_webhook_enabled: bool,
    /// Whether the server is configured to send push notifications.
    is_mobile_pn_enabled: bool,
    is_active: bool,
    /// Whether a customer who writes again after their conversation was resolved gets a new room.
    is_sessional: bool,
    /// Whether agents are assigned automatically.
    is_agent_allocation_enabled: bool,
    /// Whether agents may assign waiting customers to themselves.
    is_agent_takeover_enabled: bool,
    is_token_expiring: bool,
    #[schema(value_type = Option<bool>)]
    paid_channel_approved: (),
    use_latest: bool,
    free_sessions: i64,
    /// Whether the bot receives every message, even while an agent is assigned.
    is_force_send_bot: bool,
    app_joined_status: i64,
    // The misspelled names are part of the public API.
    #[schema(value_type = Option<bool>)]
    is_archieved: (),
    #[schema(value_type = Option<String>)]
    archieve_status: (),
    search_using_engine: bool,
    use_2fa: bool,
}

impl AppShape<'_> {
    /// Removes the webhook URLs, because they may contain secrets.
    pub fn without_addresses(self) -> Self {
        Self {
            bot_webhook_url: "",
            allocate_agent_webhook_url: "",
            mark_as_resolved_webhook_url: "",
            ..self
        }
    }
}

/// Response data with one app.
#[derive(Serialize, ToSchema)]
pub struct AppBox<'a> {
    pub app: AppShape<'a>,
}
