//! Office hours and automatic replies (design/support).

use jiff::ToSpan;
use serde_json::{Value, json};

use crate::support::answer::{each, text};
use crate::support::office::Office;
use crate::support::shop::Shop;
use crate::support::test_server::TestServer;
use crate::support::world::World;

const HOURS: &str = "/api/v1/admin/office_hours";

fn period(day: i8) -> Value {
    json!({"day": day, "starttime": "00:00", "endtime": "23:59"})
}

/// Returns office hours of all seven days.
fn always() -> Value {
    json!((0..7).map(period).collect::<Vec<_>>())
}

/// Returns office hours of one day that is neither today nor adjacent.
fn another_day() -> Value {
    let today = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date();
    let later = today + 3.days();
    json!([period(later.weekday().to_sunday_zero_offset())])
}

async fn set(office: &Office, body: Value) -> Value {
    office.post(HOURS, body).await.data()
}

#[tokio::test]
async fn office_hours_are_set_and_returned_in_the_format_of_clients() {
    let server = TestServer::start().await;
    let office = Office::of(&server);
    let none = office.get(HOURS, &[]).await.data();
    let expected = json!({
        "online_message": null, "offline_message": null, "timezone": "+00:00",
        "timezone_name": "UTC", "send_online_if_resolved": false,
        "send_offline_each_message": false, "office_hours": [],
    });
    assert_eq!(none, expected);
    let body = json!({
        "timezone": "Asia/Jakarta", "online_message": "Welcome", "offline_message": "Closed",
        "send_offline_each_message": true,
        "office_hours": [
            {"day": 2, "starttime": "09:00", "endtime": "17:00"},
            {"day": 1, "starttime": "13:00", "endtime": "24:00"},
            {"day": 1, "starttime": "09:00", "endtime": "12:00"},
        ],
    });
    let shown = set(&office, body).await;
    assert_eq!(
        (&shown["timezone"], &shown["timezone_name"]),
        (&json!("+07:00"), &json!("Asia/Jakarta"))
    );
    assert_eq!(each(&shown["office_hours"], "starttime"), ["09:00", "13:00", "09:00"]);
    assert_eq!(each(&shown["office_hours"], "endtime"), ["12:00", "23:59", "17:00"]);
    assert_eq!(
        (&shown["office_hours"][0]["id"], &shown["office_hours"][0]["day"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(office.get(HOURS, &[]).await.data(), shown);
    let kept = set(&office, json!({"timezone": "+05:30", "office_hours": []})).await;
    assert_eq!((&kept["timezone"], &kept["offline_message"]), (&json!("+05:30"), &json!("Closed")));
    assert_eq!(
        (&kept["office_hours"], &kept["send_offline_each_message"]),
        (&json!([]), &json!(true))
    );
    let admin = office.hire("ada", "admin").await;
    let user = admin.get("/api/v1/admin/get_profile", &[]).await.data();
    let config = &user["app"]["app_config"];
    assert_eq!(
        (&config["online_message"], &config["timezone"]),
        (&json!("Welcome"), &json!("+05:30"))
    );
    assert_eq!(config["send_offline_each_message"], true);
    let other = Office::of(&server.create_app("other").await);
    assert_eq!(other.get(HOURS, &[]).await.data(), expected);
}

#[tokio::test]
async fn invalid_office_hours_are_refused_with_the_field() {
    let server = TestServer::start_quiet().await;
    let office = Office::of(&server);
    let hours = |day: Value, from: &str, to: &str| {
        let period = json!({"day": day, "starttime": from, "endtime": to});
        json!({"office_hours": [period]})
    };
    let overlap = json!({"office_hours": [
        {"day": 1, "starttime": "09:00", "endtime": "12:00"},
        {"day": 1, "starttime": "11:00", "endtime": "13:00"},
    ]});
    for (body, field) in [
        (json!({"timezone": "Mars/Base"}), "timezone"),
        (json!({"timezone": "+25:00"}), "timezone"),
        (hours(json!(7), "09:00", "10:00"), "office_hours[0].day"),
        (hours(json!(-1), "09:00", "10:00"), "office_hours[0].day"),
        (hours(json!(1), "9", "10:00"), "office_hours[0]"),
        (hours(json!(1), "17:00", "09:00"), "office_hours[0]"),
        (overlap, "office_hours"),
        (json!({"office_hours": "x"}), "office_hours"),
        (json!({"office_hours": [7]}), "office_hours[0]"),
        (json!({"office_hours": [{}]}), "office_hours[0].day"),
        (json!({"online_message": "x".repeat(4001)}), "online_message"),
        (json!({"send_online_if_resolved": "maybe"}), "send_online_if_resolved"),
    ] {
        office.post(HOURS, body).await.errors(400, "invalid_request").says(field);
    }
    assert_eq!(office.get(HOURS, &[]).await.data()["office_hours"], json!([]));
}

#[tokio::test]
async fn the_first_message_of_a_session_gets_one_automatic_reply_in_the_channel() {
    let shop = Shop::open().await;
    set(&shop, json!({"online_message": "Welcome!", "offline_message": "We are closed."})).await;
    set(&shop, json!({"office_hours": always()})).await;
    let room = shop.room_of("ana").await;
    assert_eq!(shop.server.texts(&room).await, ["Welcome!", "hello"]);
    let webhook = shop.gateway.next().await.json();
    let message = &webhook["payload"]["message"];
    assert_eq!((&message["text"], &message["type"]), (&json!("Welcome!"), &json!("text")));
    assert_eq!(webhook["payload"]["from"]["name"], "System");
    let kinds = ["new_session", "agent_allocation", "bot", "channel_message"];
    assert_eq!(shop.kinds().await, kinds);
    let shown = shop.get(&format!("/api/v2/customer_rooms/{room}"), &[]).await.data();
    let shown = &shown["customer_room"];
    assert_eq!((&shown["unread_count"], &shown["is_waiting"]), (&json!(1), &json!(true)));
    assert_eq!(shown["last_comment_sender_type"], "system", "no agent has answered yet");
    shop.write("ana", "more").await.data();
    assert_eq!(
        shop.server.texts(&room).await,
        ["more", "Welcome!", "hello"],
        "one reply for each session"
    );
}

#[tokio::test]
async fn outside_office_hours_the_offline_reply_is_sent_once_or_each_time() {
    let shop = Shop::without_webhooks().await;
    let body = json!({"online_message": "Welcome!", "offline_message": "We are closed."});
    set(&shop, body).await;
    set(&shop, json!({"office_hours": another_day()})).await;
    let room = shop.room_of("ana").await;
    shop.write("ana", "more").await.data();
    assert_eq!(shop.server.texts(&room).await, ["more", "We are closed.", "hello"]);
    set(&shop, json!({"send_offline_each_message": true})).await;
    shop.write("ana", "again").await.data();
    assert_eq!(shop.server.texts(&room).await[..2], ["We are closed.", "again"]);
}

#[tokio::test]
async fn a_resolved_customer_is_welcomed_again_only_if_configured() {
    let shop = Shop::without_webhooks().await;
    set(&shop, json!({"online_message": "Welcome!"})).await;
    let (admin, room) = (shop.admin().await, shop.room_of("ana").await);
    admin.resolve(&room).await.data();
    shop.write("ana", "me again").await.data();
    assert_eq!(shop.server.texts(&room).await[0], "me again");
    set(&shop, json!({"send_online_if_resolved": true})).await;
    admin.resolve(&room).await.data();
    shop.write("ana", "and again").await.data();
    assert_eq!(shop.server.texts(&room).await[..2], ["Welcome!", "and again"]);
}

#[tokio::test]
async fn replies_of_a_channel_take_precedence_over_those_of_the_app() {
    let shop = Shop::without_webhooks().await;
    let other = World::of_app(&shop.server, &shop.server.create_app("other").await).await;
    set(&shop, json!({"online_message": "From the app", "send_offline_each_message": true})).await;
    let path = format!("/api/v2/channels/{}/configs", shop.channel);
    let configs = shop.get(&path, &[("source", "custom")]).await.data()["configs"].take();
    assert_eq!(configs["online_message"], "From the app");
    let body = json!({"source": "custom", "online_message": "From the channel"});
    let configs = shop.post(&path, body).await.data()["configs"].take();
    assert_eq!(configs["online_message"], "From the channel");
    assert_eq!(
        (&configs["offline_message"], &configs["send_offline_each_message"]),
        (&Value::Null, &json!(true))
    );
    let room = shop.room_of("ana").await;
    assert_eq!(shop.server.texts(&room).await[0], "From the channel");
    shop.post(&path, json!({"online_message": ""})).await.data();
    let silent = shop.room_of("ben").await;
    assert_eq!(shop.server.texts(&silent).await, ["hello"], "an empty text means no reply");
    let (admin, bo) = (shop.admin().await, shop.agent("Bo").await);
    bo.post(&path, json!({"online_message": "x"})).await.errors(403, "forbidden");
    bo.get(&path, &[]).await.errors(403, "forbidden");
    admin.get(&path, &[]).await.data();
    for stranger in [&other.admin().await] {
        stranger.get(&path, &[]).await.errors(404, "channel_not_found");
        stranger
            .post(&path, json!({"online_message": "evil"}))
            .await
            .errors(404, "channel_not_found");
    }
    let wrong = admin.post(&path, json!({"send_online_if_resolved": "x"})).await;
    wrong.errors(400, "invalid_request");
    admin.get("/api/v2/channels/x/configs", &[]).await.errors(404, "channel_not_found");
    assert_eq!(text(&admin.get(&path, &[]).await.data()["configs"]["online_message"]), "");
}
