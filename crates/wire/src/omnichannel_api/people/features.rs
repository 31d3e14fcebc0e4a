//! The list of an app's features (wire facts 5.7).

use confab_domain::support::settings::Settings;
use confab_domain::webhooks::event_kind::EventKind;
use serde::Serialize;
use utoipa::ToSchema;

use super::apps::ShownApp;

/// A feature of an app.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Feature)]
pub struct FeatureShape {
    #[schema(example = "bot")]
    name: &'static str,
    /// Whether the app uses the feature.
    is_enabled: bool,
}

/// Response data with the features of an app.
#[derive(Debug, Serialize, ToSchema)]
pub struct FeatureList {
    features: Vec<FeatureShape>,
}

/// Returns all features, each with whether it is enabled for the app.
pub fn features(app: ShownApp<'_>) -> FeatureList {
    let is_sent = |kind| app.hook(kind).1;
    let is_on = |name| app.settings.is_on(name);
    let features = [
        ("agent_allocation", is_on(Settings::ALLOCATES)),
        ("agent_allocation_webhook", is_sent(EventKind::AgentAllocation)),
        ("agent_takeover", is_on(Settings::TAKEOVER)),
        ("bot", is_sent(EventKind::Bot)),
        ("canned_replies", true),
        ("custom_buttons", true),
        ("custom_channels", true),
        ("divisions", true),
        ("mark_as_resolved_webhook", is_sent(EventKind::Resolved)),
        ("mobile_push", app.pushes),
        ("new_session_webhook", is_sent(EventKind::NewSession)),
        ("office_hours", !app.settings.office_hours().stretches().is_empty()),
        ("sessional", is_on(Settings::IS_SESSIONAL)),
        ("widget", true),
    ];
    let shape = |(name, is_enabled)| FeatureShape { name, is_enabled };
    FeatureList { features: features.into_iter().map(shape).collect() }
}
