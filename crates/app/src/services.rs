//! The parts of a running server.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use confab_delivery::channels::client::ChannelClient;
use confab_delivery::channels::reply_tokens::ReplyTokens;
use confab_delivery::liveness::Liveness;
use confab_outbound::{OutboundClient, Resolver, TargetGuard, TlsRoots};
use confab_realtime::node::Realtime;
use confab_runtime::admission::Admission;
use confab_runtime::config::Config;
use confab_runtime::files::Files;
use confab_runtime::supervisor::Supervisor;
use confab_store::Store;

use crate::apps::Apps;
use crate::channels::channel_state::ChannelState;
use crate::credentials::passwords::HashingQueues;
use crate::decide::Decisions;
use crate::page_cache::PageCache;

/// Handle of all parts. Cheap to clone; all clones share one state. What needs only one or two
/// parts takes those.
#[derive(Clone)]
pub struct Services(Arc<ServicesInner>);

struct ServicesInner {
    config: Arc<Config>,
    decisions: Decisions,
    admission: Admission,
    realtime: Arc<Realtime>,
    channels: ChannelState,
    hashing: HashingQueues,
    shown_pages: PageCache,
    supervisor: Supervisor,
    is_leaving: AtomicBool,
    liveness: OnceLock<Arc<Liveness>>,
    outbound: OnceLock<Arc<OutboundClient>>,
    files: OnceLock<Arc<Files>>,
    channel_client: OnceLock<Arc<ChannelClient>>,
}

impl Services {
    /// Creates the parts from a store and settings.
    pub fn new(store: Store, config: Config) -> Self {
        let config = Arc::new(config);
        let admission = Admission::new(&config);
        let realtime = Realtime::new(store.clone(), admission.connections.clone());
        Self(Arc::new(ServicesInner {
            admission,
            realtime: Arc::new(realtime),
            channels: ChannelState::default(),
            hashing: HashingQueues::default(),
            shown_pages: PageCache::default(),
            supervisor: Supervisor::default(),
            is_leaving: AtomicBool::new(false),
            liveness: OnceLock::new(),
            outbound: OnceLock::new(),
            files: OnceLock::new(),
            channel_client: OnceLock::new(),
            decisions: Decisions::new(store, config.clone()),
            config,
        }))
    }

    /// Returns the store of all data except uploaded files.
    pub fn store(&self) -> &Store {
        self.0.decisions.store()
    }

    /// Returns the effective settings.
    pub fn config(&self) -> &Config {
        &self.0.config
    }

    /// Returns the write path.
    pub fn decisions(&self) -> &Decisions {
        &self.0.decisions
    }

    pub fn apps(&self) -> &Apps {
        self.0.decisions.apps()
    }

    /// Returns the limits on requests.
    pub fn admission(&self) -> &Admission {
        &self.0.admission
    }

    /// Returns the connected clients, and the other nodes.
    pub fn realtime(&self) -> &Arc<Realtime> {
        &self.0.realtime
    }

    /// Returns the state of the channels of all apps on this node.
    pub fn channels(&self) -> &ChannelState {
        &self.0.channels
    }

    /// Returns the queues in which passwords are hashed.
    pub(crate) fn hashing(&self) -> &HashingQueues {
        &self.0.hashing
    }

    /// Returns the cache of responses that show a room's first page of messages.
    pub fn shown_pages(&self) -> &PageCache {
        &self.0.shown_pages
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
            let (outbound, files) = (self.outbound(), self.files().clone());
            let reply_tokens = ReplyTokens::default();
            Arc::new(ChannelClient { store, config, outbound, files, reply_tokens })
        };
        self.0.channel_client.get_or_init(made).clone()
    }

    /// Returns the storage of uploaded files, which is created at the first call.
    pub fn files(&self) -> &Arc<Files> {
        self.0.files.get_or_init(|| Arc::new(Files::new(self.config())))
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
}
