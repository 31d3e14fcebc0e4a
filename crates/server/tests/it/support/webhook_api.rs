//! Common requests to the webhook API.

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use super::answer::{Answer, items, text};
use super::caller::{Caller, sent, with_json};
use super::waiting::until;

impl Caller {
    /// Builds a request to the webhook API with the app's secret key.
    pub fn webhooks(&self, method: Method, path: &str) -> RequestBuilder {
        self.keyed(method, &format!("/api/v2/webhooks{path}"))
    }

    /// Tries to register an endpoint.
    pub async fn put_endpoint(&self, kind: &str, url: &str, policy: &Value) -> Answer {
        let mut body = policy.clone();
        body["url"] = json!(url);
        let request = self.webhooks(Method::PUT, &format!("/endpoints/{kind}"));
        sent(with_json(request, &body)).await
    }

    /// Registers an endpoint.
    pub async fn tell(&self, kind: &str, url: &str, policy: &Value) {
        let answer = self.put_endpoint(kind, url, policy).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }

    /// Creates an example event; returns its delivery id.
    pub async fn trigger(&self, kind: &str, room: Option<&str>) -> i64 {
        self.try_trigger(kind, room).await.expect("an answer")
    }

    /// Creates an example event; returns `None` if the server cannot be reached.
    pub async fn try_trigger(&self, kind: &str, room: Option<&str>) -> Option<i64> {
        let body = json!({"kind": kind, "room_id": room});
        let request = with_json(self.webhooks(Method::POST, "/trigger"), &body);
        let text = request.send().await.ok()?.text().await.ok()?;
        let answer: Value = serde_json::from_str(&text).expect("JSON");
        let ids = items(&answer["data"]["delivery_ids"]);
        Some(ids.first().and_then(Value::as_i64).unwrap_or_else(|| panic!("no id: {text}")))
    }

    /// Returns a delivery with its attempts.
    pub async fn delivery(&self, id: i64) -> Value {
        let answer = sent(self.webhooks(Method::GET, &format!("/deliveries/{id}"))).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()["data"]["delivery"].take()
    }

    /// Waits until at least this many attempts of a delivery are stored; returns the delivery.
    pub async fn attempted(&self, id: i64, attempts: u64) -> Value {
        until(&format!("delivery {id} was attempted"), async || {
            let delivery = self.delivery(id).await;
            (delivery["attempts"].as_u64() >= Some(attempts)).then_some(delivery)
        })
        .await
    }

    /// Waits until no endpoint of the app has waiting deliveries.
    pub async fn nothing_waits(&self) {
        until("no delivery is waiting", async || {
            let answer = sent(self.webhooks(Method::GET, "/endpoints")).await.json();
            let endpoints = items(&answer["data"]["endpoints"]);
            endpoints.iter().all(|endpoint| endpoint["waiting"] == 0).then_some(())
        })
        .await;
    }

    /// Creates rooms; returns their ids.
    pub async fn open_rooms(&self, count: usize) -> Vec<String> {
        self.register("ana").await;
        let mut rooms = Vec::new();
        for number in 0..count {
            let room = self.create_room(&format!("room{number}"), &["ana"]).await;
            rooms.push(text(&room["room_id"]).to_owned());
        }
        rooms
    }

    /// Returns the value of a metric, or 0 if it is not listed.
    pub async fn metric(&self, name: &str) -> u64 {
        let metrics = self.metrics().await;
        let value = metrics.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
        value.unwrap_or(0)
    }
}

/// Returns the error classes of a delivery's attempts, oldest first; empty for a success.
pub fn classes(delivery: &Value) -> Vec<String> {
    let mut attempts: Vec<_> = items(&delivery["attempt_list"]).iter().collect();
    attempts.sort_by_key(|attempt| attempt["number"].as_u64());
    let class = |attempt: &&Value| attempt["error"].as_str().unwrap_or_default().to_owned();
    attempts.iter().map(class).collect()
}
