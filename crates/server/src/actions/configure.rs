//! Sets what an app is set to, and where it is told of what happens.

use std::sync::Arc;

use confab_domain::agents::right::Right;
use confab_domain::app::App;
use confab_domain::decision::facts::Facts;
use confab_domain::decision::stamp::Stamp;
use confab_domain::service::configuring::{self, HookWish};
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
    let question = configuring::hook_question(app, wish.kind).on_right(by);
    let its_app = app.clone();
    let rule = move |facts: &Facts, stamp: &Stamp<'_>| {
        configuring::register(facts, &its_app, &wish, stamp)
    };
    services.store().decide(app.id, question, rule).await?;
    services.wake_delivery();
    // Those whom a bot answered may have to be served by people now.
    services.wake_allocation(app.id);
    Ok(())
}

/// Switches a registered webhook on or off.
pub(crate) async fn switch_hook(
    services: &Services,
    app: &Arc<App>,
    by: Option<Right>,
    kind: NoticeKind,
    is_enabled: bool,
) -> Result<(), WriteError> {
    let (question, its_app) = (configuring::hook_question(app, kind).on_right(by), app.clone());
    let rule = move |facts: &Facts, stamp: &Stamp<'_>| {
        configuring::switch(facts, &its_app, kind, is_enabled, stamp)
    };
    services.store().decide(app.id, question, rule).await?;
    services.wake_delivery();
    // Those whom a bot answered may have to be served by people now.
    services.wake_allocation(app.id);
    Ok(())
}

/// Sets some settings; what they all are then. More agents may be free by them.
pub(crate) async fn set_settings(
    services: &Services,
    app: &App,
    by: Option<Right>,
    wanted: Vec<(&'static str, String)>,
) -> Result<Settings, WriteError> {
    let rule = move |facts: &Facts, _: &Stamp<'_>| Ok(configuring::set(facts, &wanted));
    let question = configuring::settings_question().on_right(by);
    let settings = services.store().decide(app.id, question, rule).await?;
    services.wake_allocation(app.id);
    Ok(settings)
}

/// Sets one switch.
pub(crate) async fn set_switch(
    services: &Services,
    app: &App,
    by: Option<Right>,
    name: &'static str,
    is_on: bool,
) -> Result<Settings, WriteError> {
    set_settings(services, app, by, vec![(name, is_on.to_string())]).await
}
