//! A caller of the webhook API, and delivery attempts recorded directly in the store.

use confab_domain::app::AppCode;
use confab_domain::decision::change::{Change, WebhookChange};
use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::Decision;
use confab_domain::decision::stamp::Stamp;
use confab_domain::ids::{AppId, DeliveryId};
use confab_domain::webhooks::delivery::{Attempt, Delivery, DeliveryState, ErrorClass, Progress};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use super::answer::Answer;
use super::caller::{Caller, sent, with_json, with_query};
use super::test_server::TestServer;

/// Request headers of each attempt that [`TestServer::record`] stores.
const HEADERS: &str = "webhook-id: msg_1\nwebhook-signature: v1,planted-signature";

/// A caller of the webhook API with the credentials of one app.
pub struct Hooks {
    caller: Caller,
}

impl Hooks {
    /// Creates a caller with the credentials of a message API caller.
    pub fn of(caller: &Caller) -> Self {
        Self { caller: caller.clone() }
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.caller.webhooks(method, path)
    }

    pub async fn get(&self, path: &str, query: &[(&str, &str)]) -> Answer {
        sent(self.request(Method::GET, &with_query(path, query))).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        sent(with_json(self.request(Method::POST, path), &body)).await
    }

    pub async fn put(&self, path: &str, body: Value) -> Answer {
        sent(with_json(self.request(Method::PUT, path), &body)).await
    }

    /// Registers an endpoint with a URL that is never called.
    pub async fn register(&self, kind: &str) -> Value {
        let url = format!("https://{}.example/hook", kind.replace('_', "-"));
        let body = json!({"url": url});
        self.put(&format!("/endpoints/{kind}"), body).await.data()["endpoint"].take()
    }

    /// Creates an example event of a kind with one endpoint; returns its delivery id.
    pub async fn trigger(&self, kind: &str) -> i64 {
        self.caller.trigger(kind, None).await
    }

    /// Returns the ids on one page of deliveries, and the cursor of the next page.
    pub async fn list(&self, query: &[(&str, &str)]) -> (Vec<i64>, Option<String>) {
        let data = self.get("/deliveries", query).await.data();
        let deliveries = data["deliveries"].as_array().expect("a list");
        let ids = deliveries.iter().map(|it| it["id"].as_i64().expect("an id")).collect();
        (ids, data["next"].as_str().map(str::to_owned))
    }

    pub async fn delivery(&self, id: i64) -> Value {
        self.caller.delivery(id).await
    }
}

impl TestServer {
    pub async fn app_id(&self, code: &str) -> AppId {
        let code = AppCode::parse(code).expect("a code");
        self.store.app(&code).await.expect("read").expect("an app").id
    }

    /// Returns a delivery of the first app as it is stored.
    pub async fn stored(&self, id: i64) -> (Delivery, Progress, Vec<Attempt>) {
        let app = self.app_id("shop").await;
        self.store.delivery(app, DeliveryId(id)).await.expect("read").expect("a delivery")
    }

    /// Stores an attempt of a delivery of the first app, as the delivery engine would.
    pub async fn record(&self, id: i64, error: Option<ErrorClass>, answer: &str) {
        let (delivery, progress, _) = self.stored(id).await;
        let standing =
            if error.is_some() { DeliveryState::Failed } else { DeliveryState::Delivered };
        let (app, lane, answer) = (delivery.app, delivery.lane, answer.to_owned());
        let rule = move |_: &Facts, stamp: &Stamp<'_>| {
            let number = progress.attempts + 1;
            let status = match error {
                None => Some(200),
                Some(ErrorClass::Status5xx) => Some(503),
                Some(_) => None,
            };
            let attempt = Attempt {
                number,
                at: stamp.now,
                error,
                status,
                peer: Some("203.0.113.7:443".to_owned()),
                url: None,
                phases_us: [Some(120), Some(3_000), None, Some(45_000), Some(7)],
                answer: answer.clone(),
                headers: Some(HEADERS.to_owned()),
            };
            let (tries, failed_at) = (progress.tries + 1, error.map(|_| stamp.now));
            let progress = Progress { standing, attempts: number, tries, failed_at, ..progress };
            let delivery = DeliveryId(id);
            let change =
                Change::Webhook(WebhookChange::RecordAttempt { delivery, lane, attempt, progress });
            Ok(Decision::new(vec![change], ()))
        };
        self.store.decide(app, Question::default(), rule).await.expect("recorded");
    }
}
