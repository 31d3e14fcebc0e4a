//! While a secret key is changed, nobody who follows `docs/webhooks.md` rejects a webhook (D-0029).
//!
//! A real registry takes the steps, the real engine signs and sends, a real receiver keeps what it
//! got, and everybody's way of verifying is tried on all of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::http::HeaderMap;
use bytes::Bytes;
use confab_domain::app::AppCode;
use confab_domain::decision::change::Change;
use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::Decision;
use confab_domain::decision::stamp::{Stamp, Stamps};
use confab_domain::ids::{AppId, DeliveryId, EndpointId};
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivery::{Delivery, Lane};
use confab_domain::webhooks::endpoint::{Endpoint, Manners};
use confab_domain::webhooks::notice_kind::NoticeKind;
use confab_store::{Location, NewApp, Registry, Store};
use confab_verify::standard::{self, Headers};
use tempfile::TempDir;
use tokio::sync::{Notify, mpsc};

use crate::SystemStamps;
use crate::chores::Chores;
use crate::delivery::attempting::Parts;
use crate::delivery::engine::Engine;
use crate::outbound::{AllowList, OutboundClient, Resolver, TargetGuard, TlsRoots};
use crate::secrets_file::SecretsFile;

const OLD: &str = "the-old-key";
const NEW: &str = "the-new-key";
const LANES: i64 = 5;

/// The system's clock, put forward.
struct Clock {
    system: SystemStamps,
    ahead_us: AtomicI64,
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

/// A webhook as it arrived.
struct Arrived {
    headers: HeaderMap,
    body: Bytes,
    at: Timestamp,
}

impl Arrived {
    fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().expect("text")
    }

    /// Whether a receiver takes it that knows one key and looks at `service-signature-key`.
    fn fits_spec_header(&self, key: &str) -> bool {
        confab_verify::verify(key, &self.body, self.header("service-signature-key")).is_ok()
    }

    /// Whether a receiver takes it that knows one key and looks at `webhook-signature`.
    fn fits_standard_header(&self, key: &str) -> bool {
        let headers = Headers {
            id: self.header("webhook-id"),
            timestamp: self.header("webhook-timestamp"),
            signature: self.header("webhook-signature"),
        };
        standard::verify(key, headers, &self.body, self.at.unix_seconds()).is_ok()
    }

    /// Every key with every header, in the order of `WAYS`.
    fn fits(&self) -> [bool; 4] {
        let (spec, standard) = (Self::fits_spec_header, Self::fits_standard_header);
        [spec(self, OLD), standard(self, OLD), spec(self, NEW), standard(self, NEW)]
    }
}

const WAYS: [&str; 4] = ["old by spec", "old by standard", "new by spec", "new by standard"];

/// An app with an endpoint, a receiver behind it and an engine between them.
struct World {
    _folder: TempDir,
    clock: Arc<Clock>,
    store: Store,
    registry: Registry,
    code: AppCode,
    app: AppId,
    endpoint: EndpointId,
    engine: Engine,
    wake: Arc<Notify>,
    arrivals: mpsc::UnboundedReceiver<Arrived>,
}

impl World {
    async fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let location = Location::folder(folder.path());
        let clock = Arc::new(Clock { system: SystemStamps::new(0), ahead_us: AtomicI64::new(0) });
        let keys = SecretsFile::at(folder.path().join("secrets.key"));
        let sealer = keys.sealer(&location).await.expect("keys");
        let store = Store::open(&location, clock.clone(), sealer.clone()).await.expect("opens");
        let registry = Registry::open(&location, clock.clone(), sealer).await;
        let mut registry = registry.expect("opens");
        let code = AppCode::parse("shop").expect("a code");
        let new = NewApp {
            code: code.clone(),
            name: "Shop".to_owned(),
            sdk_secret: "sdk".to_owned(),
            secret_key: OLD.to_owned(),
            system_token: "token".to_owned(),
        };
        assert!(registry.create_app(&new, None).await.expect("made"));
        let app = store.app(&code).await.expect("read").expect("made").id;
        let (url, arrivals) = receiver(clock.clone()).await;
        let endpoint = put_endpoint(&store, app, url, &clock).await;
        let guard = TargetGuard::new(true, AllowList::default());
        let client = OutboundClient::new(guard, Resolver::system(), TlsRoots::Only(Vec::new()));
        let brands = vec!["SERVICE".to_owned()];
        let (client, stamps) = (Arc::new(client), clock.clone());
        let listeners = Arc::default();
        let parts =
            Parts { store: store.clone(), client, brands, stamps, listeners, pushing: None };
        let wake: Arc<Notify> = Arc::default();
        let engine = Engine::start(parts, wake.clone(), Chores::default());
        Self {
            _folder: folder,
            clock,
            store,
            registry,
            code,
            app,
            endpoint,
            engine,
            wake,
            arrivals,
        }
    }

    /// Commits so many deliveries.
    async fn tell(&self, count: i64) {
        for number in 0..count {
            let (app, endpoint, lane) = (self.app, self.endpoint, Lane(number % LANES));
            let rule = move |facts: &Facts, stamp: &Stamp<'_>| {
                let delivery = Delivery {
                    id: DeliveryId(stamp.next_id()),
                    app,
                    endpoint,
                    kind: NoticeKind::Bot,
                    lane,
                    sequence: facts.endpoints[0].1 + 1,
                    created_at: stamp.now,
                    depth: 1,
                    body: format!(r#"{{"number":{number}}}"#).into(),
                };
                Ok(Decision { changes: vec![Change::InsertDelivery(delivery)], outcome: () })
            };
            let endpoints = Some((lane, vec![NoticeKind::Bot]));
            let question = Question { endpoints, ..Question::default() };
            self.store.decide(app, question, rule).await.expect("told");
        }
        self.wake.notify_one();
    }

    async fn arrived(&mut self, count: i64) -> Vec<Arrived> {
        let mut arrived = Vec::new();
        for _ in 0..count {
            let next = tokio::time::timeout(Duration::from_secs(60), self.arrivals.recv()).await;
            arrived.push(next.expect("in time").expect("the receiver runs"));
        }
        arrived
    }

    /// Sends webhooks until the engine knows the keys of now; gives those.
    async fn until_known(&mut self, expected: &[&str]) -> Vec<Arrived> {
        let mut arrived = Vec::new();
        let mut look = tokio::time::interval(Duration::from_millis(50));
        let known = async {
            while arrived.last().is_none_or(|webhook| ways(webhook) != expected) {
                look.tick().await;
                self.tell(1).await;
                arrived.extend(self.arrived(1).await);
            }
        };
        tokio::time::timeout(Duration::from_secs(60), known).await.expect("within a minute");
        arrived
    }

    /// Sends twenty webhooks: each of them must be taken in exactly these ways.
    async fn check(&mut self, phase: &str, expected: &[&str]) -> Vec<Arrived> {
        self.until_known(expected).await;
        self.tell(20).await;
        let arrived = self.arrived(20).await;
        arrived.iter().for_each(|webhook| assert_eq!(ways(webhook), expected, "{phase}"));
        arrived
    }

    async fn stage(&self) {
        assert!(self.registry.stage_key(&self.code, NEW).await.expect("written"));
    }

    async fn promote(&self, overlap_days: u32) {
        let until = self.clock.now().days_later(overlap_days);
        assert!(self.registry.promote_key(&self.code, until).await.expect("written"));
    }

    async fn retire(&self) {
        assert!(self.registry.retire_key(&self.code).await.expect("written"));
    }

    fn days_pass(&self, days: u32) {
        let us = Timestamp(0).days_later(days).0;
        self.clock.ahead_us.fetch_add(us, Ordering::Relaxed);
    }
}

/// The ways in which a webhook is taken.
fn ways(webhook: &Arrived) -> Vec<&'static str> {
    let fits = WAYS.into_iter().zip(webhook.fits()).filter(|(_, fits)| *fits);
    fits.map(|(way, _)| way).collect()
}

/// A receiver on loopback that takes everything and hands it on.
async fn receiver(clock: Arc<Clock>) -> (String, mpsc::UnboundedReceiver<Arrived>) {
    let (sender, arrivals) = mpsc::unbounded_channel();
    let handler = move |headers: HeaderMap, body: Bytes| async move {
        let at = clock.now();
        // When the test is over, nobody listens.
        let _ = sender.send(Arrived { headers, body, at });
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/hook", listener.local_addr().expect("an address"));
    let router = Router::new().fallback(handler);
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, arrivals)
}

async fn put_endpoint(store: &Store, app: AppId, url: String, clock: &Clock) -> EndpointId {
    let id = EndpointId(clock.next_id(0));
    let (kind, manners, now) = (NoticeKind::Bot, Manners::default(), clock.now());
    let endpoint = Endpoint {
        id,
        app,
        kind,
        name: String::new(),
        url,
        is_enabled: true,
        is_paused: false,
        failing: None,
        manners,
        created_at: now,
        updated_at: now,
    };
    let rule = move |_: &Facts, _: &Stamp<'_>| {
        Ok(Decision { changes: vec![Change::PutEndpoint(endpoint.clone())], outcome: () })
    };
    store.decide(app, Question::default(), rule).await.expect("put");
    id
}

/// How many of them a receiver rejects.
fn rejected<'a>(
    webhooks: impl IntoIterator<Item = &'a Arrived>,
    takes: impl Fn(&Arrived) -> bool,
) -> usize {
    webhooks.into_iter().filter(|webhook| !takes(webhook)).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_step_signs_for_exactly_those_whom_the_rule_names() {
    let mut world = World::start().await;
    let before = world.check("before", &["old by spec", "old by standard"]).await;
    world.stage().await;
    let with_both = ["old by spec", "old by standard", "new by standard"];
    let staged = world.check("staged", &with_both).await;
    world.days_pass(400);
    let still_staged = world.check("staged for long", &with_both).await;
    world.promote(7).await;
    let with_both = ["old by standard", "new by spec", "new by standard"];
    let promoted = world.check("promoted", &with_both).await;
    world.days_pass(6);
    let last_day = world.check("the last day", &with_both).await;
    world.days_pass(1);
    let ended = world.check("past the end", &["new by spec", "new by standard"]).await;
    world.retire().await;
    let retired = world.check("retired", &["new by spec", "new by standard"]).await;

    // Who knows one key only, and goes by what the page for receivers says.
    let until_promotion = before.iter().chain(&staged).chain(&still_staged);
    let overlap = promoted.iter().chain(&last_day);
    let old = rejected(until_promotion.clone(), |webhook| webhook.fits_spec_header(OLD))
        + rejected(until_promotion.chain(overlap.clone()), |it| it.fits_standard_header(OLD));
    let from_staging = staged.iter().chain(&still_staged).chain(overlap);
    let new = rejected(from_staging.chain(&ended).chain(&retired), |webhook| {
        webhook.fits_standard_header(NEW)
    });
    println!(
        "140 webhooks over a change of the key: \
         the old key's receivers rejected {old}, the new key's {new}"
    );
    assert_eq!((old, new), (0, 0));
    world.engine.stop(Duration::ZERO).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_promotion_amid_webhooks_makes_nobody_reject_one() {
    let mut world = World::start().await;
    world.stage().await;
    world.until_known(&["old by spec", "old by standard", "new by standard"]).await;
    world.tell(100).await;
    let mut all = world.arrived(10).await;
    world.promote(1).await;
    world.tell(100).await;
    all.extend(world.arrived(190).await);
    let promoted = ["old by standard", "new by spec", "new by standard"];
    all.extend(world.until_known(&promoted).await);
    assert!(all[0].fits_spec_header(OLD), "it was amid them");
    assert_eq!(rejected(&all, |webhook| webhook.fits_standard_header(OLD)), 0);
    assert_eq!(rejected(&all, |webhook| webhook.fits_standard_header(NEW)), 0);
    let either = |it: &Arrived| it.fits_spec_header(OLD) || it.fits_spec_header(NEW);
    assert_eq!(rejected(&all, either), 0, "who knows both and looks at the header of the spec");
    world.engine.stop(Duration::ZERO).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_an_overlap_the_old_key_signs_nothing_after_the_promotion() {
    let mut world = World::start().await;
    world.stage().await;
    world.promote(0).await;
    world.check("promoted", &["new by spec", "new by standard"]).await;
    world.engine.stop(Duration::ZERO).await;
}
