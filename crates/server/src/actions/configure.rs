//! Sets what an app is set to, and where it is told of what happens.

use std::sync::Arc;

use confab_domain::agents::right::Right;
use confab_domain::app::App;
use confab_domain::decision::rule::Rule;
use confab_domain::service::configuring::{HookWish, RegisterHook, SetSettings, SwitchHook};
use confab_domain::service::settings::Settings;
use confab_domain::webhooks::notice_kind::NoticeKind;
use confab_store::WriteError;

use crate::services::Services;

/// Registers a webhook, moves it, or switches it on or off.
pub(crate) async fn register_hook(
    services: &Services,
    app: &Arc<App>,
    by: Option<Right>,
    wish: HookWish,
) -> Result<(), WriteError> {
    services.decide(app, RegisterHook { wish }.on_right(by)).await
}

/// Switches a registered webhook on or off.
pub(crate) async fn switch_hook(
    services: &Services,
    app: &Arc<App>,
    by: Option<Right>,
    kind: NoticeKind,
    is_enabled: bool,
) -> Result<(), WriteError> {
    services.decide(app, SwitchHook { kind, is_enabled }.on_right(by)).await
}

/// Sets some settings; what they all are then.
pub(crate) async fn set_settings(
    services: &Services,
    app: &Arc<App>,
    by: Option<Right>,
    wanted: Vec<(&'static str, String)>,
) -> Result<Settings, WriteError> {
    services.decide(app, SetSettings { wanted }.on_right(by)).await
}

/// Sets one switch.
pub(crate) async fn set_switch(
    services: &Services,
    app: &Arc<App>,
    by: Option<Right>,
    name: &'static str,
    is_on: bool,
) -> Result<Settings, WriteError> {
    set_settings(services, app, by, vec![(name, is_on.to_string())]).await
}
