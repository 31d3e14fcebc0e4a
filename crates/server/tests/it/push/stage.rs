//! Ana and bob in a room, a push service, and phones.

use std::time::Duration;

use confab_domain::client::{ClientChange, Device};
use confab_domain::decision::{Decision, Facts, Question, Stamp};
use serde_json::Value;

use super::apple::Apple;
use crate::test_server::TestServer;
use crate::webhooks::hooks::Hooks;

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
        let mut look = tokio::time::interval(Duration::from_millis(20));
        let settled = async {
            loop {
                look.tick().await;
                let pushes = self.pushes().await;
                let [push] = &pushes[..] else { continue };
                if push["standing"] != "waiting" && push["standing"] != "parked" {
                    return push.clone();
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(30), settled).await.expect("settles soon")
    }
}

/// Bob says that this is his phone, as his client would.
pub async fn phone(server: &TestServer, user: &str, token: &str) {
    let its = server.token(user).await;
    let user = server.store.user_of_token(&its).await.expect("read").expect("a user");
    let (token, platform) = (token.to_owned(), "ios".to_owned());
    let device = Device { token, platform, is_development: false };
    let owner = user.key;
    let rule = move |_: &Facts, stamp: &Stamp<'_>| {
        let change = ClientChange::PutDevice { user: owner, device: device.clone(), at: stamp.now };
        Ok(Decision { changes: vec![change.into()], outcome: () })
    };
    server.store.decide(user.app, Question::default(), rule).await.expect("put");
}
