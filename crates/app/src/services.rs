//! The state that all handlers, actions and background tasks share.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use confab_domain::app::{App, AppCode};
use confab_domain::decision::context::{Context, Renderers};
use confab_domain::decision::principal::Principal;
use confab_domain::ids::AppId;
use confab_domain::limits;
use confab_domain::webhooks::delivery::Delivery;
use confab_outbound::{OutboundClient, Resolver, TargetGuard, TlsRoots};
use confab_store::{Store, StoreError};
use parking_lot::{Mutex, RwLock};
use tokio::sync::Notify;

use crate::channels::mail::turns::MailTurns;
use crate::channels::template_cache::TemplateCache;
use crate::credentials::passwords::HashingQueues;
use crate::page_cache::PageCache;
use confab_delivery::channels::client::ChannelClient;
use confab_delivery::channels::reply_tokens::ReplyTokens;
use confab_delivery::listeners::Listeners;
use confab_delivery::liveness::Liveness;
use confab_delivery::renderers::renderers;
use confab_delivery::wake::DeliveryWake;
use confab_realtime::node::Realtime;
use confab_runtime::admission::body_memory::BodyMemory;
use confab_runtime::admission::connections::Connections;
use confab_runtime::admission::hook_proofs::HookProofs;
use confab_runtime::admission::quotas::Quotas;
use confab_runtime::admission::rate_limits::RateLimits;
use confab_runtime::admission::response_backpressure::ResponseBackpressure;
use confab_runtime::admission::running_requests::RunningOfApp;
use confab_runtime::admission::sign_in_limits::SignInLimits;
use confab_runtime::admission::unproven_uploads::UnprovenUploads;
use confab_runtime::config::Config;
use confab_runtime::files::Files;
use confab_runtime::origin;
use confab_runtime::supervisor::Supervisor;
use confab_runtime::traces::Tracer;

/// Handle of the shared state. Cheap to clone; all clones share one state.
#[derive(Clone)]
pub struct Services(Arc<ServicesInner>);

struct ServicesInner {
    store: Store,
    config: Arc<Config>,
    known_apps: RwLock<HashMap<AppCode, CachedApp>>,
    rate_limits: RateLimits,
    quotas: Quotas,
    sign_in_tries: SignInLimits,
    log_in_tries: SignInLimits,
    hook_proofs: HookProofs,
    hashing: HashingQueues,
    unsent: ResponseBackpressure,
    shown_pages: PageCache,
    delivery_wake: Arc<DeliveryWake>,
    allocation: Mutex<HashSet<AppId>>,
    allocation_wake: Notify,
    listeners: Arc<Listeners>,
    supervisor: Supervisor,
    is_leaving: AtomicBool,
    realtime: Arc<Realtime>,
    body_memory: BodyMemory,
    liveness: OnceLock<Arc<Liveness>>,
    outbound: OnceLock<Arc<OutboundClient>>,
    files: OnceLock<Arc<Files>>,
    channel_client: OnceLock<Arc<ChannelClient>>,
    channels_wake: Notify,
    unwell_channels: AtomicU64,
    mail_turns: MailTurns,
    known_templates: TemplateCache,
    unproven_uploads: UnprovenUploads,
    renderers: Arc<Renderers>,
    tracer: Option<Tracer>,
}

struct CachedApp {
    app: Arc<App>,
    running: Arc<RunningOfApp>,
    read_at: Instant,
    is_outdated: bool,
}

impl Services {
    /// Creates the shared state from a store and settings.
    pub fn new(store: Store, config: Config) -> Self {
        let rate_limits = RateLimits::new(&config);
        let quotas = Quotas::new(&config.quotas);
        let realtime = Realtime::new(store.clone(), Connections::new(&config));
        let unproven_uploads = UnprovenUploads::new(config.upload_max_bytes);
        let renderers = Arc::new(renderers(&config.brands));
        let tracer = Tracer::new(&config);
        Self(Arc::new(ServicesInner {
            store,
            config: Arc::new(config),
            known_apps: RwLock::default(),
            rate_limits,
            quotas,
            sign_in_tries: SignInLimits::default(),
            log_in_tries: SignInLimits::default(),
            hook_proofs: HookProofs::default(),
            hashing: HashingQueues::default(),
            unsent: ResponseBackpressure::default(),
            shown_pages: PageCache::default(),
            delivery_wake: Arc::default(),
            allocation: Mutex::default(),
            allocation_wake: Notify::default(),
            listeners: Arc::default(),
            supervisor: Supervisor::default(),
            is_leaving: AtomicBool::new(false),
            realtime: Arc::new(realtime),
            body_memory: BodyMemory::default(),
            liveness: OnceLock::new(),
            outbound: OnceLock::new(),
            files: OnceLock::new(),
            channel_client: OnceLock::new(),
            channels_wake: Notify::new(),
            unwell_channels: AtomicU64::new(0),
            mail_turns: MailTurns::default(),
            known_templates: TemplateCache::default(),
            unproven_uploads,
            renderers,
            tracer,
        }))
    }

    /// Returns the store of all data except uploaded files.
    pub fn store(&self) -> &Store {
        &self.0.store
    }

    /// Returns the effective settings.
    pub fn config(&self) -> &Config {
        &self.0.config
    }

    /// Returns the tracer, if a collector is configured.
    pub fn tracer(&self) -> Option<&Tracer> {
        self.0.tracer.as_ref()
    }

    /// Returns the source of messages from the widget: the name of the first brand in lower case.
    pub fn widget_source(&self) -> &str {
        &self.0.renderers.widget_source
    }

    /// Returns the store and the source of messages from the widget, which inbox rows show.
    pub fn rows(&self) -> (&Store, &str) {
        (self.store(), self.widget_source())
    }

    pub fn rate_limits(&self) -> &RateLimits {
        &self.0.rate_limits
    }

    /// Returns the usage counters of the quotas.
    pub fn quotas(&self) -> &Quotas {
        &self.0.quotas
    }

    /// Returns the limits on failed sign-ins of agents.
    pub(crate) fn sign_in_tries(&self) -> &SignInLimits {
        &self.0.sign_in_tries
    }

    /// Returns the limits on failed log-ins of users. They are counted apart, so that they do not
    /// slow down the sign-ins of agents.
    pub(crate) fn log_in_tries(&self) -> &SignInLimits {
        &self.0.log_in_tries
    }

    /// Returns the memory budget for parsing mails.
    pub(crate) fn mail_turns(&self) -> &MailTurns {
        &self.0.mail_turns
    }

    /// Returns the limits on verifying the signatures of provider webhooks.
    pub fn hook_proofs(&self) -> &HookProofs {
        &self.0.hook_proofs
    }

    /// Returns the queues in which passwords are hashed.
    pub(crate) fn hashing(&self) -> &HashingQueues {
        &self.0.hashing
    }

    /// Returns the cache of responses that show a room's first page of messages.
    pub fn shown_pages(&self) -> &PageCache {
        &self.0.shown_pages
    }

    /// Returns the limits on large responses that wait to be sent.
    pub fn unsent(&self) -> &ResponseBackpressure {
        &self.0.unsent
    }

    /// Wakes the delivery engine, because a delivery is due or an endpoint changed.
    pub(crate) fn wake_delivery(&self) {
        self.0.delivery_wake.wake();
    }

    /// Requests an assignment run for an app, because a customer waits or an agent became
    /// available.
    pub(crate) fn wake_allocation(&self, app: AppId) {
        self.0.allocation.lock().insert(app);
        self.0.allocation_wake.notify_one();
    }

    /// Takes the apps for which an assignment run was requested.
    pub(crate) fn take_allocation(&self) -> Vec<AppId> {
        self.0.allocation.lock().drain().collect()
    }

    /// Waits until an assignment run is requested.
    pub(crate) async fn allocation_wanted(&self) {
        self.0.allocation_wake.notified().await;
    }

    /// Returns the signal that wakes the delivery engine.
    pub(crate) fn delivery_wake(&self) -> Arc<DeliveryWake> {
        self.0.delivery_wake.clone()
    }

    /// Returns the supervisor of background tasks.
    pub fn supervisor(&self) -> Supervisor {
        self.0.supervisor.clone()
    }

    /// Marks this server as stopping, so that load balancers and clients move to other nodes.
    pub(crate) fn begin_leaving(&self) {
        self.0.is_leaving.store(true, Ordering::Relaxed);
    }

    /// Whether this server is stopping.
    pub fn is_leaving(&self) -> bool {
        self.0.is_leaving.load(Ordering::Relaxed)
    }

    /// Returns the connected clients, and the other nodes.
    pub fn realtime(&self) -> &Arc<Realtime> {
        &self.0.realtime
    }

    /// Returns the memory budget of request bodies.
    pub fn body_memory(&self) -> &BodyMemory {
        &self.0.body_memory
    }

    /// Returns the webhook listeners that are connected to this node.
    pub fn listeners(&self) -> Arc<Listeners> {
        self.0.listeners.clone()
    }

    /// Sends deliveries to the app's webhook listeners on this node. Returns the number of
    /// listeners.
    pub(crate) fn publish(&self, app: &App, for_listeners: &[Delivery]) -> usize {
        self.0.listeners.publish(app, &self.config().brands, for_listeners)
    }

    /// Returns the functions with which rules render public JSON.
    pub(crate) fn renderers(&self) -> Arc<Renderers> {
        self.0.renderers.clone()
    }

    /// Returns the context in which rules decide. `depth_before` is the number of nested webhooks
    /// that triggered the request.
    pub(crate) fn context(&self, by: &Principal, depth_before: u32) -> Context {
        let is_listened_to = self.0.listeners.has_listeners(by.app.id);
        let renderers = self.renderers();
        let (app, actor, address) = (by.app.clone(), by.actor(), origin::address());
        Context { app, renderers, depth_before, is_listened_to, actor, address }
    }

    /// Sets the source of the delivery engine's health, which `/ready` reports.
    pub(crate) fn watch(&self, liveness: Arc<Liveness>) {
        // The engine exists once per process; a second value would be equal.
        let _ = self.0.liveness.set(liveness);
    }

    /// Returns why deliveries do not progress, or `None` if they do.
    pub fn delivery_problem(&self) -> Option<&'static str> {
        self.0.liveness.get().and_then(|liveness| liveness.problem())
    }

    /// Returns the handles with which requests are sent through channels.
    pub fn channel_client(&self) -> Arc<ChannelClient> {
        let made = || {
            let (store, config) = (self.store().clone(), self.0.config.clone());
            let (outbound, files) = (self.outbound(), self.shared_files());
            let reply_tokens = ReplyTokens::default();
            Arc::new(ChannelClient { store, config, outbound, files, reply_tokens })
        };
        self.0.channel_client.get_or_init(made).clone()
    }

    /// Returns the cache of message templates that providers offer.
    pub(crate) fn known_templates(&self) -> &TemplateCache {
        &self.0.known_templates
    }

    /// Wakes the channel tasks, because a channel was created or changed.
    pub fn wake_channels(&self) {
        self.0.channels_wake.notify_one();
    }

    /// Waits until a channel was created or changed.
    pub(crate) async fn channels_woken(&self) {
        self.0.channels_wake.notified().await;
    }

    /// Sets the number of channels that need an operator's action.
    pub(crate) fn note_unwell_channels(&self, count: u64) {
        self.0.unwell_channels.store(count, Ordering::Relaxed);
        metrics::gauge!("confab_channels_unhealthy").set(count as f64);
    }

    /// Returns a problem for `/ready` if a channel does not work.
    pub fn channel_problem(&self) -> Option<&'static str> {
        let count = self.0.unwell_channels.load(Ordering::Relaxed);
        (count > 0).then_some("a channel does not work; see `confab channels list`")
    }

    /// Returns the storage of uploaded files, which is created at the first call.
    pub fn files(&self) -> &Files {
        self.0.files.get_or_init(|| Arc::new(Files::new(self.config())))
    }

    fn shared_files(&self) -> Arc<Files> {
        self.0.files.get_or_init(|| Arc::new(Files::new(self.config()))).clone()
    }

    /// Returns the limits on uploads whose senders are not authenticated yet.
    pub fn unproven_uploads(&self) -> &UnprovenUploads {
        &self.0.unproven_uploads
    }

    /// Returns the client for all outgoing HTTP requests. It is created at the first call, because
    /// it reads the system's certificates.
    pub fn outbound(&self) -> Arc<OutboundClient> {
        let made = || {
            let Config { webhook_loopback, webhook_allow, .. } = self.config();
            let guard = TargetGuard::new(*webhook_loopback, webhook_allow.clone());
            Arc::new(OutboundClient::new(guard, Resolver::system(), TlsRoots::Platform))
        };
        self.0.outbound.get_or_init(made).clone()
    }

    /// Returns the app with this code. Its keys were read at most `limits::KNOWN_APP_AGE_MS` ago.
    pub async fn app(&self, code: &AppCode) -> Result<Option<AppHandle>, StoreError> {
        if let Some(known) = self.remembered(code) {
            return Ok(Some(known));
        }
        let read_at = Instant::now();
        let Some(app) = self.0.store.app(code).await? else { return Ok(None) };
        Ok(Some(self.remember(app, read_at)))
    }

    /// Reads the app with this id from the store.
    pub async fn app_by_id(&self, app: AppId) -> Result<Option<AppHandle>, StoreError> {
        let read_at = Instant::now();
        Ok(self.0.store.app_by_id(app).await?.map(|app| self.remember(app, read_at)))
    }

    /// Marks the cached app as outdated, so that the next request reads it again.
    pub(crate) fn evict_app(&self, app: &App) {
        self.0.delivery_wake.changed(app.id);
        // Keep the outdated entry: its counter of running requests must survive.
        if let Some(known) = self.0.known_apps.write().get_mut(&app.code) {
            known.is_outdated = true;
        }
    }

    fn remembered(&self, code: &AppCode) -> Option<AppHandle> {
        let known_apps = self.0.known_apps.read();
        let known = known_apps.get(code)?;
        let is_fresh = known.read_at.elapsed() < Duration::from_millis(limits::KNOWN_APP_AGE_MS);
        (is_fresh && !known.is_outdated)
            .then(|| AppHandle { app: known.app.clone(), running: known.running.clone() })
    }

    /// Caches an app that was read from the store after `read_at`.
    fn remember(&self, app: App, read_at: Instant) -> AppHandle {
        let mut known_apps = self.0.known_apps.write();
        if known_apps.len() >= limits::KNOWN_APPS_MAX {
            known_apps.clear();
        }
        let before = known_apps.get(&app.code);
        // Keep the counter of running requests.
        let running = before.map_or_else(Arc::default, |known| known.running.clone());
        let app = Arc::new(app);
        let known =
            CachedApp { app: app.clone(), running: running.clone(), read_at, is_outdated: false };
        known_apps.insert(app.code.clone(), known);
        AppHandle { app, running }
    }
}

/// An app with the counter of its running requests.
pub struct AppHandle {
    pub app: Arc<App>,
    pub running: Arc<RunningOfApp>,
}
