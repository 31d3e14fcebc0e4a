//! What every handler and action works with.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use confab_domain::app::{App, AppCode};
use confab_domain::audit::entry::Actor;
use confab_domain::channels::outgoing::{Outgoing, OutgoingKind, OutgoingPart};
use confab_domain::decision::context::{Context, Renderers};
use confab_domain::ids::AppId;
use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_domain::support::answerer::Answerer;
use confab_domain::webhooks::delivery::Delivery;
use confab_domain::webhooks::event::ChannelSummary;
use confab_store::{Store, StoreError};
use confab_wire::channels::{self, Part, Provider};
use confab_wire::webhooks::{self, RoomOptions};
use confab_wire::{complete_payload, is_same_payload};
use parking_lot::{Mutex, RwLock};
use tokio::sync::{Notify, mpsc};

use crate::body_memory::BodyMemory;
use crate::bus::Bus;
use crate::channels::mail::turns::MailTurns;
use crate::channels::reply_tokens::ReplyTokens;
use crate::channels::template_cache::TemplateCache;
use crate::config::Config;
use crate::connections::Connections;
use crate::delivery::listeners::Listeners;
use crate::delivery::liveness::Liveness;
use crate::delivery::wake::DeliveryWake;
use crate::files::Files;
use crate::hook_proofs::HookProofs;
use crate::origin;
use crate::outbound::{OutboundClient, Resolver, TargetGuard, TlsRoots};
use crate::page_cache::PageCache;
use crate::passwords::Hashing;
use crate::quotas::Quotas;
use crate::rate_limits::RateLimits;
use crate::realtime::feed::Feed;
use crate::realtime::hub::{EphemeralSignal, Hub};
use crate::realtime::mqtt::sessions::Sessions;
use crate::realtime::presence::Presences;
use crate::realtime::viewers::Viewers;
use crate::response_backpressure::ResponseBackpressure;
use crate::running_requests::RunningOfApp;
use crate::sign_in_limits::SignInLimits;
use crate::supervisor::Supervisor;
use crate::traces::Tracer;
use crate::unproven_uploads::UnprovenUploads;

/// Cheap to clone; all clones are one.
#[derive(Clone)]
pub struct Services(Arc<ServicesInner>);

struct ServicesInner {
    store: Store,
    config: Config,
    known_apps: RwLock<HashMap<AppCode, CachedApp>>,
    rate_limits: RateLimits,
    quotas: Quotas,
    sign_in_tries: SignInLimits,
    log_in_tries: SignInLimits,
    hook_proofs: HookProofs,
    hashing: Hashing,
    unsent: ResponseBackpressure,
    shown_pages: PageCache,
    delivery_wake: Arc<DeliveryWake>,
    allocation: Mutex<HashSet<AppId>>,
    allocation_wake: Notify,
    listeners: Arc<Listeners>,
    chores: Supervisor,
    is_leaving: AtomicBool,
    connections: Connections,
    body_memory: BodyMemory,
    hub: Hub,
    viewers: Viewers,
    presences: Arc<Presences>,
    mqtt_sessions: Sessions,
    passing: Mutex<Option<mpsc::Receiver<EphemeralSignal>>>,
    bus: OnceLock<Bus>,
    liveness: OnceLock<Arc<Liveness>>,
    outbound: OnceLock<Arc<OutboundClient>>,
    files: OnceLock<Files>,
    channels_wake: Notify,
    unwell_channels: AtomicU64,
    reply_tokens: ReplyTokens,
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
    /// Puts the parts together.
    pub fn new(store: Store, config: Config) -> Self {
        let rate_limits = RateLimits::new(&config);
        let quotas = Quotas::new(&config.quotas);
        let connections = Connections::new(&config);
        let (hub, passing) = Hub::new(matches!(store, Store::Sqlite(_)));
        let unproven_uploads = UnprovenUploads::new(config.upload_max_bytes);
        let presences = Arc::new(Presences::new(store.clone(), hub.clone()));
        let renderers = Arc::new(renderers(&config.brands));
        let viewers = Viewers::new(hub.clone());
        let tracer = Tracer::new(&config);
        Self(Arc::new(ServicesInner {
            store,
            config,
            known_apps: RwLock::default(),
            rate_limits,
            quotas,
            sign_in_tries: SignInLimits::default(),
            log_in_tries: SignInLimits::default(),
            hook_proofs: HookProofs::default(),
            hashing: Hashing::default(),
            unsent: ResponseBackpressure::default(),
            shown_pages: PageCache::default(),
            delivery_wake: Arc::default(),
            allocation: Mutex::default(),
            allocation_wake: Notify::default(),
            listeners: Arc::default(),
            chores: Supervisor::default(),
            is_leaving: AtomicBool::new(false),
            connections,
            body_memory: BodyMemory::default(),
            hub,
            viewers,
            presences,
            mqtt_sessions: Sessions::default(),
            passing: Mutex::new(Some(passing)),
            bus: OnceLock::new(),
            liveness: OnceLock::new(),
            outbound: OnceLock::new(),
            files: OnceLock::new(),
            channels_wake: Notify::new(),
            unwell_channels: AtomicU64::new(0),
            reply_tokens: ReplyTokens::default(),
            mail_turns: MailTurns::default(),
            known_templates: TemplateCache::default(),
            unproven_uploads,
            renderers,
            tracer,
        }))
    }

    /// Where everything is kept.
    pub fn store(&self) -> &Store {
        &self.0.store
    }

    /// The effective settings.
    pub fn config(&self) -> &Config {
        &self.0.config
    }

    /// What begins spans, if a collector is named.
    pub(crate) fn tracer(&self) -> Option<&Tracer> {
        self.0.tracer.as_ref()
    }

    /// What the widget is called as a source: it follows the brand (D-0001).
    pub(crate) fn widget_source(&self) -> String {
        self.0.renderers.widget_source.clone()
    }

    pub(crate) fn rate_limits(&self) -> &RateLimits {
        &self.0.rate_limits
    }

    /// What may grow, and how fast.
    pub(crate) fn quotas(&self) -> &Quotas {
        &self.0.quotas
    }

    /// How often signing in failed lately.
    pub(crate) fn sign_in_tries(&self) -> &SignInLimits {
        &self.0.sign_in_tries
    }

    /// How often users of apps failed to log in lately; nobody who works here is kept out by them.
    pub(crate) fn log_in_tries(&self) -> &SignInLimits {
        &self.0.log_in_tries
    }

    /// The turns of mails that are read.
    pub(crate) fn mail_turns(&self) -> &MailTurns {
        &self.0.mail_turns
    }

    /// Where webhooks of messaging providers are proven.
    pub(crate) fn hook_proofs(&self) -> &HookProofs {
        &self.0.hook_proofs
    }

    /// Where passwords are hashed.
    pub(crate) fn hashing(&self) -> &Hashing {
        &self.0.hashing
    }

    /// First pages as they were answered last.
    pub(crate) fn shown_pages(&self) -> &PageCache {
        &self.0.shown_pages
    }

    /// How much of large answers waits to be sent.
    pub(crate) fn unsent(&self) -> &ResponseBackpressure {
        &self.0.unsent
    }

    /// Something is to be delivered, or endpoints changed: the engine shall look at once.
    pub(crate) fn wake_delivery(&self) {
        self.0.delivery_wake.wake();
    }

    /// Somebody of the app waits for an agent, or an agent is free.
    pub(crate) fn wake_allocation(&self, app: AppId) {
        self.0.allocation.lock().insert(app);
        self.0.allocation_wake.notify_one();
    }

    /// The apps whose waiting customers are to be looked at.
    pub(crate) fn take_allocation(&self) -> Vec<AppId> {
        self.0.allocation.lock().drain().collect()
    }

    /// Comes when there is something to be taken.
    pub(crate) async fn allocation_wanted(&self) {
        self.0.allocation_wake.notified().await;
    }

    /// What the engine waits on.
    pub(crate) fn delivery_wake(&self) -> Arc<DeliveryWake> {
        self.0.delivery_wake.clone()
    }

    /// What runs beside requests.
    pub(crate) fn chores(&self) -> Supervisor {
        self.0.chores.clone()
    }

    /// Others shall take over: from now on everybody is told that this server leaves.
    pub(crate) fn begin_leaving(&self) {
        self.0.is_leaving.store(true, Ordering::Relaxed);
    }

    /// Whether this server was told to stop.
    pub(crate) fn is_leaving(&self) -> bool {
        self.0.is_leaving.load(Ordering::Relaxed)
    }

    /// How many connections there are, and may be.
    pub fn connections(&self) -> Connections {
        self.0.connections.clone()
    }

    /// What bodies of requests hold.
    pub(crate) fn body_memory(&self) -> &BodyMemory {
        &self.0.body_memory
    }

    /// Who has which conversation on their screen.
    pub(crate) fn viewers(&self) -> &Viewers {
        &self.0.viewers
    }

    /// Those who are connected to this node.
    pub(crate) fn hub(&self) -> &Hub {
        &self.0.hub
    }

    /// What shows those who are connected what happens. There is one.
    pub(crate) fn feed(&self) -> Option<Feed> {
        let passing = self.0.passing.lock().take()?;
        let bus = Bus::start(self.config(), self.store(), self.chores());
        // One for each process; a second one would say the same.
        let _ = self.0.bus.set(bus.0.clone());
        let (store, hub) = (self.store().clone(), self.hub().clone());
        let (presences, viewers) = (self.0.presences.clone(), self.viewers().clone());
        Some(Feed::new(store, hub, presences, viewers, passing, bus))
    }

    /// Who is there, for what lives as long as the server.
    pub(crate) fn shared_presences(&self) -> Arc<Presences> {
        self.0.presences.clone()
    }

    /// Who is there.
    pub(crate) fn presences(&self) -> &Presences {
        &self.0.presences
    }

    /// The sessions of MQTT clients.
    pub(crate) fn mqtt_sessions(&self) -> &Sessions {
        &self.0.mqtt_sessions
    }

    /// Those who listen to this node.
    pub(crate) fn listeners(&self) -> Arc<Listeners> {
        self.0.listeners.clone()
    }

    /// Those who listen to the app's webhooks on this node hear of these; gives how many listen.
    pub(crate) fn publish(&self, app: &App, heard: &[Delivery]) -> usize {
        self.0.listeners.publish(app, &self.config().brands, heard)
    }

    /// How rules have public JSON written.
    pub(crate) fn renderers(&self) -> Arc<Renderers> {
        self.0.renderers.clone()
    }

    /// Where rules of the app decide, for a request that so many webhooks led to.
    pub(crate) fn context(&self, app: &Arc<App>, depth_before: u32) -> Context {
        let is_listened_to = self.0.listeners.has_listeners(app.id);
        let renderers = self.renderers();
        let (actor, address) = (Actor::Server, origin::address());
        Context { app: app.clone(), renderers, depth_before, is_listened_to, actor, address }
    }

    /// From now on it is known whether deliveries move.
    pub(crate) fn watch(&self, liveness: Arc<Liveness>) {
        // One engine for each process; a second one would say the same.
        let _ = self.0.liveness.set(liveness);
    }

    /// What keeps deliveries from moving, if anything does.
    pub(crate) fn delivery_problem(&self) -> Option<&'static str> {
        self.0.liveness.get().and_then(|liveness| liveness.problem())
    }

    /// What keeps this node from hearing of others at once, if anything does.
    pub(crate) fn bus_problem(&self) -> Option<&'static str> {
        self.0.bus.get().and_then(Bus::problem)
    }

    /// What customers of LINE can be answered for free by.
    pub(crate) fn reply_tokens(&self) -> &ReplyTokens {
        &self.0.reply_tokens
    }

    /// What services listed a moment ago.
    pub(crate) fn known_templates(&self) -> &TemplateCache {
        &self.0.known_templates
    }

    /// A channel of a service was made or changed: it is looked at.
    pub(crate) fn wake_channels(&self) {
        self.0.channels_wake.notify_one();
    }

    /// Comes when one was.
    pub(crate) async fn channels_woken(&self) {
        self.0.channels_wake.notified().await;
    }

    /// So many channels somebody must do something about.
    pub(crate) fn note_unwell_channels(&self, count: u64) {
        self.0.unwell_channels.store(count, Ordering::Relaxed);
        metrics::gauge!("confab_channels_unhealthy").set(count as f64);
    }

    /// What keeps channels from working, if anything does.
    pub(crate) fn channel_problem(&self) -> Option<&'static str> {
        let count = self.0.unwell_channels.load(Ordering::Relaxed);
        (count > 0).then_some("a channel does not work; see `confab channels list`")
    }

    /// Where files are kept. Made when it is first needed, as the way out is.
    pub(crate) fn files(&self) -> &Files {
        self.0.files.get_or_init(|| Files::new(self.config()))
    }

    /// Files whose senders have not shown a token yet.
    pub(crate) fn unproven_uploads(&self) -> &UnprovenUploads {
        &self.0.unproven_uploads
    }

    /// The one way out. Made when it is first needed: it reads the system's certificates.
    pub(crate) fn outbound(&self) -> Arc<OutboundClient> {
        let made = || {
            let Config { webhook_loopback, webhook_allow, .. } = self.config();
            let guard = TargetGuard::new(*webhook_loopback, webhook_allow.clone());
            Arc::new(OutboundClient::new(guard, Resolver::system(), TlsRoots::Platform))
        };
        self.0.outbound.get_or_init(made).clone()
    }

    /// The app of this code. Its keys are as they were at most `limits::KNOWN_APP_AGE_MS` ago.
    pub(crate) async fn app(&self, code: &AppCode) -> Result<Option<AppHandle>, StoreError> {
        if let Some(known) = self.remembered(code) {
            return Ok(Some(known));
        }
        let read_at = Instant::now();
        let Some(app) = self.0.store.app(code).await? else { return Ok(None) };
        Ok(Some(self.remember(app, read_at)))
    }

    /// The app of this integer.
    pub(crate) async fn app_by_id(&self, app: AppId) -> Result<Option<AppHandle>, StoreError> {
        let read_at = Instant::now();
        Ok(self.0.store.app_by_id(app).await?.map(|app| self.remember(app, read_at)))
    }

    /// What is known of the app is read again.
    pub(crate) fn forget_app(&self, app: &App) {
        self.0.delivery_wake.changed(app.id);
        // Requests that run now must stay counted: it stays, too old to be used.
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

    /// The keys are at least as new as the moment before they were read.
    fn remember(&self, app: App, read_at: Instant) -> AppHandle {
        let mut known_apps = self.0.known_apps.write();
        if known_apps.len() >= limits::KNOWN_APPS_MAX {
            known_apps.clear();
        }
        let before = known_apps.get(&app.code);
        // Requests that run now must stay counted.
        let running = before.map_or_else(Arc::default, |known| known.running.clone());
        let app = Arc::new(app);
        let known =
            CachedApp { app: app.clone(), running: running.clone(), read_at, is_outdated: false };
        known_apps.insert(app.code.clone(), known);
        AppHandle { app, running }
    }
}

/// An app, and its requests that run now.
pub(crate) struct AppHandle {
    pub(crate) app: Arc<App>,
    pub(crate) running: Arc<RunningOfApp>,
}

/// How rules have public JSON written.
pub(crate) fn renderers(brands: &[String]) -> Renderers {
    Renderers {
        local_time: confab_wire::time::local_time,
        complete_payload,
        is_same_payload,
        webhook_body: webhooks::body,
        channel_parts,
        example: webhooks::examples::example,
        room_options,
        widget_source: brands.first().map_or("service", String::as_str).to_lowercase(),
    }
}

/// What a service is to be sent; nothing for a kind that is not spoken with.
fn channel_parts(outgoing: &Outgoing<'_>) -> Vec<OutgoingPart> {
    let Some(provider) = Provider::parse(outgoing.kind.as_str()) else { return Vec::new() };
    let message = outgoing.message;
    let parts = match (outgoing.what, outgoing.template) {
        (OutgoingKind::PostedMessage(answerer), None) => {
            channels::parts(provider, message, answerer)
        }
        (OutgoingKind::PostedMessage(answerer), Some(template)) => {
            channels::template_parts(message, answerer, template)
        }
        // Who corrects something matters to no service.
        (OutgoingKind::Corrected, _) => channels::edit_parts(provider, message, Answerer::Bot),
        (OutgoingKind::Deleted, _) => channels::delete_parts(provider, message, Answerer::Bot),
    };
    let outgoing = |part: &Part| OutgoingPart {
        body: JsonText::from_checked(part.frozen()),
        needs_window: channels::needs_window(provider, part),
    };
    parts.iter().map(outgoing).collect()
}

fn room_options(channel: &ChannelSummary, is_resolved: bool, is_waiting: bool) -> JsonText {
    RoomOptions { channel, is_resolved, is_waiting }.to_json()
}
