//! The message API, one file for each resource (spec 4.1, wire facts 3).

pub(super) mod messages;
pub(super) mod participants;
pub(super) mod rooms;
pub(super) mod users;
pub(super) mod v2;
pub(super) mod webhook_logs;

use confab_domain::ids::AppId;
use confab_domain::people::user::{User, UserId, UserRef};
use confab_domain::refusal::Refusal;
use confab_domain::rooms::room::Pair;
use confab_store::Store;

use crate::responses::problem::Problem;

/// Finds the user whom a call of the app's own servers names (D-0203).
async fn addressed(store: &Store, app: AppId, user: &UserRef) -> Result<User, Problem> {
    let named = store.users_named(app, user.user_id()).await?;
    Ok(user.resolved_in(&named)?.clone())
}

/// Finds the two users whom a call of the app's own servers names, to open their room. Unknown
/// users are passed on unresolved: the rule that opens the room rejects all unknown users in one
/// error.
async fn addressed_pair(store: &Store, app: AppId, users: &[UserRef; 2]) -> Result<Pair, Problem> {
    let mut exact = users.clone();
    for user in &mut exact {
        let named = store.users_named(app, user.user_id()).await?;
        match user.resolved_in(&named) {
            Ok(found) => *user = found.itself(),
            Err(Refusal::UsersNotFound(_)) => {}
            Err(ambiguous) => return Err(ambiguous.into()),
        }
    }
    let [first, second] = exact;
    Ok(Pair::new(first, second).map_err(Refusal::from)?)
}

fn unknown_user(user: &UserId) -> Refusal {
    Refusal::UsersNotFound(vec![user.as_str().to_owned()])
}
