//! All settings of an app in one resource (D-0090).

use confab_app::decide::Decisions;
use confab_domain::agents::role::Role;
use confab_domain::refusal::Refusal;
use confab_store::Store;
use confab_wire::omnichannel_api::people::app_settings::{
    ChangeSettingsFields, SettingsBox, app_settings, read_change_of_settings,
};
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::requests::access::{Admins, Everyone};
use crate::requests::bodies::OmnichannelBody;
use crate::requests::callers::By;
use crate::requests::part::Part;
use crate::responses::answer::{Answer, data};

calls! {
    "Configuration";
    /// Get the app's settings; agents see a part of them
    GET "/api/v2/settings" get_settings = load;
    /// Change the app's settings; absent fields keep their values
    PATCH "/api/v2/settings" change_settings = change [403];
}

async fn load(
    Part(store): Part<Store>,
    caller: By<Everyone>,
) -> Answer<Data<SettingsBox<'static>>> {
    let app = caller.app.id;
    let found = store.app_by_id(app).await?.ok_or(Refusal::SignedOut)?;
    let role = caller.agent.as_ref().map(|it| it.profile.user.role);
    let settings = store.settings(app).await?;
    data(app_settings(&found.name, &settings, role != Some(Role::Agent)))
}

async fn change(
    Part(decisions): Part<Decisions>,
    caller: By<Admins>,
    body: OmnichannelBody<ChangeSettingsFields>,
) -> Answer<Data<SettingsBox<'static>>> {
    let rule = read_change_of_settings(body.fields())?;
    let (name, settings) = decisions.decide(&caller, rule).await?;
    data(app_settings(&name, &settings, true))
}
