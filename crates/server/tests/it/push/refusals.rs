//! Push notifications that the push service refuses.

use serde_json::json;

use super::stage::{Stage, register_device};

async fn with_bobs_device() -> Stage {
    let stage = Stage::start().await;
    register_device(&stage.server, "bob", "b0b0").await;
    stage
}

#[tokio::test]
async fn an_unregistered_device_is_removed_and_a_new_one_gets_pushes() {
    let refusals =
        [(410, "Unregistered"), (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic")];
    for (status, reason) in refusals {
        let stage = with_bobs_device().await;
        let Stage { server, apple, hooks } = &stage;
        apple.answer(status, reason);
        server.post_comment("ana", "support", "hello").await;
        assert_eq!(apple.next().await.status, status);
        let push = stage.settled().await;
        assert_eq!((&push["standing"], &push["last_error"]), (&json!("failed"), &json!("refused")));
        assert_eq!(push["last_status"], json!(status));
        server.post_comment("ana", "support", "to no device").await;
        assert_eq!(stage.pushes().await.len(), 1, "{reason}");
        let endpoints = hooks.get("/endpoints", &[]).await.data();
        assert_eq!(endpoints["endpoints"][0]["state"], "healthy", "{reason}");
        register_device(server, "bob", "b1b1").await;
        server.post_comment("ana", "support", "a new phone").await;
        assert_eq!(apple.taken().await.device, "b1b1");
    }
}

#[tokio::test]
async fn a_push_refused_with_503_is_sent_again_with_the_same_id() {
    let stage = with_bobs_device().await;
    stage.apple.answer(503, "ServiceUnavailable");
    stage.server.post_comment("ana", "support", "hello").await;
    let (first, second) = (stage.apple.next().await, stage.apple.taken().await);
    assert_eq!((first.status, &first.id), (503, &second.id));
    assert_eq!(first.text, second.text);
    assert_eq!(first.token, second.token);
    let push = stage.settled().await;
    assert_eq!((&push["standing"], &push["attempts"]), (&json!("delivered"), &json!(2)));
    assert!(stage.apple.is_quiet().await);
}

#[tokio::test]
async fn an_expired_provider_token_is_replaced() {
    let stage = with_bobs_device().await;
    stage.apple.answer(403, "ExpiredProviderToken");
    stage.server.post_comment("ana", "support", "hello").await;
    let (first, second) = (stage.apple.next().await, stage.apple.taken().await);
    assert_ne!(first.token, second.token);
    assert_eq!(first.id, second.id);
    assert_eq!(stage.settled().await["standing"], "delivered");
}

#[tokio::test]
async fn a_permanently_refused_push_is_given_up_and_the_device_stays() {
    let stage = with_bobs_device().await;
    stage.apple.answer(400, "BadCollapseId");
    stage.server.post_comment("ana", "support", "hello").await;
    assert_eq!(stage.apple.next().await.status, 400);
    let push = stage.settled().await;
    assert_eq!((&push["standing"], &push["attempts"]), (&json!("failed"), &json!(1)));
    let (ids, _) = stage.hooks.list(&[("kind", "push")]).await;
    let shown = stage.hooks.delivery(ids[0]).await;
    assert!(shown.to_string().contains("BadCollapseId"), "{shown}");
    stage.server.post_comment("ana", "support", "again").await;
    assert_eq!(stage.apple.taken().await.device, "b0b0");
}
