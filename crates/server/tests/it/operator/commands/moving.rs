//! `confab export` and `confab import`: an app moves to another server unchanged; truncated,
//! invalid or interrupted imports are reported and can be resumed (D-0173, design/moving).

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::process::Command;

use confab_test_servers::receiver::Receiver;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::answer::{each, items, text};
use crate::support::caller::{Caller, sent, with_json};
use crate::support::client::Client;
use crate::support::engine::is_postgres;
use crate::support::hooks::Hooks;
use crate::support::office::{Office, Worker};
use crate::support::process::{Confab, Ended, Folder};
use crate::support::waiting::until;

/// Flags for a file whose agents already exist in the app.
const MATCHED: &[&str] = &["--match-agents"];
/// Flags for a file that is imported again.
const JOINED: &[&str] = &["--match-agents", "--join-rooms"];

/// Stops a server gracefully, so that everything is on disk.
fn stop(server: Confab) {
    server.signal("TERM");
    assert!(server.ended().success());
}

/// Returns the lines of an app's export.
fn exported(folder: &Folder, app: &str) -> Vec<Value> {
    let lines = folder.run(&["export", app, "-"]).ok();
    lines.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

fn of_kind<'a>(lines: &'a [Value], kind: &str) -> Vec<&'a Value> {
    lines.iter().filter_map(|line| line.get(kind)).collect()
}

/// Returns the lines without what each server assigns itself: ids of channels, names of agents, and
/// when agents and System were created. Lines other than messages are sorted.
fn comparable(lines: &[Value]) -> (Vec<String>, Vec<String>) {
    let mut names: Vec<(String, String)> = Vec::new();
    for channel in of_kind(lines, "channel") {
        // The options of a customer's room are a string, so ids in them do not change.
        for key in ["\"id\"", "\"channel\"", "\"customer_channel\""] {
            let shown = |value: &Value| format!("{key}:{value}");
            names.push((shown(&channel["id"]), shown(&channel["name"])));
        }
    }
    for user in of_kind(lines, "user").into_iter().filter(|it| it.get("agent").is_some()) {
        names.push((user["user"].to_string(), user["agent"].to_string()));
    }
    let mut shown: Vec<_> = (1..)
        .zip(lines)
        .map(|(number, line)| {
            let mut line = line.clone();
            let made_here =
                |it: &&mut Value| it.get("agent").is_some() || it.get("is_system").is_some();
            if let Some(user) = line.get_mut("user").filter(made_here) {
                *user = user["user"].take();
            }
            if let Some(head) = line.get_mut("confab_export") {
                head["made_at"] = json!("then");
            }
            let is_message = line.get("message").is_some();
            let shown = names
                .iter()
                .fold(line.to_string(), |shown, (id, name)| shown.replace(id.as_str(), name));
            (is_message, number, shown)
        })
        .collect();
    let messages = shown.extract_if(.., |(is_message, ..)| *is_message).map(|it| it.2).collect();
    let mut others: Vec<_> = shown.into_iter().map(|(_, _, line): (bool, u64, _)| line).collect();
    others.sort();
    (messages, others)
}

/// Posts a customer's message through a custom channel; returns the room.
async fn customer_writes(app: &Caller, key: &str, user: &str, message: &str) -> String {
    let body = json!({"identifier_key": key, "user_id": user, "name": "Cora", "message": message});
    let request = app.bare(Method::POST, "/shop/api/v2/custom_channel/send");
    let room = sent(with_json(request, &body)).await.data()["room_log"]["room_id"].take();
    text(&room).to_owned()
}

/// Creates rooms of all kinds, messages of several types, and a customer with two conversations;
/// returns the customer's room.
async fn furnish(app: &Caller) -> String {
    app.furnish().await;
    let body = json!({
        "user_id": "cleo", "username": "Cléo", "avatar_url": "https://cdn.example/c.png",
        "extras": {"vip": 1.50},
    });
    app.post("login_or_register", body).await.results();
    app.post("get_or_create_room_with_target", json!({"user_ids": ["ana", "cleo"]}))
        .await
        .results();
    let body = json!({"unique_id": "news", "room_name": "News", "participants": ["bob"]});
    app.post("get_or_create_channel", body).await.results();
    app.post_comment("ana", "support", "hello").await;
    let custom = r#"{"user_id":"bob","room_id":"support","type":"custom",
        "payload":{"type":"x","content":{"price":1.50,"a":null}},"extras":{"n":1e3}}"#;
    app.post_text("post_comment", custom).await.results();
    app.post_as_unique("cleo", "news", "breaking \u{2028} \"news\"", "tmp-1").await.results();
    let gone = app.post_comment("bob", "support", "gone").await;
    app.delete_messages(&[text(&gone["unique_temp_id"])]).await.results();
    app.post_system_event("support", "it happened").await;
    app.post_comment("bob", "support", "bye").await;
    app.delete("deactivate_users", json!({"user_ids": ["cleo"]})).await.results();

    let office = Office::of(app);
    let admin = office.hire("rosa", "admin").await;
    let agent = office.hire("budi", "agent").await;
    let body = json!({"name": "SMS", "webhook_url": "http://127.0.0.1:8099/answers"});
    let made = admin.post("/api/v2/custom_channels", body).await.data();
    let key = text(&made["custom_channel"]["identifier_key"]).to_owned();
    let room = customer_writes(app, &key, "cora", "my ORDER 1024 is late").await;
    admin.resolve(&room).await.data();
    customer_writes(app, &key, "cora", "it is still late").await;
    office.assign_room(&room, &agent).await.data();
    room
}

/// Creates an app on another server with agents of the same names.
async fn staffed(folder: &Folder) -> Folder {
    let target = Folder::with_database(match folder.database() {
        Some(_) => crate::support::engine::new_database(),
        None => None,
    });
    let target = target.and_app().await;
    let server = target.serve();
    let office = Office::of(&server.shop());
    office.create("rosa", "admin").await;
    office.create("budi", "agent").await;
    stop(server);
    target
}

async fn conversation(by: &Worker, room: &str) -> Vec<String> {
    let page = by.get(&format!("/api/v2/customer_rooms/{room}/messages"), &[]).await.json();
    each(&page["data"]["comments"], "message").into_iter().map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_exported_app_is_imported_unchanged_on_another_server() {
    let folder = Folder::with_app().await;
    let server = folder.serve();
    let app = server.shop();
    let old_room = furnish(&app).await;
    let texts = app.texts("support").await;
    let customer_said = conversation(&Office::of(&app).sign_in("rosa").await, &old_room).await;
    let while_serving = folder.run(&["export", "shop", "serving.jsonl"]).ok();
    assert!(while_serving.contains("4 rooms"), "{while_serving}");
    stop(server);
    let said = folder.run(&["export", "shop", "shop.jsonl"]).ok();
    assert!(said.contains("1 channels") && said.contains("2 sessions"), "{said}");
    let file = folder.path().join("shop.jsonl");
    let file = file.to_str().expect("text");
    let lines = exported(&folder, "shop");
    let whole = fs::read_to_string(file).expect("text");
    assert!(!whole.contains("sdk-secret") && !whole.contains("password"), "no secrets");
    let refused = folder.run(&["export", "shop", "shop.jsonl"]).failed(1);
    assert!(refused.contains("exists already"), "{refused}");

    let target = staffed(&folder).await;
    let counts = said.split(": ").nth(1).expect("counts").split(" in ").next().expect("counts");
    let messages = lines.iter().filter(|it| it.get("message").is_some()).count();
    for (new, flags) in [(messages, MATCHED), (0, JOINED)] {
        let said = target.run(&[&["import", "shop", file][..], flags].concat()).ok();
        assert!(said.contains(counts), "{said}, not {counts}");
        let expected = format!("New messages: {new}.");
        assert!(said.contains(&expected), "{said}, not {expected}");
        let (moved, given) = (comparable(&exported(&target, "shop")), comparable(&lines));
        assert_eq!(moved.0, given.0, "messages");
        moved.1.iter().zip(&given.1).for_each(|(moved, given)| assert_eq!(moved, given));
        assert_eq!(moved.1.len(), given.1.len());
    }

    let moved = target.serve();
    let app = moved.shop();
    assert_eq!(app.texts("support").await, texts);
    assert_eq!(app.unread("bob", "support").await, 0, "posting marks earlier messages as read");
    let support = app.get("get_rooms_info", &[("room_ids[]", "support")]).await.results();
    let support = text(&support["rooms"][0]["room_id"]).to_owned();
    assert_eq!(Client::of(&app, "ana").await.texts(&support).await.len(), texts.len());
    let pair = json!({"user_ids": ["ana", "bob"]});
    let pair = app.post("get_or_create_room_with_target", pair).await.results();
    assert_ne!(pair["room"]["room_id"], json!(support), "a single room per pair of users");
    let news = "breaking \u{2028} \"news\"";
    app.post_as_unique("cleo", "news", news, "tmp-1").await.results();
    app.post_as_unique("bob", "news", "twice", "tmp-1").await.refused(409, "unique_id_taken");
    assert_eq!(app.texts("news").await, [news], "the unique id of an imported message is taken");
    let gone = &of_kind(&lines, "message");
    let gone = gone.iter().find(|it| it.get("is_deleted").is_some()).expect("a deleted one");
    assert_eq!(gone["text"], "");

    let office = Office::of(&app);
    let (admin, agent) = (office.sign_in("rosa").await, office.sign_in("budi").await);
    let listed = admin.get("/api/v2/customer_rooms", &[]).await.json();
    let rooms = items(&listed["data"]["customer_rooms"]);
    assert_eq!(rooms.len(), 1, "{listed}");
    let room = text(&rooms[0]["room_id"]).to_owned();
    assert_eq!(conversation(&admin, &room).await, customer_said);
    assert_eq!(conversation(&agent, &room).await, customer_said, "the agent stays assigned");
    let found = until("imported messages are found by search", async || {
        let page = admin.get("/api/v2/search", &[("q", "order")]).await.json();
        (!items(&page["data"]["messages"]).is_empty()).then_some(page)
    })
    .await;
    assert_eq!(found["data"]["messages"][0]["text_cut"], "my ORDER 1024 is late");
    app.post_comment("ana", "support", "and on").await;
    assert_eq!(app.texts("support").await[0], "and on");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_import_sends_no_webhooks_and_changes_no_other_app() {
    let folder = Folder::with_app().await;
    let server = folder.serve();
    server.shop().furnish().await;
    server.shop().post_comment("ana", "support", "long ago").await;
    stop(server);
    folder.run(&["export", "shop", "shop.jsonl"]).ok();
    let file = folder.path().join("shop.jsonl");
    let file = file.to_str().expect("text");

    let target = Folder::with_app().await;
    target.run(&["app", "create", "cafe"]).ok();
    let hooks = Receiver::start().await;
    let server = target.serve();
    let body = json!({"url": format!("{}/all", hooks.base)});
    Hooks::of(&server.shop()).put("/endpoints/chat_message", body).await.data();
    stop(server);
    let before = exported(&target, "cafe");
    let missing = target.run(&["import", "nobody", file]).failed(1);
    assert!(missing.contains("there is no app nobody"), "{missing}");
    target.run(&["import", "shop", file]).ok();
    let after = exported(&target, "cafe");
    assert_eq!(comparable(&after), comparable(&before));
    let server = target.serve();
    server.shop().post_comment("bob", "support", "now").await;
    let received = hooks.next().await;
    let received = String::from_utf8_lossy(received.body());
    assert!(received.contains("now") && !received.contains("long ago"), "{received}");
}

/// Returns the lines of a file with this many messages in one room.
fn many(messages: usize) -> Vec<String> {
    let time = "2020-01-31T10:00:00.000000Z";
    let head = json!({"confab_export": {"version": 1, "app": "old", "made_at": time}});
    let user = json!({"user": {
        "user": "ana", "username": "Ana", "avatar_url": "", "is_active": true,
        "created_at": time, "updated_at": time,
    }});
    let room = json!({"room": {
        "unique_id": "long", "kind": "group", "name": "Long", "avatar_url": "", "options": "",
        "created_at": time, "updated_at": time,
    }});
    let participant = json!({"participant": {
        "room": "long", "user": "ana", "read_number": messages, "joined_at": time,
    }});
    let said = (1..=messages).map(|number| {
        json!({"message": {
            "room": "long", "unique_id": format!("old-{number}"), "user": "ana", "type": "text",
            "text": number.to_string(), "posted_at": time,
        }})
    });
    let end = json!({"end": {
        "channels": 0, "users": 1, "rooms": 1, "participants": 1, "messages": messages,
        "sessions": 0,
    }});
    let all = [head, user, room, participant].into_iter().chain(said).chain([end]);
    all.map(|line| line.to_string()).collect()
}

fn texts(lines: &[Value]) -> Vec<usize> {
    let said = of_kind(lines, "message");
    said.iter().map(|it| text(&it["text"]).parse().expect("a number")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_import_is_resumed_without_repeating_messages() {
    let folder = Folder::with_app().await;
    let lines = many(2_000);
    folder.write("whole.jsonl", &(lines.join("\n") + "\n"));
    let pipe = folder.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo runs").success());
    let importing = folder.start(&["import", "shop", "pipe"], &[]);
    let mut into = fs::File::options().write(true).open(&pipe).expect("the command reads the pipe");
    into.write_all((lines[..1_600].join("\n") + "\n").as_bytes()).expect("read");
    until("some messages are imported", async || {
        (texts(&exported(&folder, "shop")).len() >= 1_500).then_some(())
    })
    .await;
    importing.kill();
    drop(into);
    let far = texts(&exported(&folder, "shop"));
    assert_eq!(far, (1..=far.len()).collect::<Vec<_>>());
    assert!(far.len() < 1_600, "the import was killed before its end: {}", far.len());
    let refused = folder.run(&["import", "shop", "whole.jsonl"]).failed(1);
    assert!(refused.contains("line 3 ") && refused.contains("--join-rooms"), "{refused}");
    let said = folder.run(&["import", "shop", "whole.jsonl", "--join-rooms"]).ok();
    let left = 2_000 - far.len();
    assert!(said.contains(&format!("New messages: {left}.")), "{said}");
    assert_eq!(texts(&exported(&folder, "shop")), (1..=2_000).collect::<Vec<_>>());
    let server = folder.serve();
    assert_eq!(server.shop().texts("long").await[..2], ["2000", "1999"]);
    assert_eq!(server.shop().unread("ana", "long").await, 0);
    assert_eq!(server.shop().load_comments("long").await[0]["timestamp"], "2020-01-31T10:00:00Z");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_truncated_or_invalid_file_is_refused_with_its_line_and_commit_undone() {
    let folder = Folder::with_app().await;
    let lines = many(3);
    let import = |lines: &[String]| {
        folder.write("file.jsonl", &(lines.join("\n") + "\n"));
        folder.run(&["import", "shop", "file.jsonl", "--join-rooms"])
    };
    let with = |at: usize, line: &str| {
        let mut changed = lines.clone();
        line.clone_into(&mut changed[at]);
        changed
    };
    let said = import(&lines[1..]).failed(1);
    assert!(said.contains("line 1 is not the first line of a file of `confab export`"), "{said}");
    let said = import(&with(6, &lines[6].replace("text", "song"))).failed(1);
    assert!(said.contains("line 7 ") && said.contains("from line 5 on"), "{said}");
    assert_eq!(texts(&exported(&folder, "shop")), [0; 0]);
    let said = import(&with(6, &lines[6].replace("\"ana\"", "\"eve\""))).failed(1);
    assert!(said.contains("line 7 names user eve") && said.contains("from line 5 on"), "{said}");
    assert_eq!(texts(&exported(&folder, "shop")), [0; 0]);
    let said = import(&lines[..6]).failed(1);
    assert!(said.contains("the file is truncated") && said.contains("2 messages"), "{said}");
    assert_eq!(texts(&exported(&folder, "shop")), [1, 2]);
    let half = lines.join("\n");
    folder.write("file.jsonl", &half[..half.len() - 5]);
    let said = folder.run(&["import", "shop", "file.jsonl", "--join-rooms"]).failed(1);
    assert!(said.contains("the file is truncated"), "{said}");
    let said = import(&with(7, &lines[7].replace("\"messages\":3", "\"messages\":4"))).failed(1);
    assert!(said.contains("4 messages") && said.contains("3 messages"), "{said}");
    let more = [lines.clone(), lines[4..5].to_vec()].concat();
    let said = import(&more).failed(1);
    assert!(said.contains("line 9 is after the last line"), "{said}");
    import(&lines).ok();
    assert_eq!(texts(&exported(&folder, "shop")), [1, 2, 3]);
    let again = ["import", "shop", "-", "--join-rooms"];
    let said = folder.run_with_input(&again, &(lines.join("\n") + "\n")).ok();
    assert!(said.contains("New messages: 0."), "{said}");
    if !is_postgres() {
        let server = folder.serve();
        let said = folder.run(&["import", "shop", "file.jsonl"]).failed(1);
        assert!(said.contains("another confab server uses"), "{said}");
        drop(server);
    }
}

/// Returns the data that the message API provides: users, rooms, participants and messages, in
/// order.
fn given(lines: &[Value]) -> BTreeMap<String, Vec<String>> {
    let mut given: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut add = |kind: &str, what: String| given.entry(kind.to_owned()).or_default().push(what);
    // Each server has its own System user.
    for user in of_kind(lines, "user").into_iter().filter(|it| it.get("is_system").is_none()) {
        let created = text(&user["created_at"]).split('.').next().expect("a time");
        let extras = user.get("extras").map_or("{}".to_owned(), Value::to_string);
        add("users", format!("{} {} {created} {extras}", user["user"], user["username"]));
    }
    for room in of_kind(lines, "room") {
        add("rooms", format!("{} {} {}", room["unique_id"], room["kind"], room["name"]));
    }
    for it in of_kind(lines, "participant") {
        add("participants", format!("{} {}", it["room"], it["user"]));
    }
    for it in of_kind(lines, "message").into_iter().filter(|it| it.get("is_deleted").is_none()) {
        let time = text(&it["posted_at"]).split('.').next().expect("a time");
        let (payload, extras) = (it.get("payload"), it.get("extras"));
        let what = format!(
            "{} {} {} {time} {payload:?} {extras:?}",
            it["unique_id"], it["user"], it["text"]
        );
        add(&format!("said in {}", it["room"]), what);
    }
    for kind in ["users", "rooms", "participants"] {
        given.get_mut(kind).expect("some").sort();
    }
    given
}

/// Asserts that everything that the API provides is equal in both apps.
#[track_caller]
fn check_given(target: &Folder, source: &Folder) {
    let (moved, given) = (given(&exported(target, "shop")), given(&exported(source, "shop")));
    assert_eq!(moved.keys().collect::<Vec<_>>(), given.keys().collect::<Vec<_>>());
    for (kind, lines) in given {
        let pairs = moved[&kind].iter().zip(&lines);
        pairs.for_each(|(moved, given)| assert_eq!(moved, given, "{kind}"));
        assert_eq!(moved[&kind].len(), lines.len(), "{kind}");
    }
}

/// Imports the app shop of a running server into another folder.
fn import_from(server: &str, target: &Folder, flags: &[&str]) -> Ended {
    let from = ["--from-service", server, "--app-id", "shop", "--secret-file", "secret"];
    target.run(&[&["import", "shop"][..], &from[..], flags].concat())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_app_is_imported_from_a_running_server_by_its_message_api() {
    let folder = Folder::with_app().await;
    let server = folder.serve();
    let app = server.shop();
    app.furnish().await;
    app.register("cleo").await;
    let pair = json!({"user_ids": ["ana", "cleo"]});
    app.post("get_or_create_room_with_target", pair).await.results();
    for number in 1..=230 {
        app.post_comment("ana", "support", &number.to_string()).await;
    }
    let custom = r#"{"user_id":"bob","room_id":"support","type":"custom",
        "payload":{"type":"x","content":{"price":1.50}},"extras":{"n":1e3}}"#;
    app.post_text("post_comment", custom).await.results();
    app.post_system_event("support", "it happened").await;
    stop(server);

    // The rate limit is so low that the import has to wait.
    let server = folder.serve_with(&[], &[("CONFAB_APP_REQUESTS_PER_SECOND", "10")]);
    let target = Folder::with_app().await;
    target.write("secret", "sdk-secret-of-shop\n");
    let said = import_from(&server.base, &target, &[]).ok();
    assert!(said.contains("New messages: 232."), "{said}");
    check_given(&target, &folder);
    stop(server);

    let server = folder.serve();
    let app = server.shop();
    app.register("dora").await;
    app.create_room("later", &["dora"]).await;
    app.post_comment("dora", "later", "came later").await;
    app.post_comment("ana", "support", "as well").await;
    let said = import_from(&server.base, &target, &["--join-rooms"]).ok();
    assert!(said.contains("New messages: 2."), "{said}");
    check_given(&target, &folder);

    target.write("secret", "another\n");
    let said = import_from(&server.base, &target, &[]).failed(1);
    assert!(said.contains("get_user_list was refused (401") && !said.contains("another"), "{said}");
    let moved = target.serve();
    assert_eq!(moved.shop().texts("support").await, app.texts("support").await);
    assert_eq!(
        moved.shop().unread("bob", "support").await,
        1,
        "only messages posted later are unread"
    );
}

/// Returns a file with these lines between its header and its end.
fn file_of(lines: &[Value]) -> String {
    let time = "2020-01-31T10:00:00.000000Z";
    let head = json!({"confab_export": {"version": 1, "app": "old", "made_at": time}});
    let count = |kind| of_kind(lines, kind).len();
    let end = json!({"end": {
        "channels": count("channel"), "users": count("user"), "rooms": count("room"),
        "participants": count("participant"), "messages": count("message"),
        "sessions": count("session"),
    }});
    let all = [std::slice::from_ref(&head), lines, std::slice::from_ref(&end)].concat();
    all.iter().map(|line| format!("{line}\n")).collect()
}

fn user_line(user: &str) -> Value {
    let time = "2020-01-31T10:00:00.000000Z";
    json!({"user": {
        "user": user, "username": "Eve", "avatar_url": "", "is_active": true, "created_at": time,
        "updated_at": time,
    }})
}

fn room_line(room: &str) -> Value {
    let time = "2020-01-31T10:00:00.000000Z";
    json!({"room": {
        "unique_id": room, "kind": "group", "name": "", "avatar_url": "", "options": "",
        "created_at": time, "updated_at": time,
    }})
}

fn participant_line(room: &str, user: &str) -> Value {
    let time = "2020-01-31T10:00:00.000000Z";
    json!({"participant": {"room": room, "user": user, "read_number": 0, "joined_at": time}})
}

fn message_line(room: &str, user: &str, text: &str) -> Value {
    let time = "2020-01-31T10:00:00.000000Z";
    json!({"message": {
        "room": room, "unique_id": format!("old-{text}"), "user": user, "type": "text",
        "text": text, "posted_at": time,
    }})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn existing_rooms_and_agents_are_joined_only_with_a_flag() {
    let folder = Folder::with_app().await;
    let server = folder.serve();
    server.shop().furnish().await;
    let admin = Office::of(&server.shop()).hire("rosa", "admin").await;
    server.shop().post_comment("ana", "support", "between us").await;
    stop(server);
    let before = exported(&folder, "shop");
    let agents = of_kind(&before, "user");
    let agent = agents.iter().find(|it| it.get("agent").is_some()).expect("rosa").to_owned();
    let (speaker, email) = (text(&agent["user"]), text(&agent["agent"]));
    assert!(speaker.contains(&admin.id.to_string()), "{speaker}");
    let import = |lines: &[Value], flags: &[&str]| {
        folder.write("file.jsonl", &file_of(lines));
        folder.run(&[&["import", "shop", "file.jsonl"][..], flags].concat())
    };
    let mut impostor = user_line("somebody");
    impostor["user"]["agent"] = json!(email);
    let stranger = [user_line("eve"), participant_line("support", "eve")];
    let as_ana = [message_line("support", "ana", "1000 dollars, please")];
    let as_rosa =
        [impostor.clone(), room_line("new"), message_line("new", "somebody", "I am rosa")];
    for (lines, at, flag) in [
        (&stranger[..], "line 3 ", "--join-rooms"),
        (&as_ana[..], "line 2 ", "--join-rooms"),
        (&[room_line("support")][..], "line 2 ", "--join-rooms"),
        (&as_rosa[..], "line 2 ", "--match-agents"),
    ] {
        let said = import(lines, &[]).failed(1);
        assert!(said.contains(at) && said.contains(flag) && !said.contains(email), "{said}");
    }
    // With any flags, only a user's line identifies an agent.
    let as_speaker = [room_line("newer"), message_line("newer", speaker, "I am rosa, too")];
    let said = import(&as_speaker, JOINED).failed(1);
    assert!(said.contains("line 3 names user"), "{said}");
    let server = folder.serve();
    assert_eq!(server.shop().texts("support").await, ["between us"]);
    let room = server.shop().get("get_room_participants", &[("room_id", "support")]).await;
    assert!(!room.results().to_string().contains("eve"));
    stop(server);
    import(&stranger, &["--join-rooms"]).ok();
    import(&as_ana, &["--join-rooms"]).ok();
    import(&as_rosa, &["--match-agents"]).ok();
    let after = exported(&folder, "shop");
    let posted = of_kind(&after, "message");
    let posted = posted.iter().find(|it| it["text"] == "I am rosa").expect("imported");
    assert_eq!(posted["user"], json!(speaker));
    assert!(of_kind(&after, "participant").iter().any(|it| it["user"] == "eve"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_import_keeps_the_participant_limits_of_the_api() {
    let folder = Folder::with_app().await;
    let mut pair = room_line("pair");
    pair["room"]["kind"] = json!("single");
    let users = ["ana", "bob", "cid", "dan"];
    let mut lines: Vec<Value> = users.iter().map(|user| user_line(user)).collect();
    lines.push(pair);
    lines.extend(users[..2].iter().map(|user| participant_line("pair", user)));
    folder.write("two.jsonl", &file_of(&lines));
    folder.run(&["import", "shop", "two.jsonl"]).ok();
    folder.run(&["import", "shop", "two.jsonl", "--join-rooms"]).ok();
    lines.push(participant_line("pair", "cid"));
    folder.write("three.jsonl", &file_of(&lines));
    let said = folder.run(&["import", "shop", "three.jsonl", "--join-rooms"]).failed(1);
    assert!(said.contains("line 9 adds more than 2 participants"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn values_of_the_largest_allowed_size_are_moved_unchanged() {
    let folder = Folder::with_app().await;
    let server = folder.serve();
    let app = server.shop();
    app.furnish().await;
    let deep = format!("{}1{}", "[".repeat(61), "]".repeat(61));
    let body = format!(
        r#"{{"user_id":"ana","room_id":"support","type":"custom",
        "payload":{{"type":"x","content":{deep}}}}}"#
    );
    let posted = app.post_text("post_comment", body).await.results()["comment"].take();
    let event = format!(
        r#"{{"system_event_type":"custom","room_id":"support","message":"m",
        "payload":{{"a":{deep}}}}}"#
    );
    let event = app.post_text("post_system_event_message", event).await.results()["comment"].take();
    let long = "\u{1}".repeat(4_000);
    for (user, to) in [("ana", &posted), ("bob", &event)] {
        let body = json!({
            "user_id": user, "room_id": "support", "type": "reply", "message": long,
            "payload": {"text": long, "replied_comment_id": to["id"], "more": "a".repeat(40_000)},
        });
        app.post("post_comment", body).await.results();
    }
    let person = json!({
        "user_id": "ana", "room_id": "support", "type": "contact_person",
        "payload": {"name": "\u{1}".repeat(5_000), "value": "\u{1}".repeat(5_000)},
    });
    let person = app.post("post_comment", person).await.results()["comment"].take();
    let body = json!({
        "user_id": "ana", "room_id": "support", "type": "reply", "message": "r",
        "payload": {"text": "r", "replied_comment_id": person["id"]},
    });
    app.post("post_comment", body).await.results();
    let body = json!({
        "sender_user_id": "ana", "target_user_ids": ["bob"], "message": "to all",
        "unique_temp_id": "u".repeat(128),
    });
    app.post("broadcast", body).await.results();
    stop(server);
    let lines = exported(&folder, "shop");
    folder.run(&["export", "shop", "shop.jsonl"]).ok();
    let target = Folder::with_app().await;
    let file = folder.path().join("shop.jsonl");
    target.run(&["import", "shop", file.to_str().expect("text")]).ok();
    let (moved, given) = (comparable(&exported(&target, "shop")), comparable(&lines));
    assert!(moved == given, "the imported data is equal");
}

/// A deterministic random number generator.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

/// Replaces the value of one field of a line.
fn mutate(line: &mut Value, numbers: &mut Numbers) {
    let odd = [
        json!(null),
        json!(""),
        json!("a".repeat(5_000)),
        json!("javascript:alert(1)"),
        json!("9999-12-31T23:59:59Z"),
        json!(-7),
        json!(i64::MAX),
        json!(1e300),
        json!([[[]]]),
        json!({"a": "b".repeat(70_000)}),
        json!(true),
        json!("\u{0}"),
        json!("\u{1b}[2J\n"),
        json!("shop_1@dashboard"),
        json!("system@shop"),
        json!("support"),
        json!("ana"),
        json!("text"),
        json!("reply"),
        json!("system_event"),
        json!({"type": "x", "content": 1}),
    ];
    let Some(fields) = line.as_object_mut().and_then(|it| it.values_mut().next()) else { return };
    let Some(fields) = fields.as_object_mut() else { return };
    let key = fields.keys().nth(numbers.below(fields.len())).expect("a field").clone();
    match numbers.below(8) {
        0 => drop(fields.remove(&key)),
        1 => drop(fields.insert("odd".to_owned(), odd[numbers.below(odd.len())].clone())),
        _ => drop(fields.insert(key, odd[numbers.below(odd.len())].clone())),
    }
}

/// Number of mutated files.
const MUTATED_FILES: usize = 40;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mutated_file_is_imported_within_the_limits_or_refused() {
    let folder = Folder::with_app().await;
    let server = folder.serve();
    furnish(&server.shop()).await;
    stop(server);
    let lines = exported(&folder, "shop");
    let target = Folder::with_app().await;
    let (mut numbers, mut imported) = (Numbers(0x9e37_79b9_7f4a_7c15), 0);
    for round in 0..MUTATED_FILES {
        let mut lines = lines.clone();
        for _ in 0..=numbers.below(2) {
            let inner = lines.len() - 2;
            let at = 1 + numbers.below(inner);
            match numbers.below(6) {
                0 => drop(lines.remove(at)),
                1 => lines.swap(at, 1 + numbers.below(inner)),
                _ => mutate(&mut lines[at], &mut numbers),
            }
        }
        let mut text: Vec<u8> =
            lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect();
        if numbers.below(4) == 0 {
            let at = numbers.below(text.len());
            text[at] = numbers.below(256) as u8;
        }
        fs::write(target.path().join("odd.jsonl"), &text).expect("written");
        let ended = target.run(&[&["import", "shop", "odd.jsonl"][..], JOINED].concat());
        match ended.code {
            Some(0) => imported += 1,
            Some(1) => {
                let is_told = ended.err.contains("line ") || ended.err.contains("the file ");
                assert!(is_told && !ended.err.contains("panicked"), "{round}: {}", ended.err);
                assert!(ended.err.len() < 2_000, "{round}: {}", ended.err);
            }
            _ => panic!("{round}: {:?} {}", ended.code, ended.err),
        }
    }
    assert!(imported < MUTATED_FILES, "some mutated files are refused");
    // Imported data is within the limits: its export can be imported completely.
    let lines = exported(&target, "shop");
    target.run(&["export", "shop", "again.jsonl"]).ok();
    let again = Folder::with_app().await;
    let file = target.path().join("again.jsonl");
    again.run(&["import", "shop", file.to_str().expect("text")]).ok();
    assert_eq!(exported(&again, "shop").len(), lines.len());
    let server = target.serve();
    assert!(!server.shop().texts("support").await.is_empty());
}

/// Starts a server that returns the same page of every list forever; returns its URL.
fn endless(comments: &'static str) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let base = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let (mut head, mut piece) = (Vec::new(), [0; 4096]);
            while !head.windows(4).any(|it| it == b"\r\n\r\n") {
                match std::io::Read::read(&mut stream, &mut piece) {
                    Ok(0) | Err(_) => break,
                    Ok(count) => head.extend_from_slice(&piece[..count]),
                }
            }
            let head = String::from_utf8_lossy(&head);
            let results = match () {
                () if head.contains("get_user_list") => r#"{"users":[{"user_id":"ana"}]}"#,
                () if head.contains("get_user_rooms") => {
                    r#"{"rooms":[{"room_id":"5","unique_id":"news","room_type":"group"}]}"#
                }
                () if head.contains("get_room_participants") => {
                    r#"{"participants":[{"user_id":"ana"}]}"#
                }
                () => comments,
            };
            let body = format!(r#"{{"results":{results},"status":200}}"#);
            let length = body.len();
            let answer = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\
                 content-length: {length}\r\nconnection: close\r\n\r\n{body}"
            );
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    base
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn importing_from_a_server_that_repeats_its_pages_ends() {
    let target = Folder::with_app().await;
    target.write("secret", "sdk-secret-of-shop\n");
    let service = endless(
        r#"{"comments":[{"id":7,"message":"hi","type":"text","payload":{},
        "timestamp":"2026-01-31T10:00:00Z","user":{"user_id":"ana"}}]}"#,
    );
    let said = import_from(&service, &target, &[]).ok();
    assert!(said.contains("New messages: 1."), "{said}");
    let refused = import_from(&service, &target, &[]).failed(1);
    assert!(refused.contains("--join-rooms"), "{refused}");
    let said = import_from(&service, &target, &["--join-rooms"]).ok();
    assert!(said.contains("New messages: 0."), "{said}");
}
