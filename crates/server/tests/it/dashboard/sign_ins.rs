//! Sign-ins of an agent (design/sign-in-and-limits), and sign-in links created by admins
//! (design/sign-in-and-limits).

use confab_domain::ids::AgentId;
use confab_domain::time::Timestamp;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::{Answer, keys};
use crate::support::caller::{sent, with_json};
use crate::support::office::{Office, PASSWORD, Worker};
use crate::support::test_server::TestServer;

const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

/// Signs in as a browser does; returns an agent with the token of the cookie.
async fn with_browser(office: &Office, name: &str, browser: &str) -> Worker {
    let body = json!({"email": office.email(name), "password": PASSWORD});
    let request = office.caller.bare(Method::POST, "/api/v2/sign_in");
    let request = request.header("x-confab", "1").header("user-agent", browser);
    let answer = sent(with_json(request, &body)).await;
    let cookie = answer.header("set-cookie").to_owned();
    let token = cookie.split(['=', ';']).nth(1).expect("a token").to_owned();
    let id = answer.data()["user"]["id"].as_i64().expect("an id");
    Worker { caller: office.caller.clone(), token, id }
}

async fn listed(worker: &Worker) -> Vec<Value> {
    let mut data = worker.get("/api/v2/me/sign_ins", &[]).await.data();
    data["sign_ins"].as_array_mut().expect("a list").drain(..).collect()
}

async fn of_agent(caller: &Worker, agent: i64) -> Answer {
    caller.get(&format!("/api/v2/admin/agent/{agent}/sign_ins"), &[]).await
}

#[tokio::test]
async fn agents_can_list_and_end_their_own_sign_ins() {
    let server = TestServer::start_quiet().await;
    let office = Office::of(&server);
    office.create("ana", "agent").await;
    let phone = with_browser(&office, "ana", "okhttp/4.12.0").await;
    let laptop = with_browser(&office, "ana", FIREFOX).await;
    let shown = listed(&laptop).await;
    assert_eq!(
        keys(&shown[0]),
        ["address", "browser", "created_at", "id", "is_current", "seen_at"]
    );
    let browsers: Vec<_> = shown.iter().map(|it| (&it["browser"], &it["is_current"])).collect();
    assert_eq!(
        browsers,
        [(&json!("Firefox on Linux"), &json!(true)), (&json!("okhttp"), &json!(false))]
    );
    for it in &shown {
        assert_eq!(it["address"], "127.0.0.1");
        assert_eq!(it["seen_at"], it["created_at"]);
        assert!(it["id"].is_string() && !it.to_string().contains(&laptop.token));
    }
    // Equal to the microsecond, which responses do not show.
    let stored = server.store.sign_ins(AgentId(laptop.id), Timestamp(0)).await.expect("read");
    let unchanged = stored.iter().all(|it| it.seen_at == it.created_at);
    assert!(unchanged && stored.len() == 2, "requests do not update the stored time");
    let id = shown[1]["id"].as_str().expect("an id");
    laptop.delete(&format!("/api/v2/me/sign_ins/{id}")).await.data();
    assert!(!phone.is_signed_in().await && laptop.is_signed_in().await);
    let again = laptop.delete(&format!("/api/v2/me/sign_ins/{id}")).await;
    again.errors(404, "sign_in_not_found");
    for odd in ["0", "-1", "x", "99999999999999999999", "%00"] {
        let answer = laptop.delete(&format!("/api/v2/me/sign_ins/{odd}")).await;
        answer.errors(404, "sign_in_not_found");
    }
}

#[tokio::test]
async fn ending_all_other_sign_ins_affects_only_the_same_agent() {
    let server = TestServer::start_quiet().await;
    let office = Office::of(&server);
    let (first, bob) = (office.hire("ana", "agent").await, office.hire("bob", "agent").await);
    let (second, third) = (office.sign_in("ana").await, office.sign_in("ana").await);
    third.delete("/api/v2/me/sign_ins").await.data();
    assert!(!first.is_signed_in().await && !second.is_signed_in().await);
    assert!(third.is_signed_in().await && bob.is_signed_in().await);
    let shown = office.shown(third.id).await;
    assert_eq!(shown["is_available"], true, "an agent with a sign-in stays available");
    third.delete("/api/v2/me/sign_ins").await.data();
    let own = listed(&third).await;
    assert_eq!(own.len(), 1);
    // Another agent's sign-in is not found by its id.
    let theirs = listed(&bob).await[0]["id"].as_str().expect("an id").to_owned();
    let answer = third.delete(&format!("/api/v2/me/sign_ins/{theirs}")).await;
    answer.errors(404, "sign_in_not_found");
    // Ending the last sign-in from its own list is a sign-out.
    let id = own[0]["id"].as_str().expect("an id");
    third.delete(&format!("/api/v2/me/sign_ins/{id}")).await.data();
    assert!(!third.is_signed_in().await);
    assert_eq!(office.shown(third.id).await["is_available"], false);
}

#[tokio::test]
async fn admins_can_list_and_end_sign_ins_of_their_app_only() {
    let server = TestServer::start_quiet().await;
    let (office, other) = (Office::of(&server), Office::of(&server.create_app("other").await));
    let (admin, ana) = (office.hire("admin", "admin").await, office.hire("ana", "agent").await);
    let (chief, stranger) =
        (office.hire("chief", "supervisor").await, other.hire("eve", "admin").await);
    for wrong in [&ana, &chief] {
        of_agent(wrong, ana.id).await.errors(403, "forbidden");
    }
    of_agent(&stranger, ana.id).await.errors(404, "agent_not_found");
    let path = format!("/api/v2/admin/agent/{}/sign_ins", ana.id);
    stranger.delete(&path).await.errors(404, "agent_not_found");
    stranger.delete(&format!("{path}/1")).await.errors(404, "agent_not_found");
    let data = of_agent(&admin, ana.id).await.data();
    let found = &data["sign_ins"][0];
    assert_eq!(found["is_current"], false);
    let own = of_agent(&admin, admin.id).await.data();
    assert_eq!(own["sign_ins"][0]["is_current"], true);
    let id = found["id"].as_str().expect("an id");
    admin.delete(&format!("{path}/{id}")).await.data();
    assert!(!ana.is_signed_in().await);
    admin.delete(&format!("{path}/{id}")).await.errors(404, "sign_in_not_found");
    let again = office.sign_in("ana").await;
    admin.delete(&path).await.data();
    admin.delete(&path).await.data();
    assert!(!again.is_signed_in().await && stranger.is_signed_in().await);
}

async fn code_signs_in(office: &Office, link: &str) -> Answer {
    let code = link.split_once("/dashboard/sign-in#").expect("a link").1;
    let request = office.caller.bare(Method::POST, "/api/v2/sign_in").header("x-confab", "1");
    sent(with_json(request, &json!({"code": code}))).await
}

#[tokio::test]
async fn admins_can_create_a_one_time_sign_in_link_instead_of_a_password() {
    let server = TestServer::start_quiet().await;
    let office = Office::of(&server);
    let admin = office.hire("admin", "admin").await;
    let create = |extra: Value| {
        let mut body = json!({"name": "Bea", "email": "bea@shop.example", "type": "agent"});
        body.as_object_mut()
            .expect("an object")
            .extend(extra.as_object().expect("an object").clone());
        body
    };
    let path = "/api/v2/admin/create_agent";
    for without in [json!({}), json!({"sign_in_link": false})] {
        let refused = admin.post(path, create(without)).await;
        refused.errors(400, "invalid_request").says("password");
    }
    let made = admin.post(path, create(json!({"sign_in_link": true}))).await.data();
    assert_eq!(keys(&made), ["agent", "sign_in_link"]);
    let link = made["sign_in_link"]["link"].as_str().expect("a link");
    assert_eq!(code_signs_in(&office, link).await.data()["user"]["name"], "Bea");
    code_signs_in(&office, link).await.errors(401, "unauthorized");
    // The response has no link unless it was requested.
    let created = admin.post(
        path,
        json!({
            "name": "Cem", "email": "cem@shop.example", "type": "agent", "password": PASSWORD,
        }),
    );
    assert_eq!(keys(&created.await.data()), ["agent"]);

    let id = made["agent"]["id"].as_i64().expect("an id");
    let path = format!("/api/v2/admin/agent/{id}/sign_in_link");
    let made = admin.post(&path, json!({})).await;
    assert_eq!(made.header("cache-control"), "no-store");
    let data = made.data();
    assert_eq!(keys(&data), ["expires_at", "link"]);
    code_signs_in(&office, data["link"].as_str().expect("a link")).await.data();
    // Ending all sign-ins of an agent also ends their links.
    let data = admin.post(&path, json!({})).await.data();
    admin.delete(&format!("/api/v2/admin/agent/{id}/sign_ins")).await.data();
    let late = code_signs_in(&office, data["link"].as_str().expect("a link")).await;
    late.errors(401, "unauthorized");
    let agent = office.hire("ana", "agent").await;
    agent.post(&path, json!({})).await.errors(403, "forbidden");
}

#[tokio::test]
async fn only_the_newest_sign_in_links_of_an_agent_are_valid() {
    let server = TestServer::start_quiet().await;
    let office = Office::of(&server);
    let ana = office.hire("ana", "agent").await;
    let path = format!("/api/v2/admin/agent/{}/sign_in_link", ana.id);
    let mut links = Vec::new();
    for _ in 0..11 {
        let data = office.post(&path, json!({})).await.data();
        links.push(data["link"].as_str().expect("a link").to_owned());
    }
    code_signs_in(&office, &links[0]).await.errors(401, "unauthorized");
    code_signs_in(&office, &links[1]).await.data();
}
