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
    apps: HashMap<AppId, KnownAddresses>,
}

struct KnownAddresses {
    app: Option<Arc<App>>,
    endpoints: HashMap<EndpointId, Arc<Endpoint>>,
    /// Those that are not among them although they were read for their sake.
    missing: HashSet<EndpointId>,
    read_at: Instant,
    /// It was changed since.
    is_outdated: bool,
}

/// Where a delivery goes.
#[derive(Clone)]
pub(super) struct Addressee {
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
            known.is_outdated = true;
        }
    }

    /// Whether what is known of the app is recent enough.
    pub(super) fn is_fresh(&self, app: AppId) -> bool {
        let age_max = Duration::from_millis(limits::KNOWN_APP_AGE_MS);
        self.apps
            .get(&app)
            .is_some_and(|known| !known.is_outdated && known.read_at.elapsed() < age_max)
    }

    /// Reads the app and its endpoints anew; gives the endpoints.
    pub(super) async fn refresh(
        &mut self,
        store: &Store,
        app: AppId,
    ) -> Result<impl Iterator<Item = &Arc<Endpoint>>, StoreError> {
        let read_at = Instant::now();
        let endpoints = store.endpoints(app).await?.into_iter().map(Arc::new);
        let endpoints = endpoints.map(|endpoint| (endpoint.id, endpoint)).collect();
        let known = KnownAddresses {
            app: store.app_by_id(app).await?.map(Arc::new),
            endpoints,
            missing: HashSet::new(),
            read_at,
            is_outdated: false,
        };
        if self.apps.len() >= limits::KNOWN_APPS_MAX {
            self.apps.retain(|_, known| known.read_at.elapsed() < Duration::from_secs(60));
        }
        let known = self.apps.entry(app).insert_entry(known).into_mut();
        Ok(known.endpoints.values())
    }

    /// Whose deliveries they are.
    pub(super) fn app(&self, app: AppId) -> Option<Arc<App>> {
        self.apps.get(&app)?.app.clone()
    }

    /// Where this goes; nowhere if the app or the endpoint is gone, or switched off.
    pub(super) fn of(&self, app: AppId, endpoint: EndpointId) -> Option<Addressee> {
        let known = self.apps.get(&app)?;
        let endpoint = known.endpoints.get(&endpoint).filter(|it| it.is_enabled)?.clone();
        Some(Addressee { app: self.app(app)?, endpoint })
    }
}
