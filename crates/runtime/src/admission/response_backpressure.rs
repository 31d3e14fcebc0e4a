//! Limits on the large responses that wait to be sent to a requester (D-0081). A client that
//! requests much and reads nothing is refused further large responses; other clients are
//! unaffected.

use confab_domain::app::App;
use confab_domain::ids::{AppId, UserKey};
use confab_domain::limits;
use confab_domain::people::user::User;

use crate::admission::shares::{Share, Shares};

/// The requester of a response, as far as limits distinguish requesters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asker {
    pub app: AppId,
    /// The requesting user; `None` for the app itself or one of its agents.
    pub user: Option<UserKey>,
}

impl Asker {
    /// Returns the requester that stands for the app itself or one of its agents.
    pub fn app(app: &App) -> Self {
        Self { app: app.id, user: None }
    }

    /// Returns the requester that stands for a user of an app.
    pub fn user(user: &User) -> Self {
        Self { app: user.app, user: Some(user.key) }
    }
}

/// The key of a counter. The users of an app are counted apart from the app itself: otherwise they
/// could use up the memory for responses to the app's own servers.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Holder {
    User(UserKey),
    UsersOf(AppId),
    App(AppId),
}

/// Counters of the bytes of responses that wait to be sent.
#[derive(Default)]
pub struct ResponseBackpressure(Shares<Holder>);

/// The size of a response, counted until the response is sent or dropped.
pub struct ReservedBytes {
    _of_asker: Share<Holder>,
    _of_users: Option<Share<Holder>>,
}

impl ResponseBackpressure {
    /// Counts the bytes of a response until it is sent, or returns `None` if too many are waiting.
    /// A requester with no waiting response may have one of any size, because a response larger
    /// than the limit could otherwise never be sent.
    pub fn reserve(&self, asker: Asker, bytes: usize) -> Option<ReservedBytes> {
        let of_app = limits::UNSENT_APP_BYTES_MAX;
        let held = |holder, bytes_max| {
            let mut share = self.0.of(holder, bytes_max);
            share.take_or_first(bytes).then_some(share)
        };
        Some(match asker.user {
            None => {
                ReservedBytes { _of_asker: held(Holder::App(asker.app), of_app)?, _of_users: None }
            }
            Some(user) => ReservedBytes {
                _of_asker: held(Holder::User(user), limits::UNSENT_USER_BYTES_MAX)?,
                _of_users: Some(held(Holder::UsersOf(asker.app), of_app)?),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANA: Asker = Asker { app: AppId(1), user: Some(UserKey(5)) };
    const SHOP: Asker = Asker { app: AppId(1), user: None };

    #[test]
    fn a_caller_with_unsent_responses_is_limited_and_others_are_not() {
        let unsent = ResponseBackpressure::default();
        let half = limits::UNSENT_USER_BYTES_MAX / 2;
        let first = unsent.reserve(ANA, half).expect("there is room");
        let _second = unsent.reserve(ANA, half).expect("there is room");
        assert!(unsent.reserve(ANA, 1).is_none());
        assert!(unsent.reserve(Asker { user: Some(UserKey(6)), ..ANA }, 1).is_some());
        assert!(unsent.reserve(SHOP, 1).is_some());
        drop(first);
        assert!(unsent.reserve(ANA, 1).is_some());
    }

    #[test]
    fn unsent_responses_of_users_do_not_limit_the_app_itself() {
        let unsent = ResponseBackpressure::default();
        let each = limits::UNSENT_USER_BYTES_MAX;
        let users = (1..).map(|user| Asker { user: Some(UserKey(user)), ..ANA });
        let held: Vec<_> = users.map_while(|user| unsent.reserve(user, each)).collect();
        assert_eq!(held.len(), limits::UNSENT_APP_BYTES_MAX / each);
        assert!(unsent.reserve(SHOP, limits::UNSENT_APP_BYTES_MAX).is_some());
    }

    #[test]
    fn the_largest_response_is_admitted_and_nothing_stays_reserved() {
        let unsent = ResponseBackpressure::default();
        let large = unsent.reserve(ANA, 1 << 30).expect("the first response is always admitted");
        assert!(unsent.reserve(ANA, 1).is_none());
        drop(large);
        assert!(unsent.0.is_empty());
    }
}
