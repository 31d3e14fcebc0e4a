//! Concurrent identical calls through two nodes take effect once.

use serde_json::{Value, json};

use super::TwoNodes;
use crate::support::answer::{each, text};
use crate::support::caller::Caller;

const REPEATERS: usize = 24;
const UNIQUE_IDS: usize = 6;

/// Makes this many calls concurrently, alternating between the nodes; returns their results.
async fn all_at_once<Doing>(
    nodes: &TwoNodes,
    count: usize,
    act: impl Fn(Caller, usize) -> Doing,
) -> Vec<Value>
where
    Doing: Future<Output = Value> + Send + 'static,
{
    let callers = [nodes.one.shop(), nodes.two.shop()];
    let doing: Vec<_> =
        (0..count).map(|at| tokio::spawn(act(callers[at % 2].clone(), at))).collect();
    let mut done = Vec::new();
    for doing in doing {
        done.push(doing.await.expect("done"));
    }
    done
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_unique_id_posted_concurrently_through_both_nodes_is_one_message() {
    let nodes = TwoNodes::with_support_room().await;
    for number in 0..UNIQUE_IDS {
        let comments = all_at_once(&nodes, REPEATERS, |shop, _| async move {
            let (message, id) = (format!("hello {number}"), format!("hello-{number}"));
            let answer = shop.post_as_unique("ana", "support", &message, &id).await;
            answer.results()["comment"].take()
        })
        .await;
        let id = &comments[0]["id"];
        assert!(comments.iter().all(|comment| comment["id"] == *id), "{comments:?}");
    }
    let texts: Vec<_> = (0..UNIQUE_IDS).rev().map(|number| format!("hello {number}")).collect();
    assert_eq!(nodes.one.shop().texts("support").await, texts);
    assert_eq!(nodes.two.shop().texts("support").await, texts);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_unique_id_posted_concurrently_to_two_rooms_through_both_nodes_is_one_message() {
    let nodes = TwoNodes::with_support_room().await;
    nodes.one.shop().create_room("sales", &["ana"]).await;
    for number in 0..UNIQUE_IDS {
        let statuses = all_at_once(&nodes, REPEATERS, |shop, at| async move {
            let room = ["support", "sales"][at % 2];
            let id = format!("hello-{number}");
            json!(shop.post_as_unique("ana", room, "hello", &id).await.status)
        })
        .await;
        assert!(statuses.iter().all(|status| *status != 500 && *status != 503), "{statuses:?}");
    }
    for shop in [nodes.one.shop(), nodes.two.shop()] {
        let there = shop.texts("support").await.len() + shop.texts("sales").await.len();
        assert_eq!(there, UNIQUE_IDS, "one message for each unique id");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_room_created_concurrently_through_both_nodes_is_created_once() {
    let nodes = TwoNodes::with_support_room().await;
    for number in 0..UNIQUE_IDS {
        let created = all_at_once(&nodes, 8, |shop, at| async move {
            let room = format!("room{number}");
            let name = format!("made by {at}");
            let body = json!({"room_name": name, "unique_id": room, "participants": ["ana"]});
            let answer = shop.post("create_room", body).await;
            if answer.status != 200 {
                answer.refused(409, "room_exists");
                return Value::Null;
            }
            answer.results()["room"].take()
        })
        .await;
        let winners: Vec<_> = created.iter().filter(|room| !room.is_null()).collect();
        assert_eq!(winners.len(), 1, "{created:?}");
        let room = text(&winners[0]["unique_id"]);
        for shop in [nodes.one.shop(), nodes.two.shop()] {
            let info = shop.get("get_rooms_info", &[("room_ids[]", room)]).await.results();
            assert_eq!(info["rooms"][0], *winners[0]);
            assert_eq!(shop.participants(room).await, ["ana"]);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_user_registered_concurrently_through_both_nodes_is_one_user_with_one_token() {
    let nodes = TwoNodes::start().await;
    for number in 0..UNIQUE_IDS {
        let users = all_at_once(&nodes, 12, |shop, _| async move {
            shop.register(&format!("user{number}")).await
        })
        .await;
        assert!(users.iter().all(|user| user["user_id"] == users[0]["user_id"]), "{users:?}");
    }
    let (one, two) = (nodes.one.shop(), nodes.two.shop());
    for number in 0..UNIQUE_IDS {
        let user = format!("user{number}");
        assert_eq!(one.token(&user).await, two.token(&user).await);
    }
    let list = one.get("get_user_list", &[("limit", "100")]).await.results();
    let registered = each(&list["users"], "username").into_iter();
    let count = registered.filter(|name| name.starts_with("User")).count();
    assert_eq!(count, UNIQUE_IDS, "{list}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changing_users_through_both_nodes_in_opposite_order_does_not_deadlock() {
    const USERS: usize = 20;
    let nodes = TwoNodes::start().await;
    let users: Vec<_> = (0..USERS).map(|number| format!("user{number}")).collect();
    for user in &users {
        nodes.one.shop().register(user).await;
    }
    let answers = all_at_once(&nodes, 40, |shop, at| {
        let mut users = users.clone();
        users.rotate_left(at % USERS);
        if at % 2 == 1 {
            users.reverse();
        }
        async move {
            let both = json!({"user_ids": users});
            shop.delete("deactivate_users", both.clone()).await.results();
            shop.post("reactivate_users", both).await.results()
        }
    })
    .await;
    assert_eq!(answers.len(), 40);
    let profile = nodes.two.shop().get("user_profile", &[("user_id", "user0")]).await.results();
    assert_eq!(profile["user"]["active"], true);
}
