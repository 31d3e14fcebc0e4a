//! Every customer service call refuses callers without permission.

use confab_domain::agents::role::Role;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::caller::{sent, with_json};
use crate::support::test_server::TestServer;
use crate::support::world::World;

/// Callers with access to a route, besides admins.
#[derive(Clone, Copy, PartialEq)]
enum Callers {
    /// Supervisors, on all rooms.
    Supervisors,
    /// Agents only.
    Agents,
    /// All roles, on rooms that they may see.
    All,
}

/// Calls about the whole app.
const OF_APP: [&str; 9] = [
    "/api/v2/custom_buttons",
    "/api/v2/customer_rooms",
    "/api/v2/customer_rooms/counts",
    "/api/v2/channel_names",
    "/api/v1/admin/service/get_unresolved_count",
    "/api/v2/tags",
    "/api/v1/chat_templates",
    "/api/v2/canned_replies",
    "/api/v1/export/conversations",
];

/// All calls, with this room, agent, button and contact.
fn calls(room: &str, agent: i64, button: &Value, contact: i64) -> Vec<(Method, String, Callers)> {
    let mut calls = Vec::new();
    let mut add = |method: &Method, path: String, who| calls.push((method.clone(), path, who));
    for last in ["assign_agent", "allocate_agent", "allocate_assign_agent", "remove_agent"] {
        add(&Method::POST, format!("/api/v1/admin/service/{last}"), Callers::Supervisors);
    }
    add(&Method::POST, "/api/v1/admin/service/mark_as_resolved".to_owned(), Callers::Supervisors);
    for last in ["assign_agent", "mark_as_resolved"] {
        add(&Method::POST, format!("/api/v1/agent/service/{last}"), Callers::Agents);
    }
    for last in ["add_agent", "takeover_unserved"] {
        add(&Method::POST, format!("/api/v2/agent/service/{last}"), Callers::Agents);
    }
    for last in ["available_agents", "other_agents", "total_unserved"] {
        let query = format!("room_id={room}");
        add(&Method::GET, format!("/api/v2/admin/service/{last}?{query}"), Callers::Supervisors);
        add(&Method::GET, format!("/api/v2/agent/service/{last}?{query}"), Callers::Agents);
    }
    let available = "/api/v2/admin/service/available_agents".to_owned();
    add(&Method::POST, available, Callers::Supervisors);
    let available = format!("/api/v1/admin/service/available_agents?room_id={room}");
    add(&Method::GET, available, Callers::Supervisors);
    let take = "/api/v1/agent/service/takeover_unresolved_room".to_owned();
    add(&Method::POST, take, Callers::Agents);
    add(&Method::POST, format!("/api/v2/room_tags/{room}"), Callers::All);
    add(&Method::GET, format!("/api/v2/contacts/{contact}"), Callers::All);
    add(&Method::GET, format!("/api/v2/contacts/properties/{contact}"), Callers::All);
    add(&Method::GET, format!("/api/v2/contacts/{contact}/conversations/{room}"), Callers::All);
    add(&Method::POST, "/api/v1/customer/block".to_owned(), Callers::All);
    let of_app = [
        ("/api/v1/admin/service/get_unresolved_count", Callers::All),
        ("/api/v2/tags", Callers::All),
        ("/api/v2/customer_rooms/counts", Callers::All),
        ("/api/v2/channel_names", Callers::All),
        ("/api/v1/chat_templates", Callers::All),
        ("/api/v2/canned_replies", Callers::All),
        ("/api/v1/export/conversations", Callers::Supervisors),
    ];
    for (path, who) in of_app {
        add(&Method::GET, path.to_owned(), who);
    }
    add(&Method::POST, "/api/v2/customer_rooms".to_owned(), Callers::All);
    add(&Method::PUT, format!("/api/v2/canned_replies/{agent}"), Callers::All);
    add(&Method::DELETE, format!("/api/v2/canned_replies/{agent}"), Callers::All);
    let button = format!("/api/v2/custom_buttons/{button}");
    add(&Method::GET, "/api/v2/custom_buttons".to_owned(), Callers::All);
    add(&Method::POST, "/api/v2/custom_buttons".to_owned(), Callers::Supervisors);
    add(&Method::PUT, button.clone(), Callers::Supervisors);
    add(&Method::DELETE, button.clone(), Callers::Supervisors);
    add(&Method::POST, format!("{button}/press"), Callers::All);
    add(&Method::GET, format!("/api/v1/room_tag/{room}"), Callers::All);
    add(&Method::GET, format!("/api/v2/room_tags/{room}"), Callers::All);
    add(&Method::POST, "/api/v1/room_tag/create".to_owned(), Callers::All);
    add(&Method::DELETE, format!("/api/v1/room_tag/{room}/{agent}"), Callers::All);
    add(&Method::GET, format!("/api/v1/service/room/{room}/user_info"), Callers::All);
    add(&Method::POST, format!("/api/v1/service/room/{room}/user_info"), Callers::All);
    add(&Method::POST, format!("/api/v2/contacts/properties/{contact}"), Callers::Supervisors);
    add(&Method::PATCH, format!("/api/v2/contacts/{contact}"), Callers::All);
    add(&Method::GET, format!("/api/v2/contacts/{contact}/rooms"), Callers::All);
    add(&Method::GET, format!("/api/v2/contacts/{contact}/properties"), Callers::All);
    add(&Method::GET, format!("/api/v2/contacts/{contact}/export"), Callers::Supervisors);
    add(&Method::POST, format!("/api/v2/contacts/{contact}/erase"), Callers::Supervisors);
    let property = format!("/api/v2/contacts/{contact}/properties/{agent}");
    add(&Method::DELETE, property, Callers::Supervisors);
    add(&Method::DELETE, format!("/api/v2/room_tags/{room}/{agent}"), Callers::All);
    for method in [Method::PUT, Method::DELETE] {
        add(&method, format!("/api/v2/tags/{agent}"), Callers::Supervisors);
        add(&method, format!("/api/v2/customer_rooms/{room}/infos/k"), Callers::All);
    }
    add(&Method::GET, format!("/api/v2/customer_rooms/{room}/infos"), Callers::All);
    add(&Method::GET, format!("/api/v2/custom_buttons/presses/{agent}"), Callers::All);
    add(&Method::GET, format!("/api/v2/customer_rooms/{room}/notes"), Callers::All);
    add(&Method::POST, format!("/api/v2/customer_rooms/{room}/notes"), Callers::All);
    for method in [Method::PATCH, Method::DELETE] {
        add(&method, format!("/api/v2/customer_rooms/{room}/notes/{agent}"), Callers::All);
        add(&method, format!("/api/v2/customer_rooms/{room}/messages/x"), Callers::All);
    }
    add(&Method::GET, "/api/v2/customer_rooms".to_owned(), Callers::All);
    add(&Method::GET, format!("/api/v2/customer_rooms/{room}"), Callers::All);
    add(&Method::POST, format!("/api/v2/customer_rooms/{room}/read"), Callers::All);
    add(&Method::POST, format!("/api/v2/customer_rooms/{room}/unread"), Callers::All);
    calls
}

#[tokio::test]
async fn calls_without_permission_are_refused_and_leak_or_change_nothing() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let other = server.create_app("other").await;
    let other = World::of_app(&server, &other).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let supervisor = office.worker("Sue", Role::Supervisor, &[]).await;
    let (their_admin, their_agent) = (other.admin().await, other.agent("Eve").await);
    other.set("is_agent_takeover_enabled", "true").await;
    office.set("is_agent_takeover_enabled", "false").await;
    let ann = office.waiting("ann").await;
    let body = json!({"label": "secret", "webhook_url": "https://a.example/"});
    let made = admin.post("/api/v2/custom_buttons", body).await.data();
    let button = &made["custom_button"]["id"];
    let fine = json!({"room_id": ann.room(), "agent_id": bo.id, "channel_id": office.channel.0,
        "tag": "x", "label": "x", "value": "x", "webhook_url": "https://b.example/",
        "name": "x", "text": "x", "message": "x", "confirm": "x",
        "user_properties": [{"key": "k", "value": "v"}]});
    for (method, path, callers) in calls(&ann.room(), bo.id, button, ann.key.0) {
        let call = format!("{method} {path}");
        let bare = || with_json(server.bare(method.clone(), &path), &fine);
        let none = sent(bare()).await;
        none.errors(401, "unauthorized");
        sent(bare().header("Authorization", "guess")).await.errors(401, "unauthorized");
        let wrong = bare().header("SERVICE-App-Id", "shop").header("SERVICE-Secret-Key", "guess");
        sent(wrong).await.errors(401, "unauthorized");
        // The other app's admin, who names this app in a header.
        let named = their_admin.request(method.clone(), &path).header("SERVICE-App-Id", "shop");
        sent(with_json(named, &fine)).await.errors(401, "unauthorized");
        let foreign = match callers {
            Callers::Agents => with_json(their_agent.request(method.clone(), &path), &fine),
            _ => with_json(their_admin.request(method.clone(), &path), &fine),
        };
        let answer = sent(foreign).await;
        let is_about_room = !path.contains("total_unserved")
            && !OF_APP.contains(&path.as_str())
            && !path.ends_with("allocate_agent");
        if is_about_room {
            assert_eq!(answer.status, 404, "{call}: {}", answer.text);
        }
        for secret in ["secret", "ann", "Bo"] {
            assert!(!answer.text.contains(&format!("\"{secret}\"")), "{call}: {}", answer.text);
        }
        let wrong_roles = match callers {
            Callers::Supervisors => vec![&bo],
            Callers::Agents => vec![&admin, &supervisor],
            Callers::All => vec![],
        };
        for worker in wrong_roles {
            let request = with_json(worker.request(method.clone(), &path), &fine);
            sent(request).await.errors(403, "forbidden");
        }
        let is_of_one_room = path.contains(&ann.room()) && method == Method::GET;
        if callers == Callers::All && is_of_one_room {
            sent(bo.request(method.clone(), &path)).await.errors(403, "not_your_room");
        }
    }
    assert_eq!(office.texts(&ann).await, ["hello"]);
    assert_eq!(office.serving(&ann).await, [0_i64; 0]);
    let path = format!("/api/v2/room_tags/{}", ann.room);
    assert_eq!(supervisor.get(&path, &[]).await.data(), json!([]));
    let listed = admin.get("/api/v2/custom_buttons", &[]).await.data();
    assert_eq!(listed["custom_buttons"][0], made["custom_button"]);
}
