//! Changes somebody who works in an app.

use confab_domain::app::App;
use confab_domain::ids::DashboardUserId;
use confab_domain::staffing::{self, WorkerChange};

use super::register_user::RegisterError;
use crate::passwords;
use crate::services::Services;

/// A given password replaces the old one and ends all sign-ins. `by` is who wants it, nobody if it
/// is the app itself.
pub(crate) async fn update_worker(
    services: &Services,
    app: &App,
    user: DashboardUserId,
    by: Option<DashboardUserId>,
    mut change: WorkerChange,
    password: Option<String>,
) -> Result<(), RegisterError> {
    if let Some(password) = password {
        change.password_hash = Some(passwords::hash(password).await?);
    }
    let question = staffing::change_question(user, &change);
    services
        .store()
        .decide(app.id, question, move |facts, stamp| {
            staffing::update(facts, user, by, &change, stamp)
        })
        .await?;
    // They may serve more customers or other channels now.
    services.wake_allocation(app.id);
    Ok(())
}
