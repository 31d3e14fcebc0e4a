//! Tags of an app (design/support).

use confab_domain::agents::role::Role;
use serde_json::{Value, json};

use crate::support::answer::each;
use crate::support::office::Worker;
use crate::support::test_server::TestServer;
use crate::support::world::{Customer, World};

async fn tag(by: &Worker, customer: &Customer, name: &str) -> i64 {
    let path = format!("/api/v2/room_tags/{}", customer.room());
    by.post(&path, json!({"tag": name})).await.data()["id"].as_i64().expect("an id")
}

async fn of_room(by: &Worker, customer: &Customer) -> Vec<String> {
    let tags = by.get(&format!("/api/v2/room_tags/{}", customer.room()), &[]).await.data();
    let mut names: Vec<_> = each(&tags, "name").into_iter().map(str::to_owned).collect();
    names.sort();
    names
}

#[tokio::test]
async fn supervisors_and_admins_can_rename_color_merge_and_delete_tags() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let sue = office.worker("Sue", Role::Supervisor, &[]).await;
    let (ann, ben) = (office.waiting("ann").await, office.waiting("ben").await);
    let vip = tag(&admin, &ann, "vip").await;
    tag(&admin, &ben, "vip").await;
    let (big, late) = (tag(&admin, &ben, "big").await, tag(&admin, &ann, "late").await);
    let path = |id: i64| format!("/api/v2/tags/{id}");
    let listed = async || bo.get("/api/v2/tags", &[]).await.data();
    let all = listed().await;
    assert_eq!(all[2], json!({"id": vip, "name": "vip", "colour": null, "count": 2}));
    let body = json!({"name": "VIP", "colour": "#D93025"});
    let changed = sue.put(&path(vip), body).await.data();
    let expected = json!({"id": vip, "name": "VIP", "colour": "#d93025", "count": 2});
    assert_eq!(changed["tag"], expected);
    assert_eq!(of_room(&admin, &ann).await, ["VIP", "late"]);
    let rooms = admin.get("/api/v2/customer_rooms", &[("tag", "VIP")]).await.json();
    let rooms = rooms["data"]["customer_rooms"].as_array().expect("rooms");
    let shown = json!({"id": vip, "name": "VIP", "colour": "#d93025"});
    assert_eq!(rooms.len(), 2);
    assert!(rooms.iter().all(|room| room["tags"].as_array().expect("tags").contains(&shown)));
    admin.put(&path(vip), json!({"colour": null})).await.data();
    assert_eq!(listed().await[0]["colour"], Value::Null);
    let merged = admin.put(&path(big), json!({"merge_into": vip})).await.data();
    assert_eq!((&merged["tag"]["id"], &merged["tag"]["count"]), (&json!(vip), &json!(2)));
    assert_eq!(of_room(&admin, &ben).await, ["VIP"]);
    admin.delete(&path(late)).await.data();
    assert_eq!(each(&listed().await, "name"), ["VIP"]);
    assert_eq!(of_room(&admin, &ann).await, ["VIP"]);
    let off = format!("/api/v2/room_tags/{}/{vip}", ann.room());
    assert_eq!(admin.delete(&off).await.data(), json!([]));
    admin.delete(&off).await.errors(404, "tag_not_found");
}

#[tokio::test]
async fn tags_cannot_be_changed_by_agents_or_other_apps_or_to_invalid_values() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let ann = office.waiting("ann").await;
    let (vip, late) = (tag(&admin, &ann, "vip").await, tag(&admin, &ann, "late").await);
    let path = format!("/api/v2/tags/{vip}");
    bo.put(&path, json!({"name": "x"})).await.errors(403, "forbidden");
    bo.delete(&path).await.errors(403, "forbidden");
    let other = World::of_app(&server, &server.create_app("other").await).await;
    let (stranger, eve) = (other.admin().await, other.waiting("eve").await);
    let theirs = tag(&stranger, &eve, "theirs").await;
    stranger.put(&path, json!({"name": "x"})).await.errors(404, "tag_not_found");
    stranger.delete(&path).await.errors(404, "tag_not_found");
    let into = json!({"merge_into": vip});
    stranger.put(&format!("/api/v2/tags/{theirs}"), into).await.errors(400, "invalid_request");
    for wrong in [
        json!({"name": "late"}),
        json!({"name": ""}),
        json!({"name": "x".repeat(101)}),
        json!({"colour": "red"}),
        json!({"colour": "#12345"}),
        json!({"colour": "#12345g"}),
        json!({"merge_into": vip}),
        json!({"merge_into": theirs}),
        json!({"merge_into": 0}),
    ] {
        admin.put(&path, wrong).await.errors(400, "invalid_request");
    }
    for id in ["0", "x", "99999999999999999999"] {
        let path = format!("/api/v2/tags/{id}");
        admin.delete(&path).await.errors(404, "tag_not_found");
    }
    assert_eq!(of_room(&admin, &ann).await, ["late", "vip"]);
    assert_ne!(vip, late);
}
