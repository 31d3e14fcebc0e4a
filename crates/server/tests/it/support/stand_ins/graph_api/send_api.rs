//! The part of Meta's API that Messenger and Instagram use (channel facts 4.2).

use axum::body::Bytes;
use axum::response::Response;
use serde_json::{Value, json};

use super::{Books, GraphApi, GraphCall, IG_ACCOUNT, PAGE, answer_of, refusal};
use crate::support::waiting::until;

impl GraphCall {
    /// Returns Confab's own tag of a Messenger or Instagram message.
    pub fn metadata(&self) -> String {
        self.message()["metadata"].as_str().expect("a tag").to_owned()
    }

    /// Returns the message that the customer sees.
    pub fn message(&self) -> &Value {
        &self.body["message"]
    }
}

impl GraphApi {
    /// Returns the accepted Messenger and Instagram messages.
    pub fn said(&self) -> Vec<GraphCall> {
        let calls = self.books.calls.lock();
        calls.iter().filter(|it| it.body["recipient"].is_object()).cloned().collect()
    }

    pub async fn says(&self, count: usize) -> Vec<GraphCall> {
        until("messages are sent", async || Some(self.said()).filter(|it| it.len() >= count)).await
    }

    /// Returns the texts of the accepted messages, in order.
    pub fn texts(&self) -> Vec<String> {
        let text = |it: GraphCall| it.message()["text"].as_str().unwrap_or_default().to_owned();
        self.said().into_iter().map(text).collect()
    }

    /// Returns the sender actions so far, such as `mark_seen`.
    pub fn actions(&self) -> Vec<String> {
        let calls = self.books.calls.lock();
        let action = |it: &GraphCall| it.body["action"].as_str().map(str::to_owned);
        calls.iter().filter_map(action).collect()
    }

    /// Waits until the app is subscribed to a page or `me`; returns the subscribed fields.
    pub async fn subscribed(&self, page: &str) -> String {
        let found = async || self.books.subscribed.lock().get(page).cloned();
        until("the app is subscribed", found).await
    }

    /// Unsubscribes the app from a page, as its owner could.
    pub fn unsubscribe(&self, page: &str) {
        self.books.subscribed.lock().insert(page.to_owned(), String::new());
    }

    /// Sets the profile of a customer.
    pub fn add_name(&self, id: &str, profile: Value) {
        self.books.names.lock().insert(id.to_owned(), profile);
    }

    /// Makes the token belong to another page or to a person.
    pub fn set_me(&self, id: &str) {
        *self.books.me.lock() = id.to_owned();
    }

    /// Sets the result of the next token renewal: the new token, or an error code.
    pub fn set_renewal(&self, renewal: Result<&str, i64>) {
        *self.books.renewal.lock() = Some(renewal.map(str::to_owned));
    }
}

impl Books {
    pub(super) async fn send_api(
        &self,
        method: &str,
        path: &[&str],
        query: &str,
        body: Value,
        file: Bytes,
    ) -> Response {
        match (method, path) {
            // `me` identifies a page's token by `id`, and an Instagram token by `user_id`.
            ("GET", ["me"]) if query.contains("user_id") => answer_of(
                200,
                &json!({"id": "9000", "user_id": IG_ACCOUNT, "username": "shop.ig",
                    "name": "Shop"}),
            ),
            ("GET", ["me"]) => {
                let id = self.me.lock().clone();
                answer_of(200, &json!({"id": id, "name": "Shop page"}))
            }
            ("GET", [page, "subscribed_apps"]) => {
                let fields = self.subscribed.lock().get(*page).cloned().unwrap_or_default();
                let fields: Vec<_> = fields.split(',').filter(|it| !it.is_empty()).collect();
                let app = json!({"id": "1", "subscribed_fields": fields});
                let data = if fields.is_empty() { json!([]) } else { json!([app]) };
                answer_of(200, &json!({"data": data}))
            }
            ("POST", [page, "subscribed_apps"]) => {
                let fields = body["subscribed_fields"].as_str().expect("fields").to_owned();
                assert!(fields.split(',').any(|it| it == "messages"), "{fields}");
                self.subscribed.lock().insert((*page).to_owned(), fields);
                answer_of(200, &json!({"success": true}))
            }
            ("POST", [PAGE, "message_attachments"]) => {
                assert!(!file.is_empty(), "an upload without a file");
                let kind = &body["message"]["attachment"]["type"];
                assert!(kind.is_string(), "{body}");
                let id = format!("attachment-{}", self.number());
                answer_of(200, &json!({"attachment_id": id}))
            }
            ("POST", [_, "messages"]) => self.send(body).await,
            _ => refusal(400, 100),
        }
    }

    async fn send(&self, body: Value) -> Response {
        let recipient = body["recipient"]["id"].as_str().expect("a recipient").to_owned();
        only(&body["recipient"], &["id"]);
        if let Some(action) = body["sender_action"].as_str() {
            only(&body, &["recipient", "sender_action"]);
            assert!(["mark_seen", "typing_on", "typing_off"].contains(&action));
            let call = GraphCall { body: json!({"action": action}), id: String::new() };
            self.calls.lock().push(call);
            return answer_of(200, &json!({"recipient_id": recipient}));
        }
        only(&body, &["recipient", "messaging_type", "tag", "message"]);
        match body["messaging_type"].as_str() {
            Some("RESPONSE") => assert!(body["tag"].is_null(), "a tag within the window: {body}"),
            Some("MESSAGE_TAG") => assert_eq!(body["tag"], "HUMAN_AGENT", "the only supported tag"),
            other => panic!("messaging_type {other:?}"),
        }
        let message = &body["message"];
        only(message, &["text", "attachment", "quick_replies", "metadata"]);
        assert!(message["text"].is_string() != message["attachment"].is_object(), "{body}");
        let text = message["text"].as_str().unwrap_or_default();
        assert!(text.encode_utf16().count() <= 2_000, "too long");
        let id = format!("m_out_{}", self.number());
        if let Some(scripted) = self.accept(body, &id).await {
            return scripted;
        }
        answer_of(200, &json!({"recipient_id": recipient, "message_id": id}))
    }

    pub(super) fn profile(&self, id: &str, query: &str) -> Response {
        assert!(query.starts_with("fields="), "{query}");
        match self.names.lock().get(id) {
            Some(profile) => answer_of(200, profile),
            None => refusal(400, 100),
        }
    }

    /// Renews an Instagram token, which is part of the URL.
    pub(super) fn renewed(&self, query: &str) -> Response {
        let token = self.token.lock().clone();
        let is_ours = query == format!("grant_type=ig_refresh_token&access_token={token}");
        match self.renewal.lock().take() {
            _ if !is_ours => refusal(400, 190),
            Some(Ok(newer)) => {
                *self.token.lock() = newer.clone();
                let answer = json!({"access_token": newer, "token_type": "bearer",
                    "expires_in": 5_183_944});
                answer_of(200, &answer)
            }
            Some(Err(code)) => refusal(400, code),
            None => refusal(400, 100),
        }
    }
}

/// Asserts that the body has no fields besides `known`.
fn only(body: &Value, known: &[&str]) {
    let fields = body.as_object().expect("an object");
    let unknown = fields.keys().find(|key| !known.contains(&key.as_str()));
    assert_eq!(unknown, None, "{body}");
}
