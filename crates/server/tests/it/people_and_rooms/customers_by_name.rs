//! Calls with the app's own credentials reach customers by user id (D-0203).

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::{Answer, each, text};
use crate::support::caller::{Caller, sent, with_form, with_query};
use crate::support::client::Client;
use crate::support::shop::Shop;
use crate::support::test_server::TestServer;
use crate::support::world::World;

const NUMBER: &str = "628111";

/// Makes a GET call of the older message API.
async fn older_get(caller: &Caller, call: &str, query: &[(&str, &str)]) -> Answer {
    let path = with_query(&format!("/api/v2/rest/{call}"), query);
    sent(caller.request(Method::GET, &path)).await
}

/// Makes a POST call of the older message API with a form.
async fn older_post(caller: &Caller, call: &str, fields: &[(&str, &str)]) -> Answer {
    let path = format!("/api/v2/rest/{call}");
    sent(with_form(caller.request(Method::POST, &path), fields)).await
}

/// Returns the client of the shop's only customer with this user id.
async fn client_of(shop: &Shop, user: &str) -> Client {
    let token = shop.customer_token(user).await;
    Client { caller: (*shop.server).clone(), user: user.to_owned(), token }
}

async fn rooms_seen(client: &Client) -> Vec<String> {
    let rooms = client.get("user_rooms", &[("show_empty", "true")]).await.results();
    let mut ids: Vec<_> =
        each(&rooms["rooms_info"], "id_str").iter().map(ToString::to_string).collect();
    ids.sort();
    ids
}

fn user_ids(users: &[&str]) -> Value {
    json!({"user_ids": users})
}

#[tokio::test]
async fn a_user_id_that_only_a_customer_has_means_the_customer() {
    let shop = Shop::without_webhooks().await;
    let (room, server) = (shop.room_of(NUMBER).await, &shop.server);
    let named = [("user_id", NUMBER)];
    let profile = server.get("user_profile", &named).await.results()["user"].take();
    assert_eq!((&profile["user_id"], &profile["username"]), (&json!(NUMBER), &json!(NUMBER)));
    assert_eq!(profile["extras"], json!({"is_customer": true, "type": "customer"}));
    let rooms = server.get("get_user_rooms", &named).await.results();
    assert_eq!(each(&rooms["rooms"], "room_id"), [room.as_str()]);
    server.post_system_event(&room, "unread").await;
    let unread = server.get("get_user_unread_count", &[("user_ids[]", NUMBER)]).await.results();
    assert_eq!(unread["user_unread_count"], json!([{"unread_count": 1, "user_id": NUMBER}]));
    let waits = server.get("get_average_reply_time_user", &named).await.results();
    assert_eq!(waits["data"]["user_id"], NUMBER);

    let older = [("user_email", NUMBER)];
    let profile = older_get(server, "user_profile", &older).await.results()["user"].take();
    assert_eq!((&profile["email"], &profile["username"]), (&json!(NUMBER), &json!(NUMBER)));
    let rooms = older_get(server, "get_user_rooms", &older).await.results();
    assert_eq!(each(&rooms["rooms_info"], "room_id_str"), [room.as_str()]);
}

#[tokio::test]
async fn the_app_can_add_a_customer_to_its_rooms_by_user_id() {
    let shop = Shop::without_webhooks().await;
    let (own, server) = (shop.room_of(NUMBER).await, &shop.server);
    server.register("bob").await;
    let group = json!({"room_name": "Group", "participants": [NUMBER, "bob"], "creator": NUMBER});
    let group = server.post("create_room", group).await.results()["room"].take();
    let pair = user_ids(&["bob", NUMBER]);
    let first = server.post("get_or_create_room_with_target", pair.clone()).await.results();
    let again = server.post("get_or_create_room_with_target", pair).await.results();
    assert_eq!(first["room"]["room_id"], again["room"]["room_id"]);
    server.create_room("later", &["bob"]).await;
    let add = json!({"room_id": "later", "user_ids": [NUMBER]});
    let added = server.post("add_room_participants", add).await.results();
    assert_eq!(each(&added["participants_added"], "user_id"), [NUMBER]);
    let channel = json!({"unique_id": "news", "participants": [NUMBER]});
    let channel = server.post("get_or_create_channel", channel).await.results();
    let fields = [("name", "Older"), ("participants[]", NUMBER), ("creator", NUMBER)];
    let older = older_post(server, "create_room", &fields).await.results();
    let fields = [("emails[]", NUMBER), ("emails[]", "bob")];
    let found = older_post(server, "get_or_create_room_with_target", &fields).await.results();
    assert_eq!(found["room"]["id_str"], first["room"]["room_id"]);

    let rooms = server.get("get_user_rooms", &[("user_id", NUMBER)]).await.results();
    let mut listed = each(&rooms["rooms"], "room_id");
    listed.sort_unstable();
    let seen = rooms_seen(&client_of(&shop, NUMBER).await).await;
    assert_eq!(seen, listed, "the customer sees the same rooms as the app");
    for room in [&group["room_id"], &first["room"]["room_id"], &channel["room"]["room_id"]] {
        assert!(seen.iter().any(|it| it == text(room)), "{room}");
    }
    assert!(seen.contains(&own) && seen.contains(&older["room_id"].to_string()));
    let remove = json!({"room_id": "later", "user_ids": [NUMBER]});
    server.post("remove_room_participants", remove).await.results();
    assert_eq!(server.participants("later").await, ["bob"]);
}

#[tokio::test]
async fn no_call_by_user_id_reads_or_changes_a_customers_token() {
    let shop = Shop::without_webhooks().await;
    let (room, server) = (shop.room_of(NUMBER).await, &shop.server);
    let client = client_of(&shop, NUMBER).await;
    let (named, one) = ([("user_id", NUMBER)], json!({"user_id": NUMBER}));
    server.get("get_user_token", &named).await.refused(404, "user_not_found");
    server.post("reset_user_token", one).await.refused(404, "user_not_found");
    let older = [("user_email", NUMBER)];
    older_post(server, "reset_user_token", &older).await.refused(404, "user_not_found");
    let profile = older_get(server, "user_profile", &older).await;
    assert_eq!(profile.results()["user"]["token"], "");
    assert!(!profile.text.contains(&client.token));
    let address = format!("{}:{NUMBER}", shop.channel);
    let query = [("user_id", address.as_str())];
    server.get("get_user_token", &query).await.refused(400, "invalid_request").says("user_id");
    for call in ["reset_user_token", "login_or_register"] {
        let body = json!({"user_id": address, "username": "Mallory"});
        server.post(call, body).await.refused(400, "invalid_request").says("user_id");
    }
    let several = user_ids(&[NUMBER]);
    server.delete("deactivate_users", several).await.refused(404, "user_not_found");

    // A user registered with that id is another user, and takes precedence from then on.
    let registered = json!({"user_id": NUMBER, "username": "Own"});
    server.post("login_or_register", registered).await.results();
    assert_ne!(server.token(NUMBER).await, client.token);
    assert_eq!(server.get("user_profile", &named).await.results()["user"]["username"], "Own");
    let rooms = server.get("get_user_rooms", &named).await.results();
    assert_eq!(rooms["rooms"], json!([]));
    let rooms = server.get("get_user_rooms", &query).await.results();
    assert_eq!(
        each(&rooms["rooms"], "room_id"),
        [room.as_str()],
        "the address still means the customer"
    );
    let own = Client::of(server, NUMBER).await;
    own.get("load_comments", &[("topic_id", &room)]).await.refused(404, "room_not_found");
    assert_eq!(rooms_seen(&client).await, [room], "the customer's token still works");
}

#[tokio::test]
async fn an_ambiguous_user_id_is_refused_and_the_error_lists_both_addresses() {
    let shop = Shop::without_webhooks().await;
    let (server, first) = (&shop.server, shop.room_of(NUMBER).await);
    let body = json!({"name": "Mail", "webhook_url": format!("{}/mail", shop.gateway.base)});
    let made = shop.post("/api/v2/custom_channels", body).await.data()["custom_channel"].take();
    let write = json!({"identifier_key": made["identifier_key"], "user_id": NUMBER,
        "name": "By mail", "message": "hello"});
    let second = shop.send(write).await.data()["room_log"]["room_id"].take();
    let addresses = [format!("{}:{NUMBER}", shop.channel), format!("{}:{NUMBER}", made["id"])];
    server.register("bob").await;
    server.create_room("later", &["bob"]).await;
    let ambiguous = [
        server.get("user_profile", &[("user_id", NUMBER)]).await,
        server.get("get_user_rooms", &[("user_id", NUMBER)]).await,
        server.get("get_user_unread_count", &[("user_ids[]", NUMBER)]).await,
        server.post("create_room", json!({"room_name": "x", "participants": [NUMBER]})).await,
        server.post("get_or_create_room_with_target", user_ids(&["bob", NUMBER])).await,
        server
            .post("add_room_participants", json!({"room_id": "later", "user_ids": [NUMBER]}))
            .await,
        older_get(server, "user_profile", &[("user_email", NUMBER)]).await,
        older_get(server, "get_user_rooms", &[("user_email", NUMBER)]).await,
    ];
    for answer in ambiguous {
        let refused = answer.refused(409, "user_ambiguous");
        for address in &addresses {
            refused.says(address);
        }
    }
    for (address, room) in addresses.iter().zip([first.as_str(), text(&second)]) {
        let rooms = server.get("get_user_rooms", &[("user_id", address)]).await.results();
        assert_eq!(each(&rooms["rooms"], "room_id"), [room]);
        let older = [("user_email", address.as_str())];
        let profile = older_get(server, "user_profile", &older).await.results();
        assert_eq!(profile["user"]["token"], "");
    }
    let named = [("user_id", addresses[1].as_str())];
    let profile = server.get("user_profile", &named).await.results();
    assert_eq!(profile["user"]["username"], "By mail");
    // In a customer's room the user id means its customer, so it is not ambiguous.
    let body = json!({"room_id": first, "user_ids": [NUMBER]});
    let added = server.post("add_room_participants", body).await.results();
    assert_eq!(added["participants_added"], json!([]));
    server.get("user_profile", &[("user_id", "7:x")]).await.refused(404, "user_not_found");
    server.get("user_profile", &[("user_id", "x:y")]).await.refused(400, "invalid_request");
}

#[tokio::test]
async fn users_and_other_apps_cannot_name_customers_by_user_id() {
    let shop = Shop::without_webhooks().await;
    let (room, server) = (shop.room_of(NUMBER).await, &shop.server);
    server.register("bob").await;
    let bob = Client::of(server, "bob").await;
    server.create_room("bobs", &["bob"]).await;
    let address = format!("{}:{NUMBER}", shop.channel);
    for name in [NUMBER, &address] {
        let tries = [
            bob.post("get_or_create_room_with_target", json!({"emails": [name]})).await,
            bob.post("create_room", json!({"name": "x", "participants": [name]})).await,
            bob.post("add_room_participants", json!({"room_id": "bobs", "emails": [name]})).await,
            bob.post("block_user", json!({"user_email": name})).await,
        ];
        for answer in tries {
            assert!([400, 403, 404].contains(&answer.status), "{}", answer.text);
        }
    }
    assert_eq!(server.participants("bobs").await, ["bob"]);
    assert_eq!(rooms_seen(&client_of(&shop, NUMBER).await).await, [room]);

    let other = server.create_app("other").await;
    let named = [("user_id", NUMBER)];
    other.get("user_profile", &named).await.refused(404, "user_not_found");
    other.get("get_user_rooms", &named).await.refused(404, "user_not_found");
    let address = [("user_id", address.as_str())];
    other.get("get_user_rooms", &address).await.refused(404, "user_not_found");
    let group = json!({"room_name": "x", "participants": [NUMBER]});
    other.post("create_room", group).await.refused(404, "user_not_found");
}

#[tokio::test]
async fn a_wrong_secret_cannot_read_the_rooms_of_a_customer() {
    let server = TestServer::start().await;
    let world = World::of(&server).await;
    world.waiting("ann").await;
    let visitor = server.with_secret("not-the-secret");
    let answer = visitor.get("get_user_rooms", &[("user_id", "ann")]).await;
    answer.refused(401, "unauthorized");
    server.get("get_user_rooms", &[("user_id", "ann")]).await.results();
}
