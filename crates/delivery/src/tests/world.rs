//! A test store with an app and an endpoint, and engines on top of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use confab_domain::app::AppCode;
use confab_domain::decision::change::{Change, WebhookChange};
use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::Decision;
use confab_domain::decision::stamp::{Stamp, Stamps};
use confab_domain::ids::{AppId, DeliveryId, EndpointId};
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivery::{BUCKETS, Delivery, Lane};
use confab_domain::webhooks::endpoint::{DeliveryPolicy, Endpoint};
use confab_domain::webhooks::event_kind::EventKind;
use confab_outbound::{AllowList, OutboundClient, Resolver, TargetGuard, TlsRoots};
use confab_runtime::SystemStamps;
use confab_runtime::process::secrets_file::SecretsFile;
use confab_runtime::supervisor::Supervisor;
use confab_store::{Location, NewApp, Registry, ScanMark, Sealer, Store};
use tempfile::TempDir;

use crate::attempting::Parts;
use crate::engine::DeliveryEngine;
use crate::renderers::renderers;
use crate::wake::DeliveryWake;

/// The app's secret key.
pub(crate) const KEY: &str = "the-old-key";

/// The system clock, shifted forward.
pub(crate) struct Clock {
    system: SystemStamps,
    ahead_us: AtomicI64,
}

impl Clock {
    fn new() -> Arc<Self> {
        Arc::new(Self { system: SystemStamps::new(0), ahead_us: AtomicI64::new(0) })
    }

    pub(crate) fn days_pass(&self, days: u32) {
        let us = Timestamp(0).days_later(days).0;
        self.ahead_us.fetch_add(us, Ordering::Relaxed);
    }
}

impl Stamps for Clock {
    fn now(&self) -> Timestamp {
        Timestamp(self.system.now().0 + self.ahead_us.load(Ordering::Relaxed))
    }

    fn next_id(&self, after: i64) -> i64 {
        self.system.next_id(after)
    }

    fn serve_as(&self, node: i64) {
        self.system.serve_as(node);
    }
}

/// A store with the app `shop` and its bot endpoint.
pub(crate) struct World {
    folder: TempDir,
    pub(crate) clock: Arc<Clock>,
    pub(crate) store: Store,
    pub(crate) code: AppCode,
    pub(crate) app: AppId,
    pub(crate) endpoint: EndpointId,
    pub(crate) wake: Arc<DeliveryWake>,
}

impl World {
    pub(crate) async fn with_endpoint(url: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder is created");
        let (store, clock) = open(&folder).await;
        let code = AppCode::parse("shop").expect("the app code is valid");
        let endpoint = EndpointId(clock.next_id(0));
        let wake = Arc::default();
        let mut world = Self { folder, clock, store, code, app: AppId(0), endpoint, wake };
        let new = NewApp {
            code: world.code.clone(),
            name: "Shop".to_owned(),
            sdk_secret: "sdk".to_owned(),
            secret_key: KEY.to_owned(),
            system_token: "token".to_owned(),
        };
        assert!(world.registry().await.create_app(&new, None).await.expect("the app is created"));
        world.app = world
            .store
            .app(&world.code)
            .await
            .expect("the store is readable")
            .expect("the app is created")
            .id;
        world.put_endpoint(world.endpoint, EventKind::Bot, url).await;
        world
    }

    /// Opens the registry, for commands that run next to a serving process.
    pub(crate) async fn registry(&self) -> Registry {
        let location = Location::folder(self.folder.path());
        let sealer = sealer(&self.folder).await;
        Registry::open(&location, self.clock.clone(), sealer).await.expect("the store opens")
    }

    pub(crate) async fn put_endpoint(&self, id: EndpointId, kind: EventKind, url: &str) {
        let endpoint = Endpoint {
            id,
            app: self.app,
            kind,
            name: String::new(),
            url: url.to_owned(),
            is_enabled: true,
            is_paused: false,
            failing: None,
            policy: DeliveryPolicy::default(),
            created_at: self.clock.now(),
            updated_at: self.clock.now(),
        };
        let rule = move |_: &Facts, _: &Stamp<'_>| {
            let changes = vec![Change::Webhook(WebhookChange::PutEndpoint(endpoint.clone()))];
            Ok(Decision::new(changes, ()))
        };
        self.store
            .decide(self.app, Question::default(), rule)
            .await
            .expect("the endpoint is stored");
    }

    /// Commits a delivery to the bot endpoint.
    pub(crate) async fn enqueue(&self, lane: i64, body: String) {
        let (app, endpoint) = (self.app, self.endpoint);
        let endpoints = Some((Lane(lane), vec![EventKind::Bot]));
        let rule = move |facts: &Facts, stamp: &Stamp<'_>| {
            let delivery = Delivery {
                id: DeliveryId(stamp.next_id()),
                app,
                endpoint,
                kind: EventKind::Bot,
                lane: Lane(lane),
                sequence: facts.endpoints[0].1 + 1,
                created_at: stamp.now,
                depth: 1,
                body: body.as_str().into(),
            };
            Ok(Decision::new(vec![Change::Webhook(WebhookChange::InsertDelivery(delivery))], ()))
        };
        let question = Question { endpoints, ..Question::default() };
        self.store.decide(self.app, question, rule).await.expect("the delivery is committed");
    }

    /// Commits one delivery for each of the endpoints in one decision, and returns their ids.
    pub(crate) async fn enqueue_all(
        &self,
        lane: i64,
        endpoints: &[(EndpointId, EventKind)],
    ) -> Vec<DeliveryId> {
        let (app, endpoints) = (self.app, endpoints.to_vec());
        let rule = move |_: &Facts, stamp: &Stamp<'_>| {
            let delivery = |&(endpoint, kind): &(EndpointId, EventKind)| Delivery {
                id: DeliveryId(stamp.next_id()),
                app,
                endpoint,
                kind,
                lane: Lane(lane),
                sequence: 1,
                created_at: stamp.now,
                depth: 1,
                body: "{}".into(),
            };
            let deliveries: Vec<_> = endpoints.iter().map(delivery).collect();
            let outcome = deliveries.iter().map(|delivery| delivery.id).collect();
            let changes =
                deliveries.into_iter().map(|it| WebhookChange::InsertDelivery(it).into()).collect();
            Ok(Decision::new(changes, outcome))
        };
        self.store
            .decide(self.app, Question::default(), rule)
            .await
            .expect("the delivery is committed")
    }

    /// Returns the time of the delivery's first attempt and the duration of its answer.
    pub(crate) async fn sent(&self, id: DeliveryId) -> (Timestamp, i64) {
        let found = self
            .store
            .delivery(self.app, id)
            .await
            .expect("the store is readable")
            .expect("the delivery exists");
        let attempt = &found.2[0];
        let took: u32 = attempt.phases_us.iter().flatten().sum();
        (attempt.at, i64::from(took))
    }

    pub(crate) fn start(&self) -> DeliveryEngine {
        let guard = TargetGuard::new(true, AllowList::default());
        let client = OutboundClient::new(guard, Resolver::system(), TlsRoots::Only(Vec::new()));
        let brands = vec!["SERVICE".to_owned()];
        let parts = Parts {
            store: self.store.clone(),
            client: Arc::new(client),
            renderers: Arc::new(renderers(&brands)),
            brands,
            stamps: self.clock.clone(),
            listeners: Arc::default(),
            pushing: None,
            provider: None,
            inbound: None,
            ours: Arc::default(),
            tracer: None,
        };
        DeliveryEngine::start(parts, self.wake.clone(), Supervisor::default())
    }

    /// Closes the store and opens it again, as a new process does.
    pub(crate) async fn reopened(mut self) -> Self {
        self.store.close().await.expect("the store closes");
        (self.store, self.clock) = open(&self.folder).await;
        self
    }

    async fn waiting(&self) -> usize {
        let buckets: Vec<_> = (0..BUCKETS).collect();
        let found = self.store.waiting_deliveries(&buckets, ScanMark::default()).await;
        found.expect("the store is readable").deliveries.len()
    }

    /// Waits until no delivery is waiting.
    pub(crate) async fn wait_until_nothing_waits(&self) {
        let mut look = tokio::time::interval(Duration::from_millis(5));
        let idle = async {
            while self.waiting().await > 0 {
                look.tick().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), idle)
            .await
            .expect("all deliveries finish within a minute");
    }
}

async fn sealer(folder: &TempDir) -> Arc<Sealer> {
    let keys = SecretsFile::at(folder.path().join("secrets.key"));
    keys.sealer(&Location::folder(folder.path())).await.expect("the secrets file is readable")
}

async fn open(folder: &TempDir) -> (Store, Arc<Clock>) {
    let clock = Clock::new();
    let location = Location::folder(folder.path());
    let store =
        Store::open(&location, clock.clone(), sealer(folder).await).await.expect("the store opens");
    (store, clock)
}
