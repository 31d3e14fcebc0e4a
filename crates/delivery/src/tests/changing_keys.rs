//! Receivers that follow `docs/webhooks.md` reject no webhook while a secret key is changed
//! (design/sign-in-and-limits).
//!
//! A real registry performs the steps, the real engine signs and sends, and a real receiver
//! collects the webhooks. All documented ways of verification are checked against each of them.

use std::time::Duration;

use confab_domain::decision::stamp::Stamps as _;
use confab_domain::time::Timestamp;
use confab_store::Registry;
use confab_test_servers::receiver::{ReceivedRequest, Receiver};

use super::world::{KEY as OLD, World};
use crate::engine::DeliveryEngine;

const NEW: &str = "the-new-key";
const LANES: i64 = 5;

/// A received webhook, with the test clock's time of arrival.
struct Arrived {
    received: ReceivedRequest,
    at: Timestamp,
}

impl Arrived {
    /// Whether a receiver that knows only `key` accepts the `service-signature-key` header.
    fn fits_spec_header(&self, key: &str) -> bool {
        self.received.fits_spec_header(key, self.received.body())
    }

    /// Whether a receiver that knows only `key` accepts the `webhook-signature` header.
    fn fits_standard_header(&self, key: &str) -> bool {
        let (body, now_s) = (self.received.body(), self.at.unix_seconds());
        self.received.fits_standard_header(key, body, now_s)
    }

    /// Checks every key with every header, in the order of `WAYS`.
    fn fits(&self) -> [bool; 4] {
        let (spec, standard) = (Self::fits_spec_header, Self::fits_standard_header);
        [spec(self, OLD), standard(self, OLD), spec(self, NEW), standard(self, NEW)]
    }
}

const WAYS: [&str; 4] = ["old by spec", "old by standard", "new by spec", "new by standard"];

/// An app with an endpoint, a receiver behind it, and an engine.
struct Changing {
    world: World,
    registry: Registry,
    engine: DeliveryEngine,
    receiver: Receiver,
}

impl Changing {
    async fn start() -> Self {
        let receiver = Receiver::start().await;
        let world = World::with_endpoint(&receiver.url).await;
        let (registry, engine) = (world.registry().await, world.start());
        Self { world, registry, engine, receiver }
    }

    /// Commits `count` deliveries.
    async fn enqueue(&self, count: i64) {
        for number in 0..count {
            self.world.enqueue(number % LANES, format!(r#"{{"number":{number}}}"#)).await;
        }
        self.world.wake.wake();
    }

    async fn arrived(&self, count: i64) -> Vec<Arrived> {
        let mut arrived = Vec::new();
        for _ in 0..count {
            let received = self.receiver.next().await;
            arrived.push(Arrived { received, at: self.world.clock.now() });
        }
        arrived
    }

    /// Sends webhooks until the engine uses the current keys, and returns them.
    async fn until_known(&self, expected: &[&str]) -> Vec<Arrived> {
        let mut arrived = Vec::new();
        let mut look = tokio::time::interval(Duration::from_millis(50));
        let known = async {
            while arrived.last().is_none_or(|webhook| ways(webhook) != expected) {
                look.tick().await;
                self.enqueue(1).await;
                arrived.extend(self.arrived(1).await);
            }
        };
        tokio::time::timeout(Duration::from_secs(60), known)
            .await
            .expect("the engine uses the current keys within a minute");
        arrived
    }

    /// Sends twenty webhooks and checks that each is accepted in exactly the expected ways.
    async fn check(&self, phase: &str, expected: &[&str]) -> Vec<Arrived> {
        self.until_known(expected).await;
        self.enqueue(20).await;
        let arrived = self.arrived(20).await;
        arrived.iter().for_each(|webhook| assert_eq!(ways(webhook), expected, "{phase}"));
        arrived
    }

    async fn stage(&self) {
        assert!(
            self.registry.stage_key(&self.world.code, NEW).await.expect("the key step is stored")
        );
    }

    async fn promote(&self, overlap_days: u32) {
        let until = self.world.clock.now().days_later(overlap_days);
        assert!(
            self.registry
                .promote_key(&self.world.code, until)
                .await
                .expect("the key step is stored")
        );
    }

    async fn retire(&self) {
        assert!(self.registry.retire_key(&self.world.code).await.expect("the key step is stored"));
    }

    fn days_pass(&self, days: u32) {
        self.world.clock.days_pass(days);
    }
}

/// Returns the ways in which a webhook is accepted.
fn ways(webhook: &Arrived) -> Vec<&'static str> {
    let fits = WAYS.into_iter().zip(webhook.fits()).filter(|(_, fits)| *fits);
    fits.map(|(way, _)| way).collect()
}

/// Counts the webhooks that a receiver rejects.
fn rejected<'a>(
    webhooks: impl IntoIterator<Item = &'a Arrived>,
    takes: impl Fn(&Arrived) -> bool,
) -> usize {
    webhooks.into_iter().filter(|webhook| !takes(webhook)).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_key_step_signs_with_the_documented_keys() {
    let changing = Changing::start().await;
    let before = changing.check("before", &["old by spec", "old by standard"]).await;
    changing.stage().await;
    let with_both = ["old by spec", "old by standard", "new by standard"];
    let staged = changing.check("staged", &with_both).await;
    changing.days_pass(400);
    let still_staged = changing.check("staged for long", &with_both).await;
    changing.promote(7).await;
    let with_both = ["old by standard", "new by spec", "new by standard"];
    let promoted = changing.check("promoted", &with_both).await;
    changing.days_pass(6);
    let last_day = changing.check("the last day", &with_both).await;
    changing.days_pass(1);
    let ended = changing.check("past the end", &["new by spec", "new by standard"]).await;
    changing.retire().await;
    let retired = changing.check("retired", &["new by spec", "new by standard"]).await;

    // Receivers that know one key only and follow the documentation.
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
    changing.engine.stop(Duration::ZERO).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_promotion_while_webhooks_are_sent_causes_no_rejections() {
    let changing = Changing::start().await;
    changing.stage().await;
    changing.until_known(&["old by spec", "old by standard", "new by standard"]).await;
    changing.enqueue(100).await;
    let mut all = changing.arrived(10).await;
    changing.promote(1).await;
    changing.enqueue(100).await;
    all.extend(changing.arrived(190).await);
    let promoted = ["old by standard", "new by spec", "new by standard"];
    all.extend(changing.until_known(&promoted).await);
    assert!(all[0].fits_spec_header(OLD), "the first webhook was signed with the old key");
    assert_eq!(rejected(&all, |webhook| webhook.fits_standard_header(OLD)), 0);
    assert_eq!(rejected(&all, |webhook| webhook.fits_standard_header(NEW)), 0);
    let either = |it: &Arrived| it.fits_spec_header(OLD) || it.fits_spec_header(NEW);
    assert_eq!(
        rejected(&all, either),
        0,
        "a receiver that knows both keys and checks the header of the spec"
    );
    changing.engine.stop(Duration::ZERO).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_an_overlap_the_old_key_signs_nothing_after_the_promotion() {
    let changing = Changing::start().await;
    changing.stage().await;
    changing.promote(0).await;
    changing.check("promoted", &["new by spec", "new by standard"]).await;
    changing.engine.stop(Duration::ZERO).await;
}
