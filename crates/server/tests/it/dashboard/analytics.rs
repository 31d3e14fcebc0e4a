//! Analytics of conversations, agents and channels (D-0140).

use confab_domain::agents::role::Role;
use confab_domain::time::Timestamp;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::{Answer, keys};
use crate::support::caller::{Caller, sent, with_json};
use crate::support::office::{Office, PASSWORD, Worker};
use crate::support::process::Folder;
use crate::support::test_server::TestServer;
use crate::support::world::{Customer, World};

const CALLS: [&str; 5] = ["summary", "series", "agents", "channels", "export.csv"];

async fn fetch(by: &Worker, call: &str, query: &[(&str, &str)]) -> Answer {
    by.get(&format!("/api/v2/analytics/{call}"), query).await
}

async fn summary(by: &Worker, query: &[(&str, &str)]) -> Value {
    fetch(by, "summary", query).await.data()["summary"].take()
}

async fn reply(by: &Worker, customer: &Customer) {
    let path = format!("/api/v2/customer_rooms/{}/messages", customer.room());
    by.post(&path, json!({"message": "hello"})).await.data();
}

fn numbers(shown: &Value) -> [&Value; 4] {
    ["opened", "resolved", "messages_in", "messages_out"].map(|name| &shown[name])
}

#[tokio::test]
async fn analytics_count_events_in_total_and_by_agent_and_channel() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let sue = office.worker("Sue", Role::Supervisor, &[]).await;
    let mail = office.open_channel("Mail").await;
    let (ann, ben) = (office.waiting("ann").await, office.waiting("ben").await);
    let cid = office.customer_of(mail, "cid").await;
    office.says(&cid, "hello").await;
    office.says(&ann, "anybody there?").await;
    office.assign(&ann, &bo).await.data();
    office.assign(&ben, &bo).await.data();
    reply(&bo, &ann).await;
    reply(&bo, &ann).await;
    bo.resolve_own(&ann.room()).await.data();
    reply(&admin, &cid).await;
    let day = summary(&sue, &[]).await;
    assert_eq!(numbers(&day), [&json!(3), &json!(1), &json!(4), &json!(3)]);
    assert_eq!(
        (&day["first_reply_s"]["count"], &day["resolve_s"]["count"]),
        (&json!(2), &json!(1))
    );
    assert!(day["first_reply_s"]["median"].is_i64() && day["resolve_s"]["p90"].is_i64(), "{day}");
    assert_eq!((&day["waiting_now"], &day["zone"]), (&json!(1), &json!("UTC")));
    let by_agent = fetch(&sue, "agents", &[]).await.data();
    let of = |id: i64| {
        let rows = by_agent["agents"].as_array().expect("rows");
        rows.iter().find(|it| it["id"] == id).expect("a row").clone()
    };
    assert_eq!(of(bo.id)["name"], "Bo");
    assert_eq!(numbers(&of(bo.id)), [&json!(0), &json!(1), &json!(0), &json!(2)]);
    assert_eq!(numbers(&of(admin.id)), [&json!(0), &json!(0), &json!(0), &json!(1)]);
    assert_eq!(of(sue.id)["first_reply_s"], json!({"count": 0, "median": null, "p90": null}));
    let by_channel = fetch(&sue, "channels", &[]).await.data();
    let rows = by_channel["channels"].as_array().expect("rows");
    let of_mail = rows.iter().find(|it| it["id"] == mail.0).expect("a row");
    assert_eq!(numbers(of_mail), [&json!(1), &json!(0), &json!(1), &json!(1)]);
    let only = summary(&sue, &[("channel", &mail.0.to_string())]).await;
    assert_eq!((numbers(&only), &only["waiting_now"]), (numbers(of_mail), &json!(1)));
    let only = summary(&sue, &[("agent", &bo.id.to_string())]).await;
    assert_eq!(numbers(&only), [&json!(0), &json!(1), &json!(0), &json!(2)]);
    let points = fetch(&sue, "series", &[]).await.data();
    let points = points["points"].as_array().expect("points");
    assert_eq!((points.len(), keys(&points[0]).len()), (30, 8));
    assert_eq!(numbers(&points[29]), numbers(&day), "today");
    assert_eq!(points[0]["first_reply_median_s"], Value::Null);
}

#[tokio::test]
async fn a_reopened_conversation_is_not_counted_as_resolved() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let admin = office.admin().await;
    let ann = office.waiting("ann").await;
    admin.resolve(&ann.room()).await.data();
    assert_eq!(summary(&admin, &[]).await["resolved"], 1);
    let path = format!("/api/v2/customer_rooms/{}/reopen", ann.room());
    admin.post(&path, json!({})).await.data();
    let now = summary(&admin, &[]).await;
    assert_eq!((&now["resolved"], &now["opened"]), (&json!(0), &json!(1)));
    assert_eq!(now["resolve_s"]["median"], Value::Null);
}

#[tokio::test]
async fn days_and_hours_follow_the_time_zone_and_daylight_saving() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let admin = office.admin().await;
    let at = |text: &str| {
        let time = text.parse::<jiff::Timestamp>().expect("a time");
        Timestamp(time.as_microsecond())
    };
    // In Berlin these are 00:30, 03:30 and 23:45 of the day in spring that has 23 hours.
    for (time, count) in [
        ("2026-03-28T23:30:00Z", 1),
        ("2026-03-29T01:30:00Z", 2),
        ("2026-03-29T21:45:00Z", 4),
        ("2026-03-29T22:00:00Z", 8),
    ] {
        office.count_messages(at(time), count).await;
    }
    let series = async |zone: &str, by: &str| {
        let query = [("from", "2026-03-29"), ("until", "2026-03-30"), ("zone", zone), ("by", by)];
        let points = fetch(&admin, "series", &query).await.data()["points"].take();
        let point = |it: &Value| {
            (it["at"].as_str().expect("a time").to_owned(), it["messages_in"].as_i64())
        };
        points.as_array().expect("points").iter().map(point).collect::<Vec<_>>()
    };
    let days = series("Europe/Berlin", "day").await;
    let expected = [("2026-03-29T00:00:00+01:00", 7), ("2026-03-30T00:00:00+02:00", 8)];
    assert_eq!(days, expected.map(|(at, count)| (at.to_owned(), Some(count))));
    let hours = series("Europe/Berlin", "hour").await;
    assert_eq!(hours.len(), 47);
    assert_eq!(hours[2], ("2026-03-29T03:00:00+02:00".to_owned(), Some(2)));
    assert_eq!((hours[0].1, hours[22].1, hours[23].1), (Some(1), Some(4), Some(8)));
    // 21:45 UTC is the last quarter before 03:30 there.
    let hours = series("Asia/Kathmandu", "hour").await;
    assert_eq!(hours[27], ("2026-03-30T03:00:00+05:45".to_owned(), Some(12)));
    assert_eq!(series("Asia/Kathmandu", "day").await[0].1, Some(3));
    office.set("timezone", "Asia/Jakarta").await;
    let own = summary(&admin, &[("from", "2026-03-29"), ("until", "2026-03-29")]).await;
    assert_eq!((&own["zone"], &own["messages_in"]), (&json!("Asia/Jakarta"), &json!(3)));
    assert_eq!((&own["from"], &own["until"]), (&json!("2026-03-29"), &json!("2026-03-29")));
}

#[tokio::test]
async fn csv_exports_escape_names_that_look_like_formulas() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let admin = office.admin().await;
    let bo = office.agent("=\"Bo\", 1").await;
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    reply(&bo, &ann).await;
    let table = fetch(&admin, "export.csv", &[("of", "agents")]).await;
    assert_eq!((table.status, table.header("content-type")), (200, "text/csv; charset=utf-8"));
    assert!(table.header("content-disposition").starts_with("attachment; filename=\"agents-"));
    let row = table.text.lines().find(|line| line.starts_with(&bo.id.to_string())).expect("a row");
    assert!(row.contains(",\"'=\"\"Bo\"\", 1\",0,0,0,1,1,0,0,0,,"), "{row}");
    let table = fetch(&admin, "export.csv", &[("of", "channels")]).await;
    assert!(table.text.contains(",\"Shop\",1,0,1,1,"), "{}", table.text);
    let table = fetch(&admin, "export.csv", &[]).await;
    assert_eq!(table.text.lines().count(), 31);
    assert!(table.text.lines().last().expect("today").contains(",1,0,1,1,"), "{}", table.text);
}

#[tokio::test]
async fn analytics_are_refused_to_agents_and_outsiders_and_for_invalid_parameters() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    office.waiting("ann").await;
    let other = World::of_app(&server, &server.create_app("other").await).await;
    let eve = other.admin().await;
    for call in CALLS {
        fetch(&bo, call, &[]).await.errors(403, "forbidden");
        let path = format!("/api/v2/analytics/{call}");
        sent(server.bare(Method::GET, &path)).await.errors(401, "unauthorized");
        for (name, value) in [
            ("from", "2026-02-30"),
            ("from", "yesterday"),
            ("from", "9999-12-31"),
            ("until", "20261116"),
            ("until", "9999-12-31"),
            ("zone", "Nowhere/Land"),
            ("channel", "x"),
            ("agent", "-1"),
            ("by", "minute"),
            ("of", "everything"),
        ] {
            let answer = fetch(&admin, call, &[(name, value)]).await;
            answer.errors(400, "invalid_request").says(name);
        }
        let long = [("from", "2024-01-01"), ("until", "2026-01-01")];
        fetch(&admin, call, &long).await.errors(400, "invalid_request").says("400 days");
    }
    let hourly = [("from", "2026-01-01"), ("until", "2026-04-01"), ("by", "hour")];
    fetch(&admin, "series", &hourly).await.errors(400, "invalid_request").says("62 days");
    let theirs = summary(&eve, &[]).await;
    assert_eq!(numbers(&theirs), [&json!(0), &json!(0), &json!(0), &json!(0)]);
    let channel = office.channel.0.to_string();
    assert_eq!(summary(&eve, &[("channel", &channel)]).await["opened"], 0);
    let rows = fetch(&eve, "agents", &[("agent", &bo.id.to_string())]).await.data();
    assert_eq!(rows["agents"], json!([]));
}

#[tokio::test]
async fn rebuilding_analytics_returns_the_same_numbers() {
    let folder = Folder::new();
    let server = folder.serve();
    let caller = server.first_app();
    let office = Office::of(&caller);
    let admin = first_admin(&caller, &server.greeting()).await;
    let body = json!({
        "name": "bo", "email": office.email("bo"), "password": PASSWORD, "type": "agent",
    });
    admin.post("/api/v2/admin/create_agent", body).await.data();
    let bo = office.sign_in("bo").await;
    let body = json!({"name": "Shop"});
    let made = admin.post("/api/v2/custom_channels", body).await.data();
    let key = made["custom_channel"]["identifier_key"].as_str().expect("a key").to_owned();
    let mut rooms = Vec::new();
    for name in ["ann", "ben", "cid"] {
        rooms.push(write(&caller, &key, name).await);
    }
    write(&caller, &key, "ann").await;
    for room in &rooms[..2] {
        let body = json!({"room_id": room, "agent_id": bo.id});
        admin.post("/api/v1/admin/service/assign_agent", body).await.data();
        let path = format!("/api/v2/customer_rooms/{room}/messages");
        bo.post(&path, json!({"message": "hello"})).await.data();
        bo.resolve_own(room).await.data();
    }
    let path = format!("/api/v2/customer_rooms/{}/reopen", rooms[0]);
    admin.post(&path, json!({})).await.data();
    let before = all_analytics(&admin).await;
    assert_eq!(before[0]["summary"]["messages_in"], 4);
    let code = caller.code.as_str();
    let output = folder.run(&["analytics", "rebuild", "--app", code]).ok();
    assert!(output.contains("Rebuilt the analytics"), "{output}");
    assert_eq!(all_analytics(&admin).await, before);
    bo.resolve_own(&rooms[0]).await.data();
    admin.resolve(&rooms[2]).await.data();
    assert_eq!(summary(&admin, &[]).await["resolved"], 3, "the running server still counts");
    folder.run(&["analytics", "rebuild", "--app", "nobody"]).failed(1);
}

/// Signs in the first admin by the link that the first start printed.
async fn first_admin(caller: &Caller, greeting: &str) -> Worker {
    let (_, rest) = greeting.split_once("/dashboard/sign-in#").expect("a link");
    let code = rest.split_whitespace().next().expect("a code");
    let request = caller.bare(Method::POST, "/api/v2/sign_in").header("x-confab", "1");
    let answer = sent(with_json(request, &json!({"code": code}))).await;
    let cookie = answer.header("set-cookie").split(';').next().expect("a cookie").to_owned();
    let (_, token) = cookie.split_once('=').expect("a token");
    let id = answer.data()["user"]["id"].as_i64().expect("an id");
    Worker { caller: caller.clone(), token: token.to_owned(), id }
}

async fn write(caller: &Caller, key: &str, name: &str) -> String {
    let path = format!("/{}/api/v2/custom_channel/send", caller.code);
    let body = json!({"identifier_key": key, "user_id": name, "name": name, "message": "hello"});
    let sent = sent(with_json(caller.bare(Method::POST, &path), &body)).await.data();
    sent["room_log"]["room_id"].as_str().expect("a room").to_owned()
}

/// Returns the responses of all calls for the default period.
async fn all_analytics(by: &Worker) -> Vec<Value> {
    let mut shown = Vec::new();
    for call in ["summary", "series", "agents", "channels"] {
        shown.push(fetch(by, call, &[]).await.data());
    }
    shown
}
