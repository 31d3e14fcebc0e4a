//! The cache of apps.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use confab_domain::app::{App, AppCode};
use confab_domain::ids::AppId;
use confab_domain::limits;
use confab_runtime::admission::running_requests::RunningOfApp;
use confab_store::{Store, StoreError};
use parking_lot::RwLock;

/// An app with the counter of its running requests.
pub struct AppHandle {
    pub app: Arc<App>,
    pub running: Arc<RunningOfApp>,
}

/// The apps that were read recently, with their keys.
pub struct Apps {
    store: Store,
    known: RwLock<HashMap<AppCode, CachedApp>>,
}

struct CachedApp {
    app: Arc<App>,
    running: Arc<RunningOfApp>,
    read_at: Instant,
    is_outdated: bool,
}

impl Apps {
    pub(crate) fn new(store: Store) -> Self {
        Self { store, known: RwLock::default() }
    }

    /// Returns the app with this code. Its keys were read at most `limits::KNOWN_APP_AGE_MS` ago.
    pub async fn of_code(&self, code: &AppCode) -> Result<Option<AppHandle>, StoreError> {
        if let Some(known) = self.cached(code) {
            return Ok(Some(known));
        }
        let read_at = Instant::now();
        let Some(app) = self.store.app(code).await? else { return Ok(None) };
        Ok(Some(self.put(app, read_at)))
    }

    /// Reads the app with this id from the store.
    pub async fn of_id(&self, app: AppId) -> Result<Option<AppHandle>, StoreError> {
        let read_at = Instant::now();
        Ok(self.store.app_by_id(app).await?.map(|app| self.put(app, read_at)))
    }

    /// Marks the cached app as outdated, so that the next request reads it again.
    pub(crate) fn outdate(&self, app: &App) {
        // Keep the outdated entry: its counter of running requests must survive.
        if let Some(known) = self.known.write().get_mut(&app.code) {
            known.is_outdated = true;
        }
    }

    fn cached(&self, code: &AppCode) -> Option<AppHandle> {
        let apps = self.known.read();
        let known = apps.get(code)?;
        let is_fresh = known.read_at.elapsed() < Duration::from_millis(limits::KNOWN_APP_AGE_MS);
        (is_fresh && !known.is_outdated)
            .then(|| AppHandle { app: known.app.clone(), running: known.running.clone() })
    }

    /// Caches an app that was read from the store after `read_at`.
    fn put(&self, app: App, read_at: Instant) -> AppHandle {
        let mut apps = self.known.write();
        if apps.len() >= limits::KNOWN_APPS_MAX {
            apps.clear();
        }
        let before = apps.get(&app.code);
        // Keep the counter of running requests.
        let running = before.map_or_else(Arc::default, |known| known.running.clone());
        let app = Arc::new(app);
        let known =
            CachedApp { app: app.clone(), running: running.clone(), read_at, is_outdated: false };
        apps.insert(app.code.clone(), known);
        AppHandle { app, running }
    }
}
