//! Contacts in agent apps, and blocking them (wire facts 5.7).

use serde_json::{Value, json};

use crate::support::answer::{each, keys};
use crate::support::shop::Shop;
use crate::support::test_server::TestServer;
use crate::support::world::World;

#[tokio::test]
async fn a_contact_is_visible_only_to_staff_who_may_see_a_room_of_the_customer() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let other = World::of_app(&server, &server.create_app("other").await).await;
    let (admin, bo, cy) =
        (office.admin().await, office.agent("Bo").await, office.agent("Cy").await);
    let ann = office.waiting("6281234567").await;
    office.assign(&ann, &bo).await.data();
    let path = format!("/api/v2/contacts/{}", ann.key);
    let properties = format!("/api/v2/contacts/properties/{}", ann.key);
    admin.post(&properties, json!({"label": "City", "value": "Yogyakarta"})).await.data();
    for worker in [&admin, &bo] {
        let contact = worker.get(&path, &[]).await.data()["contact"].take();
        assert_eq!((&contact["id"], &contact["name"]), (&json!(ann.key.0), &json!("6281234567")));
        assert_eq!(contact["phone_number"], "6281234567");
        assert_eq!((&contact["email"], &contact["is_blocked"]), (&Value::Null, &json!(false)));
        assert!(contact["last_customer_message_date"].is_string());
        let known = worker.get(&properties, &[]).await.data()["customer_properties"].take();
        assert_eq!(
            (&known[0]["label"], &known[0]["value"]),
            (&json!("City"), &json!("Yogyakarta"))
        );
    }
    let conversation = format!("{path}/conversations/{}", ann.room);
    for path in [&path, &properties] {
        cy.get(path, &[]).await.errors(404, "contact_not_found");
        other.admin().await.get(path, &[]).await.errors(404, "contact_not_found");
        other.get(path, &[]).await.errors(404, "contact_not_found");
    }
    cy.get(&conversation, &[]).await.errors(403, "not_your_room");
    other.get(&conversation, &[]).await.errors(404, "room_not_found");
    for id in ["0", "x", "7", "9007199254740993"] {
        let answer = admin.get(&format!("/api/v2/contacts/{id}"), &[]).await;
        answer.errors(404, "contact_not_found");
    }
    let bo_itself = admin.get(&format!("/api/v2/contacts/{}", bo.id), &[]).await;
    bo_itself.errors(404, "contact_not_found");
}

#[tokio::test]
async fn a_conversation_is_loaded_in_pages_of_twenty_messages() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (bo, ann) = (office.agent("Bo").await, office.waiting("ann").await);
    let ben = office.waiting("ben").await;
    office.assign(&ann, &bo).await.data();
    for number in 0..23 {
        office.says(&ann, &format!("message {number}")).await;
    }
    let path = format!("/api/v2/contacts/{}/conversations/{}", ann.key, ann.room);
    let load = async |query: &[(&str, &str)]| {
        let mut page = bo.get(&path, query).await.json();
        assert_eq!(keys(&page), ["data", "results", "status"]);
        assert_eq!(page["data"], page["results"], "clients read either of the two");
        page["results"].take()
    };
    let first = load(&[("token", "x")]).await;
    let texts = each(&first["comments"], "message");
    assert_eq!((texts.len(), texts[0], texts[19]), (20, "message 22", "message 3"));
    assert_eq!(first["comments"][0]["username"], "ANN");
    let last = first["comments"][19]["id"].to_string();
    let second = load(&[("last_comment_id", &last)]).await;
    let texts = each(&second["comments"], "message");
    assert_eq!(texts[..3], ["message 2", "message 1", "message 0"]);
    assert_eq!(texts[3..], ["Bo joined this conversation", "hello"]);
    let mixed = format!("/api/v2/contacts/{}/conversations/{}", ben.key, ann.room);
    bo.get(&mixed, &[]).await.errors(404, "room_not_found");
    bo.get(&path, &[("last_comment_id", "x")]).await.errors(400, "invalid_request");
}

#[tokio::test]
async fn a_blocked_customer_cannot_write_until_unblocked() {
    let shop = Shop::without_webhooks().await;
    let room = shop.room_of("ana").await;
    let (bo, cy) = (shop.agent("Bo").await, shop.agent("Cy").await);
    shop.assign_room(&room, &bo).await.data();
    let path = "/api/v1/customer/block";
    let block = |is_blocked: bool| json!({"room_id": room, "is_blocked": is_blocked});
    cy.post(path, block(true)).await.errors(403, "not_your_room");
    let done = bo.post(path, json!({"room_id": room})).await.data();
    assert_eq!(done, json!({"room_id": room, "is_blocked": true}));
    let refused = shop.write("ana", "again").await;
    assert_eq!(refused.status, 403, "{}", refused.text);
    let info = format!("/api/v1/service/room/{room}/user_info");
    assert_eq!(bo.get(&info, &[]).await.data()["is_blocked"], true);
    shop.write("ben", "somebody else").await.data();
    bo.post(path, block(true)).await.data();
    bo.post(path, block(false)).await.data();
    shop.write("ana", "here I am").await.data();
    assert_eq!(shop.server.texts(&room).await[0], "here I am");
    let other = World::of_app(&shop.server, &shop.server.create_app("other").await).await;
    other.post(path, block(true)).await.errors(404, "room_not_found");
    shop.post(path, json!({})).await.errors(400, "invalid_request").says("room_id");
}
