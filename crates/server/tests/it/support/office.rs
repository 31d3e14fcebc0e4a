//! An app with its secret key, and its staff with their tokens.

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use super::answer::Answer;
use super::caller::{Caller, sent, with_form, with_json, with_query};

pub const PASSWORD: &str = "a password of ours";

/// A caller with an app's secret key, which creates everything by HTTP.
pub struct Office {
    pub caller: Caller,
}

impl Office {
    pub fn of(caller: &Caller) -> Self {
        Self { caller: caller.clone() }
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.caller.keyed(method, path)
    }

    pub async fn get(&self, path: &str, query: &[(&str, &str)]) -> Answer {
        sent(self.request(Method::GET, &with_query(path, query))).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.call(Method::POST, path, body).await
    }

    pub async fn call(&self, method: Method, path: &str, body: Value) -> Answer {
        sent(with_json(self.request(method, path), &body)).await
    }

    /// Creates an agent, such as `ana` with the email `ana@<app>.example`.
    pub async fn create(&self, name: &str, role: &str) -> Value {
        let body = json!({
            "name": name, "email": self.email(name), "password": PASSWORD, "type": role,
        });
        self.post("/api/v2/admin/create_agent", body).await.data()["agent"].take()
    }

    pub fn email(&self, name: &str) -> String {
        format!("{name}@{}.example", self.caller.code)
    }

    pub async fn try_to_sign_in(&self, name: &str, password: &str) -> Answer {
        let fields = [("email", self.email(name)), ("password", password.to_owned())];
        sign_in(&self.caller, "/api/v1/auth", &fields).await
    }

    /// Signs an agent in.
    pub async fn sign_in(&self, name: &str) -> Worker {
        let user = self.try_to_sign_in(name, PASSWORD).await.data()["user"].take();
        let token = user["authentication_token"].as_str().expect("a token").to_owned();
        let id = user["id"].as_i64().expect("an id");
        Worker { caller: self.caller.clone(), token, id }
    }

    /// Creates an agent and signs them in.
    pub async fn hire(&self, name: &str, role: &str) -> Worker {
        self.create(name, role).await;
        self.sign_in(name).await
    }

    /// Returns an agent as admins see it.
    pub async fn shown(&self, id: i64) -> Value {
        self.get(&format!("/api/v2/admin/agent/{id}"), &[]).await.data()["agent"].take()
    }

    /// Assigns an agent to a room on behalf of the app.
    pub async fn assign_room(&self, room: &str, agent: &Worker) -> Answer {
        let body = json!({"room_id": room, "agent_id": agent.id});
        self.post("/api/v1/admin/service/assign_agent", body).await
    }
}

/// Signs in with a URL-encoded form.
pub async fn sign_in(caller: &Caller, path: &str, fields: &[(&str, String)]) -> Answer {
    let fields: Vec<_> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
    sent(with_form(caller.bare(Method::POST, path), &fields)).await
}

/// A signed-in agent, with their token.
#[derive(Clone)]
pub struct Worker {
    pub caller: Caller,
    pub token: String,
    pub id: i64,
}

impl Worker {
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.caller.bare(method, path).header("Authorization", &self.token)
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

    pub async fn patch(&self, path: &str, body: Value) -> Answer {
        sent(with_json(self.request(Method::PATCH, path), &body)).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        sent(self.request(Method::DELETE, path)).await
    }

    /// Resolves any conversation, which only admins may do.
    pub async fn resolve(&self, room: &str) -> Answer {
        self.post("/api/v1/admin/service/mark_as_resolved", json!({"room_id": room})).await
    }

    /// Resolves a conversation as the assigned agent.
    pub async fn resolve_own(&self, room: &str) -> Answer {
        self.post("/api/v1/agent/service/mark_as_resolved", json!({"room_id": room})).await
    }

    /// Returns the id of the user that posts for the agent in rooms.
    pub fn user_id(&self) -> String {
        format!("{}_{}@dashboard", self.caller.code, self.id)
    }

    pub async fn log_out(&self) -> Answer {
        self.post("/api/v1/auth/logout", json!({})).await
    }

    /// Whether the token is still valid.
    pub async fn is_signed_in(&self) -> bool {
        let answer = self.get("/api/v1/admin/get_profile", &[]).await;
        assert!([200, 401].contains(&answer.status), "{}", answer.text);
        answer.status == 200
    }
}
