//! The app object (spec 4.2, wire facts 5.2).

use confab_domain::app::App;
use confab_domain::support::settings::Settings;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::endpoint::Endpoint;
use confab_domain::webhooks::event_kind::EventKind;
use serde::Serialize;
use utoipa::ToSchema;

use crate::time::to_the_plain_second;

/// An app with what it is set to. No `Debug`: it holds keys.
#[derive(Clone, Copy)]
pub struct ShownApp<'a> {
    /// The app.
    pub app: &'a App,
    /// Where it is told of what happens.
    pub endpoints: &'a [Endpoint],
    /// What it is set to.
    pub settings: &'a Settings,
    /// Whether who asks may see the secret key: admins and the app itself.
    pub shows_key: bool,
    /// Whether messages are pushed to phones.
    pub pushes: bool,
}

impl<'a> ShownApp<'a> {
    /// The one endpoint of a kind that has no name.
    pub(super) fn endpoint(&self, kind: EventKind) -> Option<&'a Endpoint> {
        self.endpoints.iter().find(|it| it.kind == kind && it.name.is_empty())
    }

    /// Where the app is told of a kind, or an empty text, and whether it is.
    pub(super) fn hook(&self, kind: EventKind) -> (&'a str, bool) {
        self.endpoint(kind).map_or(("", false), |it| (it.url.as_str(), it.is_enabled))
    }

    /// When something about the app last changed.
    pub(super) fn changed_at(&self) -> Timestamp {
        let changes = self.endpoints.iter().map(|it| it.updated_at);
        changes.fold(self.app.created_at, Timestamp::max)
    }

    /// The app object.
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

/// An app. No `Debug`: it holds a key.
#[derive(Serialize, ToSchema)]
#[schema(as = App)]
pub struct AppShape<'a> {
    id: i64,
    name: &'a str,
    #[schema(example = "shop")]
    app_code: &'a str,
    /// Signs webhooks; empty for who is neither an admin nor the app itself.
    secret_key: &'a str,
    #[schema(example = "2026-01-31 10:00:00")]
    created_at: String,
    #[schema(example = "2026-01-31 10:00:00")]
    updated_at: String,
    /// Empty if there is none, like those below.
    bot_webhook_url: &'a str,
    is_bot_enabled: bool,
    allocate_agent_webhook_url: &'a str,
    is_allocate_agent_webhook_enabled: bool,
    mark_as_resolved_webhook_url: &'a str,
    is_mark_as_resolved_webhook_enabled: bool,
    /// Whether messages are pushed to phones.
    is_mobile_pn_enabled: bool,
    is_active: bool,
    /// A resolved customer who writes again gets a new room.
    is_sessional: bool,
    /// The server itself assigns agents.
    is_agent_allocation_enabled: bool,
    /// Agents may take customers that nobody serves.
    is_agent_takeover_enabled: bool,
    is_token_expiring: bool,
    #[schema(value_type = Option<bool>)]
    paid_channel_approved: (),
    use_latest: bool,
    free_sessions: i64,
    /// The bot hears of every message, also while an agent serves.
    is_force_send_bot: bool,
    app_joined_status: i64,
    // Spelled as on the wire.
    #[schema(value_type = Option<bool>)]
    is_archieved: (),
    #[schema(value_type = Option<String>)]
    archieve_status: (),
    search_using_engine: bool,
    use_2fa: bool,
}

impl AppShape<'_> {
    /// Without where the app is told of what happens: addresses may hold secrets.
    pub fn without_addresses(self) -> Self {
        Self {
            bot_webhook_url: "",
            allocate_agent_webhook_url: "",
            mark_as_resolved_webhook_url: "",
            ..self
        }
    }
}

/// `{app}`
#[derive(Serialize, ToSchema)]
pub struct AppBox<'a> {
    /// The app.
    pub app: AppShape<'a>,
}
