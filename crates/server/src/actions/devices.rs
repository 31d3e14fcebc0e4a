//! Where pushes for a user go.

use confab_domain::app::App;
use confab_domain::decision::change::UserChange;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::Decision;
use confab_domain::ids::UserKey;
use confab_domain::people::device::Device;
use confab_store::WriteError;

use crate::services::Services;

/// Pushes go to this device, too; tells whether that is new.
pub(crate) async fn put_device(
    services: &Services,
    app: &App,
    user: UserKey,
    device: Device,
) -> Result<bool, WriteError> {
    let before = services.store().device(user, &device.token).await?;
    let as_wanted = (device.platform.clone(), device.is_development);
    if before == Some(as_wanted) {
        return Ok(false);
    }
    services
        .store()
        .decide(app.id, Question::default(), move |_, stamp| {
            let put = UserChange::PutDevice { user, device: device.clone(), at: stamp.now };
            Ok(Decision::new(vec![put.into()], true))
        })
        .await
}

/// They do not any more; tells whether they did.
pub(crate) async fn remove_device(
    services: &Services,
    app: &App,
    user: UserKey,
    token: String,
) -> Result<bool, WriteError> {
    if services.store().device(user, &token).await?.is_none() {
        return Ok(false);
    }
    services
        .store()
        .decide(app.id, Question::default(), move |_, _| {
            let removed = UserChange::RemoveDevice { user, token: token.clone() };
            Ok(Decision::new(vec![removed.into()], true))
        })
        .await
}
