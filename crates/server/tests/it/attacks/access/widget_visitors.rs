//! Knowledge of a widget visitor's `user_id` gives no access to that visitor's chat (D-0070).

use reqwest::Method;
use serde_json::{Value, json};

use crate::attacks::set;
use crate::support::answer::{Answer, each, text};
use crate::support::caller::{Caller, sent};
use crate::support::client::{Client, identity_token};
use crate::support::test_server::TestServer;

/// A server with these app settings, and a widget visitor vera who has posted a message.
struct Chat {
    server: TestServer,
    /// Visitor secret that her browser received.
    secret: String,
    room: String,
}

impl Chat {
    async fn with_proof(proof: &str) -> Self {
        let server = TestServer::start().await;
        set(&server, json!({"visitor_proof": proof})).await.data();
        let first = match proof {
            "identity_token" => open_with_token(&server, "vera@mail.example").await,
            _ => open(&server, "vera@mail.example", json!({})).await,
        };
        let data = first.data();
        let vera = become_user(&server, &data).await;
        let room = text(&data["customer_room"]["room_id"]).to_owned();
        vera.says(&room, "my card number is", "first").await;
        Self { server, secret: text(&data["visitor_secret"]).to_owned(), room }
    }

    async fn open(&self, more: Value) -> Answer {
        open(&self.server, "vera@mail.example", more).await
    }
}

/// Opens the widget with a new nonce and these additional fields.
async fn open(caller: &Caller, user: &str, more: Value) -> Answer {
    let mut body = json!({
        "app_id": caller.code, "user_id": user, "name": "Vera", "nonce": caller.nonce().await,
    });
    for (field, value) in more.as_object().expect("fields") {
        body[field] = value.clone();
    }
    caller.initiate_chat(&body).await
}

/// Opens the widget with a token that the app's server created for this visit.
async fn open_with_token(caller: &Caller, user: &str) -> Answer {
    let nonce = caller.nonce().await;
    let token = identity_token(&caller.secret, &nonce, user, "Vera");
    open(caller, user, json!({"nonce": nonce, "identity_token": token})).await
}

/// Exchanges the response's identity token for the visitor's own token.
async fn become_user(caller: &Caller, opened: &Value) -> Client {
    let verified = caller.verify_identity(text(&opened["identity_token"])).await;
    let user = verified.results()["user"].take();
    let (user, token) = (text(&user["email"]).to_owned(), text(&user["token"]).to_owned());
    Client { caller: caller.clone(), user, token }
}

#[tokio::test]
async fn without_required_proof_the_id_alone_opens_the_chat_and_is_secure_is_false() {
    let chat = Chat::with_proof("none").await;
    let data = chat.open(json!({})).await.data();
    assert_eq!((&data["is_secure"], data.get("visitor_secret")), (&json!(false), None));
    let stranger = become_user(&chat.server, &data).await;
    assert_eq!(stranger.texts(&chat.room).await, ["my card number is"]);
}

#[tokio::test]
async fn with_required_proof_the_id_alone_gives_no_token() {
    for proof in ["secret", "identity_token"] {
        let chat = Chat::with_proof(proof).await;
        let forged = identity_token("not the secret", &chat.server.nonce().await, "vera", "Vera");
        for more in [
            json!({}),
            json!({"visitor_secret": ""}),
            json!({"visitor_secret": "a guess"}),
            json!({"visitor_secret": chat.secret.to_uppercase()}),
            json!({"identity_token": forged}),
        ] {
            let refused = chat.open(more.clone()).await;
            refused.errors(401, "visitor_not_proven");
            assert!(!refused.text.contains("token\":"), "{proof}, {more}: {}", refused.text);
        }
        let people = chat.server.get("get_room_participants", &[("room_id", &chat.room)]).await;
        let people = people.results();
        let names = each(&people["participants"], "username");
        assert!(names.contains(&"Vera"), "the visitor's name is unchanged: {names:?}");
    }
}

#[tokio::test]
async fn the_visitor_secret_reopens_the_chat() {
    let chat = Chat::with_proof("secret").await;
    let data = chat.open(json!({"visitor_secret": chat.secret})).await.data();
    assert_eq!((&data["is_secure"], data.get("visitor_secret")), (&json!(true), None));
    assert_eq!(text(&data["customer_room"]["room_id"]), chat.room);
    let vera = become_user(&chat.server, &data).await;
    assert_eq!(vera.texts(&chat.room).await, ["my card number is"]);
    // If only identity tokens of the app's server count, the visitor secret is not accepted.
    set(&chat.server, json!({"visitor_proof": "identity_token"})).await.data();
    let answer = chat.open(json!({"visitor_secret": chat.secret})).await;
    answer.errors(401, "visitor_not_proven");
}

#[tokio::test]
async fn the_secret_of_one_visitor_does_not_open_the_chat_of_another() {
    let chat = Chat::with_proof("secret").await;
    let other = open(&chat.server, "mallory", json!({})).await.data();
    assert_ne!(text(&other["visitor_secret"]), chat.secret);
    let answer = chat.open(json!({"visitor_secret": other["visitor_secret"]})).await;
    answer.errors(401, "visitor_not_proven");
}

#[tokio::test]
async fn an_identity_token_is_valid_for_one_visit_of_one_visitor() {
    let chat = Chat::with_proof("identity_token").await;
    let server = &chat.server;
    open(server, "new", json!({})).await.errors(401, "visitor_not_proven");
    let data = open_with_token(server, "vera@mail.example").await.data();
    assert_eq!(
        (&data["is_secure"], &data["customer_room"]["room_id"]),
        (&json!(true), &json!(chat.room),)
    );
    // Tokens of another visitor, of another visit, and used before.
    let nonce = server.nonce().await;
    let hers = identity_token(&server.secret, &nonce, "vera@mail.example", "Vera");
    let body = json!({"nonce": nonce, "identity_token": hers});
    open(server, "mallory", body.clone()).await.errors(401, "visitor_not_proven");
    chat.open(json!({"identity_token": hers})).await.errors(401, "visitor_not_proven");
    chat.open(body.clone()).await.data();
    chat.open(body).await.errors(400, "nonce_not_good");
}

#[tokio::test]
async fn an_invalid_identity_token_is_refused_even_if_no_proof_is_required() {
    let chat = Chat::with_proof("none").await;
    let answer = chat.open(json!({"identity_token": "a.b.c"})).await;
    answer.errors(401, "visitor_not_proven");
}

#[tokio::test]
async fn a_visitor_secret_issued_before_proof_was_required_is_accepted() {
    let chat = Chat::with_proof("none").await;
    set(&chat.server, json!({"visitor_proof": "secret"})).await.data();
    chat.open(json!({})).await.errors(401, "visitor_not_proven");
    chat.open(json!({"visitor_secret": chat.secret})).await.data();
}

#[tokio::test]
async fn of_twenty_concurrent_first_visits_one_receives_the_secret() {
    let server = TestServer::start().await;
    set(&server, json!({"visitor_proof": "secret"})).await.data();
    let opened = (0..20).map(|_| open(&server, "vera", json!({})));
    let opened = futures_util::future::join_all(opened).await;
    let (first, others): (Vec<_>, Vec<_>) = opened.iter().partition(|it| it.status == 200);
    assert_eq!((first.len(), others.len()), (1, 19));
    others.iter().for_each(|it| drop(it.errors(401, "visitor_not_proven")));
    let secret = first[0].data()["visitor_secret"].take();
    open(&server, "vera", json!({"visitor_secret": secret})).await.data();
}

#[tokio::test]
async fn no_file_of_the_data_folder_contains_the_visitor_secret() {
    let chat = Chat::with_proof("secret").await;
    let folder = chat.server.files();
    let data = folder.parent().expect("the data folder");
    let Ok(entries) = std::fs::read_dir(data) else { return };
    for entry in entries {
        let path = entry.expect("an entry").path();
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let secret = chat.secret.as_bytes();
        assert!(!bytes.windows(secret.len()).any(|it| it == secret), "{}", path.display());
    }
}

#[tokio::test]
async fn the_visitor_proof_setting_requires_a_key_and_a_valid_value() {
    let server = TestServer::start().await;
    let answer = set(&server, json!({"visitor_proof": "maybe"})).await;
    answer.errors(400, "invalid_request").says("visitor_proof must be none or secret");
    set(&server, json!({})).await.errors(400, "invalid_request").says("visitor_proof is required");
    let request = server.bare(Method::POST, "/api/v2/app/config/security");
    let body = json!({"visitor_proof": "none"}).to_string();
    let request = request.header("Content-Type", "application/json").body(body);
    sent(request).await.errors(401, "unauthorized");
    let configs = set(&server, json!({"visitor_proof": "secret"})).await.data();
    assert_eq!(configs["configs"]["visitor_proof"], "secret");
}
