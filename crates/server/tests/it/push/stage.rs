//! A server with a room for ana and bob, and a local push service.

use serde_json::{Value, json};

use crate::support::caller::Caller;
use crate::support::client::Client;
use crate::support::hooks::Hooks;
use crate::support::stand_ins::apple::Apple;
use crate::support::test_server::TestServer;
use crate::support::waiting::until;

/// A server with push notifications, with ana and bob in the room support.
pub struct Stage {
    pub server: TestServer,
    pub apple: Apple,
    pub hooks: Hooks,
}

impl Stage {
    pub async fn start() -> Self {
        let apple = Apple::start().await;
        let server = TestServer::start_with(&apple.settings()).await;
        server.furnish().await;
        let hooks = Hooks::of(&server);
        Self { server, apple, hooks }
    }

    /// Returns the push deliveries, newest first.
    pub async fn pushes(&self) -> Vec<Value> {
        let data = self.hooks.get("/deliveries", &[("kind", "push")]).await.data();
        data["deliveries"].as_array().expect("a list").clone()
    }

    /// Waits until the only push delivery is finished, and returns it.
    pub async fn settled(&self) -> Value {
        until("the push is settled", async || match &self.pushes().await[..] {
            [push] if push["standing"] != "waiting" && push["standing"] != "parked" => {
                Some(push.clone())
            }
            _ => None,
        })
        .await
    }
}

/// Registers a device token for a user.
pub async fn register_device(server: &Caller, user: &str, token: &str) {
    let body = json!({"device_token": token, "device_platform": "ios", "is_development": false});
    let client = Client::of(server, user).await;
    assert_eq!(client.post("set_user_device_token", body).await.results()["changed"], true);
}
