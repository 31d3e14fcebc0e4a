//! Limits on MQTT sessions that wait for disconnected clients (D-0042).
//!
//! The number of waiting sessions is limited per node, app and user. When a limit is reached, the
//! oldest waiting session of the same user ends for the new one. A session never ends for that of
//! another user.

use std::collections::{HashMap, VecDeque};

use confab_domain::ids::{AppId, UserKey};
use confab_domain::limits;
use parking_lot::Mutex;
use tokio::sync::oneshot;

/// The waiting sessions of this node.
#[derive(Default)]
pub(super) struct AwaySessions(Mutex<AwayCounts>);

#[derive(Default)]
struct AwayCounts {
    last: u64,
    in_all: usize,
    by_app: HashMap<AppId, usize>,
    /// Waiting sessions of each user, oldest first.
    by_user: HashMap<UserKey, VecDeque<(u64, oneshot::Sender<()>)>>,
}

/// A waiting session, counted until it is dropped or must end for a newer one.
pub(super) struct Away<'a> {
    sessions: &'a AwaySessions,
    app: AppId,
    user: UserKey,
    id: u64,
    /// Resolves when the session must end for a newer one of the same user.
    pub(super) gives_way: oneshot::Receiver<()>,
}

impl AwaySessions {
    /// Counts a waiting session. Returns `None` if a limit is reached and the user has no older
    /// session that could end.
    pub(super) fn begin(&self, app: AppId, user: UserKey) -> Option<Away<'_>> {
        let mut counted = self.0.lock();
        let of_user = counted.by_user.get(&user).map_or(0, VecDeque::len);
        let of_app = counted.by_app.get(&app).copied().unwrap_or(0);
        let is_full = of_user >= limits::MQTT_SESSIONS_AWAY_OF_USER_MAX
            || of_app >= limits::MQTT_SESSIONS_AWAY_OF_APP_MAX
            || counted.in_all >= limits::MQTT_SESSIONS_AWAY_MAX;
        if is_full && !counted.oldest_gives_way(app, user) {
            return None;
        }
        let (give_way, gives_way) = oneshot::channel();
        counted.last += 1;
        let id = counted.last;
        counted.by_user.entry(user).or_default().push_back((id, give_way));
        *counted.by_app.entry(app).or_default() += 1;
        counted.in_all += 1;
        counted.show();
        Some(Away { sessions: self, app, user, id, gives_way })
    }
}

impl AwayCounts {
    /// Ends the user's oldest waiting session. Returns `false` if the user has none.
    fn oldest_gives_way(&mut self, app: AppId, user: UserKey) -> bool {
        let Some((id, _)) = self.by_user.get(&user).and_then(VecDeque::front) else { return false };
        let Some(give_way) = self.remove(app, user, *id) else { return false };
        // The receiver may already be gone if that session ends at the same moment.
        let _ = give_way.send(());
        true
    }

    fn remove(&mut self, app: AppId, user: UserKey, id: u64) -> Option<oneshot::Sender<()>> {
        let of_user = self.by_user.get_mut(&user)?;
        let at = of_user.iter().position(|(it, _)| *it == id)?;
        let (_, give_way) = of_user.remove(at)?;
        if of_user.is_empty() {
            self.by_user.remove(&user);
        }
        if let Some(of_app) = self.by_app.get_mut(&app) {
            *of_app -= 1;
            if *of_app == 0 {
                self.by_app.remove(&app);
            }
        }
        self.in_all -= 1;
        self.show();
        Some(give_way)
    }

    fn show(&self) {
        metrics::gauge!("confab_mqtt_sessions_disconnected").set(self.in_all as f64);
    }
}

impl Drop for Away<'_> {
    fn drop(&mut self) {
        self.sessions.0.lock().remove(self.app, self.user, self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOP: AppId = AppId(1);
    const OTHER: AppId = AppId(2);

    fn has_to_give_way(away: &mut Away<'_>) -> bool {
        away.gives_way.try_recv().is_ok()
    }

    #[test]
    fn above_the_limit_per_user_their_oldest_session_is_dropped() {
        let sessions = AwaySessions::default();
        let begin = |user| sessions.begin(SHOP, UserKey(user)).expect("there is room");
        let mut ana = begin(1);
        let share = limits::MQTT_SESSIONS_AWAY_OF_USER_MAX;
        let mut of_bob: Vec<_> = (0..share + 2).map(|_| begin(2)).collect();
        assert!(!has_to_give_way(&mut ana));
        let gone: Vec<_> = of_bob.iter_mut().map(has_to_give_way).collect();
        assert_eq!(gone[..2], [true, true]);
        assert!(!gone[2..].contains(&true));
        assert_eq!(sessions.0.lock().in_all, 1 + share);
        drop((ana, of_bob));
        let counted = sessions.0.lock();
        assert_eq!((counted.in_all, counted.by_app.len(), counted.by_user.len()), (0, 0, 0));
    }

    #[test]
    fn one_app_cannot_use_all_sessions_and_users_replace_only_their_own() {
        let sessions = AwaySessions::default();
        let mut of_shop: Vec<_> =
            (0..).map_while(|user| sessions.begin(SHOP, UserKey(user))).collect();
        assert_eq!(of_shop.len(), limits::MQTT_SESSIONS_AWAY_OF_APP_MAX);
        let others: Vec<_> =
            (-1_000_000..0).map_while(|user| sessions.begin(OTHER, UserKey(user))).collect();
        assert_eq!(of_shop.len() + others.len(), limits::MQTT_SESSIONS_AWAY_MAX);
        assert!(!of_shop.iter_mut().any(has_to_give_way));
        // A user with a waiting session can replace it by a new one.
        let newer = sessions.begin(SHOP, UserKey(7)).expect("a user can replace their own session");
        assert!(has_to_give_way(&mut of_shop[7]));
        assert_eq!(sessions.0.lock().in_all, limits::MQTT_SESSIONS_AWAY_MAX);
        drop(newer);
    }
}
