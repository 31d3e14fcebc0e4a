//! Ana and bob in a room, a push service, and phones.

use serde_json::{Value, json};

use crate::support::apple::Apple;
use crate::support::caller::Caller;
use crate::support::client::Client;
use crate::support::hooks::Hooks;
use crate::support::test_server::TestServer;
use crate::support::waiting::until;

/// A server that pushes, with ana and bob in the room support.
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

    /// The deliveries to phones, the newest first.
    pub async fn pushes(&self) -> Vec<Value> {
        let data = self.hooks.get("/deliveries", &[("kind", "push")]).await.data();
        data["deliveries"].as_array().expect("a list").clone()
    }

    /// What became of the only push, once nothing more will.
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

/// Somebody's client says that this is their phone.
pub async fn phone(server: &Caller, user: &str, token: &str) {
    let body = json!({"device_token": token, "device_platform": "ios", "is_development": false});
    let client = Client::of(server, user).await;
    assert_eq!(client.post("set_user_device_token", body).await.results()["changed"], true);
}
