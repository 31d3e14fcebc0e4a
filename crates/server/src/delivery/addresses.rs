//! Whom deliveries go to: apps with their keys, endpoints with their policy, as they were at most
//! a moment ago.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use confab_domain::app::App;
use confab_domain::ids::{AppId, EndpointId};
use confab_domain::limits;
use confab_domain::webhooks::endpoint::Endpoint;
use confab_store::{Store, StoreError};

/// Apps that something was delivered for, and their endpoints.
#[derive(Default)]
pub(super) struct Addresses {
    apps: HashMap<AppId, AddressCache>,
}

/// An app and its endpoints, as they were when they were read.
pub(super) struct AddressCache {
    app: Option<Arc<App>>,
    endpoints: HashMap<EndpointId, Arc<Endpoint>>,
    /// Those that are not among them although they were read for their sake.
    missing: HashSet<EndpointId>,
    read_at: Instant,
    /// It was changed since.
    outdated_at: Option<Instant>,
}

impl AddressCache {
    pub(super) async fn read(store: &Store, app: AppId) -> Result<Self, StoreError> {
        let read_at = Instant::now();
        let endpoints = store.endpoints(app).await?.into_iter().map(Arc::new);
        let endpoints = endpoints.map(|endpoint| (endpoint.id, endpoint)).collect();
        let app = store.app_by_id(app).await?.map(Arc::new);
        Ok(Self { app, endpoints, missing: HashSet::new(), read_at, outdated_at: None })
    }

    /// Whether this is newer than what was known, and no change was missed by it.
    fn replaces(&self, known: &Self) -> bool {
        self.read_at >= known.read_at && known.outdated_at.is_none_or(|at| self.read_at >= at)
    }
}

/// Where a delivery goes.
#[derive(Clone)]
pub(super) struct Destination {
    pub(super) app: Arc<App>,
    pub(super) endpoint: Arc<Endpoint>,
}

impl Addresses {
    /// Whether it is known of the endpoint that it is there, or that it is not. Of one that was
    /// just made nothing is, however fresh its app is.
    pub(super) fn knows(&self, app: AppId, endpoint: EndpointId) -> bool {
        self.apps.get(&app).is_some_and(|known| {
            known.endpoints.contains_key(&endpoint) || known.missing.contains(&endpoint)
        })
    }

    /// The endpoint was looked for just now: if it was not found, it is not there.
    pub(super) fn looked_for(&mut self, app: AppId, endpoint: EndpointId) {
        if let Some(known) = self.apps.get_mut(&app)
            && !known.endpoints.contains_key(&endpoint)
        {
            known.missing.insert(endpoint);
        }
    }

    /// The endpoints of the app that are known.
    pub(super) fn known(&self, app: AppId) -> HashSet<EndpointId> {
        self.apps.get(&app).map(|it| it.endpoints.keys().copied().collect()).unwrap_or_default()
    }

    /// What is known of the app is out of date.
    pub(super) fn outdate(&mut self, app: AppId) {
        if let Some(known) = self.apps.get_mut(&app) {
            known.outdated_at = Some(Instant::now());
        }
    }

    /// Whether something is known of the app that is out of date.
    pub(super) fn is_outdated(&self, app: AppId) -> bool {
        self.apps.get(&app).is_some_and(|known| known.outdated_at.is_some())
    }

    /// Whether what is known of the app is recent enough.
    pub(super) fn is_fresh(&self, app: AppId) -> bool {
        let age_max = Duration::from_millis(limits::KNOWN_APP_AGE_MS);
        self.apps
            .get(&app)
            .is_some_and(|known| known.outdated_at.is_none() && known.read_at.elapsed() < age_max)
    }

    /// Keeps what was read of an app, unless something newer is known; gives its endpoints.
    pub(super) fn learn(
        &mut self,
        app: AppId,
        read: AddressCache,
    ) -> Option<impl Iterator<Item = &Arc<Endpoint>>> {
        if self.apps.get(&app).is_some_and(|known| !read.replaces(known)) {
            return None;
        }
        if self.apps.len() >= limits::KNOWN_APPS_MAX {
            self.apps.retain(|_, known| known.read_at.elapsed() < Duration::from_secs(60));
        }
        let known = self.apps.entry(app).insert_entry(read).into_mut();
        Some(known.endpoints.values())
    }

    /// Whose deliveries they are.
    pub(super) fn app(&self, app: AppId) -> Option<Arc<App>> {
        self.apps.get(&app)?.app.clone()
    }

    /// Where this goes; nowhere if the app or the endpoint is gone, or switched off.
    pub(super) fn of(&self, app: AppId, endpoint: EndpointId) -> Option<Destination> {
        let known = self.apps.get(&app)?;
        let endpoint = known.endpoints.get(&endpoint).filter(|it| it.is_enabled)?.clone();
        Some(Destination { app: self.app(app)?, endpoint })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_at(read_at: Instant) -> AddressCache {
        let (endpoints, missing) = (HashMap::new(), HashSet::new());
        AddressCache { app: None, endpoints, missing, read_at, outdated_at: None }
    }

    #[test]
    fn what_was_read_before_a_change_is_not_learnt_after_it() {
        let (mut addresses, app, before) = (Addresses::default(), AppId(1), Instant::now());
        assert!(addresses.learn(app, read_at(before)).is_some());
        addresses.outdate(app);
        assert!(addresses.learn(app, read_at(before)).is_none(), "it does not know the change");
        assert!(addresses.is_outdated(app));
        assert!(addresses.learn(app, read_at(Instant::now())).is_some());
        assert!(!addresses.is_outdated(app));
        assert!(addresses.learn(app, read_at(before)).is_none(), "something newer is known");
    }
}
