//! Regression tests for failures of public clients.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::{each, text};
use crate::support::caller::{sent, with_form, with_json};
use crate::support::office::Office;
use crate::support::stand_ins::apple::Apple;
use crate::support::test_server::TestServer;
use crate::support::world::World;

const ROOMS: &str = "/api/v2/customer_rooms";

#[tokio::test]
async fn updated_at_of_a_resolved_session_is_not_before_resolved_at() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let ann = office.waiting("ann").await;
    let resolve = "/api/v1/admin/service/mark_as_resolved";
    office.admin().await;
    let data = office.post(resolve, json!({"room_id": ann.room()})).await.data();
    let service = &data["service"];
    assert!(text(&service["updated_at"]) >= text(&service["resolved_at"]), "{service}");
}

#[tokio::test]
async fn is_mobile_pn_enabled_is_true_only_with_push_settings() {
    let apple = Apple::start().await;
    for (settings, pushes) in [(vec![], false), (apple.settings().to_vec(), true)] {
        let server = TestServer::start_with(&settings).await;
        let office = Office::of(&server);
        office.create("ada", "admin").await;
        let profile = office.get("/api/v1/admin/get_profile", &[]).await.data();
        assert_eq!(profile["app"]["is_mobile_pn_enabled"], pushes);
    }
}

#[tokio::test]
async fn page_numbers_list_every_room_in_the_order_of_cursors() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let mut expected = Vec::new();
    for number in 0..5 {
        let customer = office.waiting(&format!("customer{number}")).await;
        office.assign(&customer, &bo).await.data();
        expected.insert(0, format!("customer{number}"));
    }
    let page = async |number: &str| {
        let query = [("page", number), ("limit", "2")];
        let answer = admin.get(ROOMS, &query).await.json();
        let names = each(&answer["data"]["customer_rooms"], "user_id");
        let names: Vec<_> = names.into_iter().map(str::to_owned).collect();
        let own = bo.get(ROOMS, &query).await.json()["data"].take();
        assert_eq!(names, each(&own["customer_rooms"], "user_id"));
        (names, answer["meta"].clone())
    };
    let (first, meta) = page("1").await;
    assert_eq!((first.as_slice(), &meta["before"]), (&expected[..2], &Value::Null));
    let (second, meta) = page("2").await;
    assert_eq!(second, expected[2..4]);
    assert_eq!(page("3").await.0, expected[4..]);
    assert_eq!(page("4").await.0, [""; 0]);
    assert_eq!(page("4294967295").await.0, [""; 0]);
    let on = [("page", "2"), ("limit", "2"), ("cursor_after", text(&meta["after"]))];
    let on = admin.get(ROOMS, &on).await.json()["data"].take();
    assert_eq!(
        each(&on["customer_rooms"], "user_id"),
        expected[4..],
        "the cursor takes precedence"
    );
    let back = [("limit", "2"), ("cursor_before", text(&meta["before"]))];
    let back = admin.get(ROOMS, &back).await.json()["data"].take();
    assert_eq!(each(&back["customer_rooms"], "user_id"), expected[..2]);
    for wrong in ["0", "-1", "x", "4294967296"] {
        admin.get(ROOMS, &[("page", wrong)]).await.errors(400, "invalid_request").says("page");
    }
}

#[tokio::test]
async fn an_empty_registration_is_refused_also_after_a_valid_one() {
    let server = TestServer::start_quiet().await;
    let office = Office::of(&server);
    let calls = [
        ("/api/v1/app/webhook/mark_as_resolved", "webhook_url"),
        ("/api/v1/app/webhook/agent_allocation", "webhook_url"),
        ("/api/v2/app/config/new_session_webhook", "url"),
        ("/api/v1/app/bot/integrate", "bot_webhook_url"),
    ];
    for (path, field) in calls {
        for _ in 0..2 {
            let empty = with_form(office.request(Method::POST, path), &[]);
            sent(empty).await.errors(400, "invalid_request").says(field);
            office.post(path, json!({})).await.errors(400, "invalid_request").says(field);
            office.post(path, json!({field: "https://a.example/"})).await.data();
        }
    }
}

#[tokio::test]
async fn an_agent_is_chosen_without_a_channel_or_by_channel_kind() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let choose = "/api/v1/admin/service/allocate_agent";
    office.post(choose, json!({})).await.errors(400, "nobody_free");
    let elsewhere = office.open_channel("Elsewhere").await;
    let role = confab_domain::agents::role::Role::Agent;
    let bo = office.worker("Bo", role, &[elsewhere]).await;
    for body in [json!({}), json!({"source": "custom"}), json!({"source": "wa"})] {
        let chosen = office.post(choose, body).await.data();
        assert_eq!(chosen["agent"]["id"], bo.id);
    }
    let of_channel = json!({"channel_id": office.channel.0});
    office.post(choose, of_channel).await.errors(400, "nobody_free");
    let widget = json!({"source": "service"});
    office.get("/api/v2/channels", &[]).await.data();
    office.post(choose, widget).await.errors(400, "nobody_free");
    let unknown = office.post(choose, json!({"channel_id": 7})).await;
    unknown.errors(400, "invalid_request").says("channel_id");
}

#[tokio::test]
async fn available_agents_are_listed_by_the_older_path_and_by_post() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let bo = office.agent("Bo").await;
    let ann = office.waiting("ann").await;
    let query = [("room_id", ann.room())];
    let query = query.each_ref().map(|(name, value)| (*name, value.as_str()));
    let path = "/api/v2/admin/service/available_agents";
    let listed = office.get(path, &query).await.json();
    assert_eq!(listed["data"]["agents"][0]["id"], bo.id);
    let older = office.get("/api/v1/admin/service/available_agents", &query).await;
    assert_eq!(older.json(), listed);
    let body = json!({"room_id": ann.room(), "limit": 20});
    assert_eq!(office.post(path, body).await.json(), listed);
    let form = with_form(office.request(Method::POST, path), &query);
    assert_eq!(sent(form).await.json(), listed);
    let in_query = format!("{path}?room_id={}", ann.room());
    assert_eq!(office.post(&in_query, json!({})).await.json(), listed);
    office.post(path, json!({})).await.errors(400, "invalid_request").says("room_id");
    let by_agent = with_json(bo.request(Method::POST, path), &json!({"room_id": ann.room()}));
    sent(by_agent).await.errors(403, "forbidden");
}
