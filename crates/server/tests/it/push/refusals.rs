//! What becomes of pushes that are not taken.

use serde_json::json;

use super::stage::{Stage, phone};

async fn with_bobs_phone() -> Stage {
    let stage = Stage::start().await;
    phone(&stage.server, "bob", "b0b0").await;
    stage
}

#[tokio::test]
async fn a_phone_that_is_gone_is_removed_and_the_others_are_pushed_to() {
    let refusals =
        [(410, "Unregistered"), (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic")];
    for (status, reason) in refusals {
        let stage = with_bobs_phone().await;
        let Stage { server, apple, hooks } = &stage;
        apple.answer(status, reason);
        server.post_comment("ana", "support", "hello").await;
        assert_eq!(apple.next().await.status, status);
        let push = stage.settled().await;
        assert_eq!((&push["standing"], &push["last_error"]), (&json!("failed"), &json!("refused")));
        assert_eq!(push["last_status"], json!(status));
        server.post_comment("ana", "support", "nobody is there").await;
        assert_eq!(stage.pushes().await.len(), 1, "{reason}");
        let endpoints = hooks.get("/endpoints", &[]).await.data();
        assert_eq!(endpoints["endpoints"][0]["state"], "healthy", "{reason}");
        phone(server, "bob", "b1b1").await;
        server.post_comment("ana", "support", "a new phone").await;
        assert_eq!(apple.taken().await.device, "b1b1");
    }
}

#[tokio::test]
async fn a_service_that_cannot_is_asked_again_with_the_same_id() {
    let stage = with_bobs_phone().await;
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
async fn a_token_that_expired_is_made_anew() {
    let stage = with_bobs_phone().await;
    stage.apple.answer(403, "ExpiredProviderToken");
    stage.server.post_comment("ana", "support", "hello").await;
    let (first, second) = (stage.apple.next().await, stage.apple.taken().await);
    assert_ne!(first.token, second.token);
    assert_eq!(first.id, second.id);
    assert_eq!(stage.settled().await["standing"], "delivered");
}

#[tokio::test]
async fn what_is_refused_for_good_is_given_up_and_the_phone_stays() {
    let stage = with_bobs_phone().await;
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
