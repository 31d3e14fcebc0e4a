//! Rows of conversations in lists (design/support).

use serde_json::{Value, json};

use crate::support::answer::{each, items, text};
use crate::support::office::Worker;
use crate::support::test_server::TestServer;
use crate::support::world::{Customer, World};

const ROOMS: &str = "/api/v2/customer_rooms";

/// Returns the row of one conversation.
async fn row(by: &Worker, customer: &Customer) -> Value {
    by.get(&format!("{ROOMS}/{}", customer.room()), &[]).await.data()["customer_room"].take()
}

async fn version(by: &Worker, customer: &Customer) -> i64 {
    row(by, customer).await["version"].as_i64().expect("a number")
}

async fn answer(by: &Worker, customer: &Customer, message: &str) -> Value {
    let path = format!("{ROOMS}/{}/messages", customer.room());
    by.post(&path, json!({"message": message})).await.data()["comment"].take()
}

#[tokio::test]
async fn a_row_shows_channel_agent_last_message_tags_and_times() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let quiet = office.customer("quiet").await;
    let shown = row(&admin, &quiet).await;
    for nothing in ["session_id", "opened_at", "resolved_at", "served_by", "last_comment_id"] {
        assert_eq!(shown[nothing], Value::Null, "{nothing}");
    }
    assert_eq!((&shown["tags"], &shown["is_seen"]), (&json!([]), &json!(true)));
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    let tagged = json!({"tag": "vip"});
    admin.post(&format!("/api/v2/room_tags/{}", ann.room()), tagged).await.data();
    let message = answer(&bo, &ann, "Good morning").await;
    let shown = row(&admin, &ann).await;
    assert_eq!(shown["channel_name"], "Shop");
    assert_eq!(shown["served_by"], json!({"id": bo.id, "name": "Bo"}));
    assert_eq!(text(&shown["last_comment_id"]), message["id"].to_string());
    assert_eq!(shown["last_comment_type"], "text");
    assert_eq!(each(&shown["tags"], "name"), ["vip"]);
    assert!(shown["tags"][0]["id"].is_i64() && shown["tags"][0]["colour"].is_null());
    assert!(text(&shown["session_id"]).parse::<i64>().is_ok(), "{shown}");
    assert!(text(&shown["opened_at"]).ends_with('Z') && shown["resolved_at"].is_null());
    admin.resolve(&ann.room()).await.data();
    let shown = row(&admin, &ann).await;
    assert!(text(&shown["resolved_at"]).ends_with('Z'), "{shown}");
    assert_eq!(shown["served_by"], json!({"id": bo.id, "name": "Bo"}), "the last serving agent");
    assert_eq!(shown["last_comment_type"], "system_event");
}

#[tokio::test]
async fn lists_are_ordered_by_the_last_change_of_each_row() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let admin = office.admin().await;
    let ann = office.waiting("ann").await;
    for name in ["ben", "cid", "dan"] {
        office.waiting(name).await;
    }
    office.says(&ann, "still here").await;
    let rows = admin.get(ROOMS, &[]).await.json()["data"]["customer_rooms"].take();
    assert_eq!(each(&rows, "user_id"), ["ann", "dan", "cid", "ben"]);
    let times = each(&rows, "updated_at");
    assert!(times.iter().all(|it| it.len() == "2026-11-16T09:00:00.000000Z".len()), "{times:?}");
    let mut ordered: Vec<_> = items(&rows).iter().collect();
    ordered.sort_by_key(|it| (text(&it["updated_at"]).to_owned(), it["id"].as_i64()));
    ordered.reverse();
    assert_eq!(ordered, items(&rows).iter().collect::<Vec<_>>());
}

#[tokio::test]
async fn rows_in_a_list_equal_rows_read_individually() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let customers = [office.waiting("ann").await, office.waiting("ben").await];
    office.assign(&customers[0], &bo).await.data();
    for (customer, tag) in customers.iter().zip(["vip", "new"]) {
        let path = format!("/api/v2/room_tags/{}", customer.room());
        admin.post(&path, json!({"tag": tag})).await.data();
    }
    let listed = admin.get(ROOMS, &[]).await.json()["data"]["customer_rooms"].take();
    assert_eq!(items(&listed).len(), 2);
    for customer in &customers {
        let alone = row(&admin, customer).await;
        let listed = items(&listed).iter().find(|it| it["room_id"] == alone["room_id"]);
        let mut listed = listed.expect("listed").clone();
        listed["waiting_seconds"] = alone["waiting_seconds"].clone();
        assert_eq!(listed, alone);
    }
}

#[tokio::test]
async fn every_change_of_a_row_raises_its_version_and_reading_does_not() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let (ann, ben) = (office.customer("ann").await, office.waiting("ben").await);
    let (room, mut before) = (ann.room(), version(&admin, &ann).await);
    let other = version(&admin, &ben).await;
    let mut message = Value::Null;
    for deed in ["say", "tag", "untag", "assign", "answer", "delete", "rename", "resolve"] {
        match deed {
            "say" => office.says(&ann, "hello").await,
            "tag" => {
                let path = format!("/api/v2/room_tags/{room}");
                admin.post(&path, json!({"tag": "vip"})).await.data();
            }
            "untag" => {
                let tag = row(&admin, &ann).await["tags"][0]["id"].to_string();
                let path = format!("/api/v1/room_tag/{room}/{tag}");
                admin.delete(&path).await.data();
            }
            "assign" => drop(office.assign(&ann, &bo).await.data()),
            "answer" => message = answer(&bo, &ann, "Good morning").await,
            "delete" => {
                let unique_id = text(&message["unique_temp_id"]);
                server.delete_messages(&[unique_id]).await.results();
            }
            "rename" => {
                let body = json!({"room_id": room, "room_name": "Ann of Solo"});
                server.post("update_room", body).await.results();
            }
            _ => drop(admin.resolve(&room).await.data()),
        }
        let after = version(&admin, &ann).await;
        assert!(after > before, "{deed}: {after} after {before}");
        before = after;
    }
    let last = row(&admin, &ann).await["last_comment_id"].clone();
    admin.post(&format!("{ROOMS}/{room}/read"), json!({"comment_id": last})).await.data();
    admin.post(&format!("{ROOMS}/{room}/unread"), json!({})).await.data();
    admin.get(&format!("{ROOMS}/{room}/messages"), &[]).await.json();
    admin.get(ROOMS, &[]).await.json();
    assert_eq!(version(&admin, &ann).await, before, "reading does not change the version");
    assert_eq!(version(&admin, &ben).await, other, "other rows are unchanged");
}
