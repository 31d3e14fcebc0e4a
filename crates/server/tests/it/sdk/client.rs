//! A client of an app: one user, one token.

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::answer::{Answer, text};
use crate::caller::{Caller, sent, urlencoded, with_query};

/// Speaks to a server as one user.
#[derive(Clone)]
pub struct Client {
    pub caller: Caller,
    pub user: String,
    pub token: String,
    /// `sdk` or `mobile`.
    pub base: &'static str,
}

/// Logs in or registers, as clients do that know only the app's id.
pub async fn log_in(caller: &Caller, user: &str, password: &str) -> Answer {
    let (first, rest) = user.split_at(1);
    let name = first.to_uppercase() + rest;
    let fields = [("email", user), ("password", password), ("username", &name), ("extras", "")];
    let request = caller
        .bare(Method::POST, "/api/v2/sdk/login_or_register")
        .header("service_sdk_app_id", &caller.code)
        .header("Content-Type", "application/x-www-form-urlencoded");
    sent(request.body(urlencoded(&fields))).await
}

impl Client {
    /// A user who is registered by this.
    pub async fn new(caller: &Caller, user: &str) -> Self {
        let account = log_in(caller, user, "secret").await.results()["user"].take();
        let token = text(&account["token"]).to_owned();
        Self { caller: caller.clone(), user: user.to_owned(), token, base: "sdk" }
    }

    pub fn request(&self, method: Method, call: &str) -> RequestBuilder {
        self.caller
            .bare(method, &format!("/api/v2/{}/{call}", self.base))
            .header("SERVICE-SDK-APP-ID", &self.caller.code)
            .header("SERVICE-SDK-USER-ID", &self.user)
            .header("SERVICE-SDK-TOKEN", &self.token)
    }

    pub async fn get(&self, call: &str, query: &[(&str, &str)]) -> Answer {
        sent(self.request(Method::GET, &with_query(call, query))).await
    }

    pub async fn post(&self, call: &str, body: Value) -> Answer {
        self.send(Method::POST, call, body).await
    }

    pub async fn send(&self, method: Method, call: &str, body: Value) -> Answer {
        let request = self.request(method, call).header("Content-Type", "application/json");
        sent(request.body(body.to_string())).await
    }

    pub async fn post_form(&self, call: &str, fields: &[(&str, &str)]) -> Answer {
        let request = self
            .request(Method::POST, call)
            .header("Content-Type", "application/x-www-form-urlencoded");
        sent(request.body(urlencoded(fields))).await
    }

    /// Opens a group room with these beside the user; its id.
    pub async fn create_room(&self, name: &str, others: &[&str]) -> String {
        let body = json!({"name": name, "participants": others});
        text(&self.post("create_room", body).await.results()["room"]["id_str"]).to_owned()
    }
}
