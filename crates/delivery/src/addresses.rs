//! A cache of apps with their keys, and of their endpoints.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use confab_domain::app::App;
use confab_domain::ids::{AppId, EndpointId};
use confab_domain::limits;
use confab_domain::webhooks::endpoint::Endpoint;
use confab_store::{Store, StoreError};

/// Cache of apps and endpoints, to which deliveries are sent.
#[derive(Default)]
pub(super) struct Addresses {
    apps: HashMap<AppId, AddressCache>,
}

/// An app and its endpoints at the time they were read.
pub(super) struct AddressCache {
    app: Option<Arc<App>>,
    endpoints: HashMap<EndpointId, Arc<Endpoint>>,
    /// Endpoints that were looked up and do not exist.
    missing: HashSet<EndpointId>,
    read_at: Instant,
    /// Time at which a change of the app made this entry outdated; `None` while it is valid.
    invalidated_at: Option<Instant>,
}

impl AddressCache {
    pub(super) async fn read(store: &Store, app: AppId) -> Result<Self, StoreError> {
        let read_at = Instant::now();
        let endpoints = store.endpoints(app).await?.into_iter().map(Arc::new);
        let endpoints = endpoints.map(|endpoint| (endpoint.id, endpoint)).collect();
        let app = store.app_by_id(app).await?.map(Arc::new);
        Ok(Self { app, endpoints, missing: HashSet::new(), read_at, invalidated_at: None })
    }

    /// Whether this entry was read after the cached entry `known`, and after `known` was
    /// invalidated.
    fn replaces(&self, known: &Self) -> bool {
        self.read_at >= known.read_at && known.invalidated_at.is_none_or(|at| self.read_at >= at)
    }
}

/// The app and endpoint of a delivery.
#[derive(Clone)]
pub struct Destination {
    pub app: Arc<App>,
    pub(crate) endpoint: Arc<Endpoint>,
}

impl Addresses {
    /// Whether the cache contains either the endpoint or the fact that it does not exist. A newly
    /// created endpoint is not resolved, even if the entry of its app is fresh.
    pub(super) fn is_resolved(&self, app: AppId, endpoint: EndpointId) -> bool {
        self.apps.get(&app).is_some_and(|known| {
            known.endpoints.contains_key(&endpoint) || known.missing.contains(&endpoint)
        })
    }

    /// Records that an endpoint does not exist, unless the app's cached entry contains it.
    pub(super) fn mark_missing(&mut self, app: AppId, endpoint: EndpointId) {
        if let Some(known) = self.apps.get_mut(&app)
            && !known.endpoints.contains_key(&endpoint)
        {
            known.missing.insert(endpoint);
        }
    }

    /// Returns the ids of the app's cached endpoints.
    pub(super) fn endpoint_ids(&self, app: AppId) -> HashSet<EndpointId> {
        self.apps.get(&app).map(|it| it.endpoints.keys().copied().collect()).unwrap_or_default()
    }

    /// Marks the app's entry as out of date.
    pub(super) fn invalidate(&mut self, app: AppId) {
        if let Some(known) = self.apps.get_mut(&app) {
            known.invalidated_at = Some(Instant::now());
        }
    }

    /// Whether the app's entry was invalidated and has not been read again since.
    pub(super) fn is_invalidated(&self, app: AppId) -> bool {
        self.apps.get(&app).is_some_and(|known| known.invalidated_at.is_some())
    }

    /// Whether the app's entry is recent and not invalidated.
    pub(super) fn is_fresh(&self, app: AppId) -> bool {
        let age_max = Duration::from_millis(limits::KNOWN_APP_AGE_MS);
        self.apps.get(&app).is_some_and(|known| {
            known.invalidated_at.is_none() && known.read_at.elapsed() < age_max
        })
    }

    /// Stores an entry and returns its endpoints. Returns `None` if the cached entry is newer.
    pub(super) fn update(
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

    /// Returns the cached app.
    pub(super) fn app(&self, app: AppId) -> Option<Arc<App>> {
        self.apps.get(&app)?.app.clone()
    }

    /// Returns the destination of a delivery. Returns `None` if the app or endpoint does not exist,
    /// or if the endpoint is disabled.
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
        AddressCache { app: None, endpoints, missing, read_at, invalidated_at: None }
    }

    #[test]
    fn an_entry_read_before_a_change_does_not_replace_a_newer_one() {
        let (mut addresses, app, before) = (Addresses::default(), AppId(1), Instant::now());
        assert!(addresses.update(app, read_at(before)).is_some());
        addresses.invalidate(app);
        assert!(
            addresses.update(app, read_at(before)).is_none(),
            "the entry was read before the change"
        );
        assert!(addresses.is_invalidated(app));
        assert!(addresses.update(app, read_at(Instant::now())).is_some());
        assert!(!addresses.is_invalidated(app));
        assert!(addresses.update(app, read_at(before)).is_none(), "the cached entry is newer");
    }
}
