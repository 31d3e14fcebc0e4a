//! One id from several message sources: the second user neither becomes the first, nor can read,
//! receive or rename anything of theirs, nor is refused because of them (D-0065).

use reqwest::Method;
use serde_json::{Value, json};

use crate::realtime::mqtt::client::called;
use crate::realtime::watcher::Watcher;
use crate::support::answer::{Answer, each, text};
use crate::support::caller::Caller;
use crate::support::client::{Client, log_in};
use crate::support::shop::Shop;
use crate::support::world::chat_token;

/// The way in which a user comes to an app.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MessageSource {
    /// By registration with a password, with only the app's id.
    Registered,
    /// Through the widget, with only the app's id.
    Widget,
    /// Through the gateway of one custom channel.
    Channel1,
    /// Through the gateway of another custom channel.
    Channel2,
    /// Created by the app's server.
    Server,
}

const SOURCES: [MessageSource; 5] = [
    MessageSource::Registered,
    MessageSource::Widget,
    MessageSource::Channel1,
    MessageSource::Channel2,
    MessageSource::Server,
];

impl MessageSource {
    /// Whether users of both sources are in one realm.
    fn shares_realm(self, other: Self) -> bool {
        let is_own =
            |message_source: Self| matches!(message_source, Self::Registered | Self::Server);
        self == other || is_own(self) && is_own(other)
    }
}

/// A shop with a second gateway.
struct Stage {
    shop: Shop,
    other_key: String,
}

/// A user of one message source, in a room of their own.
struct Person {
    message_source: MessageSource,
    user: String,
    name: String,
    room: String,
    /// The person's client, if they have an access token.
    client: Option<Client>,
}

impl Stage {
    async fn open() -> Self {
        let shop = Shop::without_webhooks().await;
        let body = json!({"name": "Mail", "webhook_url": format!("{}/mail", shop.gateway.base)});
        let made = shop.post("/api/v2/custom_channels", body).await.data();
        let other_key = text(&made["custom_channel"]["identifier_key"]).to_owned();
        Self { shop, other_key }
    }

    fn caller(&self) -> &Caller {
        &self.shop.server
    }

    /// Sends a message through a gateway.
    async fn send_by_gateway(
        &self,
        message_source: MessageSource,
        user: &str,
        name: &str,
        message: &str,
    ) -> Value {
        let mut body = json!({"user_id": user, "name": name, "message": message});
        if message_source == MessageSource::Channel2 {
            body["identifier_key"] = json!(self.other_key);
        }
        self.shop.send(body).await.data()
    }

    /// Creates a user through a message source, which must not refuse.
    async fn create(&self, message_source: MessageSource, user: &str, name: &str) -> Person {
        let (room, token) = match message_source {
            MessageSource::Channel1 | MessageSource::Channel2 => {
                let data = self.send_by_gateway(message_source, user, name, "hello").await;
                (text(&data["room_log"]["room_id"]).to_owned(), None)
            }
            MessageSource::Widget => {
                let chat = initiate(self.caller(), user, name).await.data();
                let room = text(&chat["customer_room"]["room_id"]).to_owned();
                let token = self.caller().verify_identity(text(&chat["identity_token"])).await;
                (room, Some(text(&token.results()["user"]["token"]).to_owned()))
            }
            MessageSource::Registered => {
                let account = log_in(self.caller(), user, "secret").await.results();
                let token = text(&account["user"]["token"]).to_owned();
                self.caller().post("login_or_register", profile(user, name)).await.results();
                (self.own_room(user, message_source).await, Some(token))
            }
            MessageSource::Server => {
                self.caller().post("login_or_register", profile(user, name)).await.results();
                let token = self.caller().token(user).await;
                (self.own_room(user, message_source).await, Some(token))
            }
        };
        let caller = self.caller().clone();
        let client = token.map(|token| Client { caller, user: user.to_owned(), token });
        Person { message_source, user: user.to_owned(), name: name.to_owned(), room, client }
    }

    async fn own_room(&self, user: &str, message_source: MessageSource) -> String {
        let room = self.caller().create_room(&format!("{user}-{message_source:?}"), &[user]).await;
        text(&room["room_id"]).to_owned()
    }

    /// Posts a message through the user's own message source.
    async fn says(&self, person: &Person, message: &str) {
        let Person { message_source, user, name, room, client } = person;
        match client {
            Some(client) => drop(client.says(room, message, &format!("{room}-{message}")).await),
            None => drop(self.send_by_gateway(*message_source, user, name, message).await),
        }
    }

    /// Returns the display names of a room's participants.
    async fn names_in(&self, room: &str) -> Vec<String> {
        let query = [("room_id", room), ("limit", "100")];
        let results = self.caller().get("get_room_participants", &query).await.results();
        each(&results["participants"], "username").into_iter().map(str::to_owned).collect()
    }

    /// Asserts that this person is alone in the room under their own name, and that the app's
    /// server refers to them by that id there.
    async fn check_alone(&self, person: &Person) {
        assert_eq!(
            self.names_in(&person.room).await,
            [person.name.as_str()],
            "{:?}",
            person.message_source
        );
        let posted = self.caller().post_comment(&person.user, &person.room, "by the server").await;
        assert_eq!(posted["user"]["username"], person.name, "{:?}", person.message_source);
    }

    /// Asserts that a user of another source reads, receives and posts nothing in the room, and
    /// finds it in no list.
    async fn check_stranger(&self, stranger: &Person, person: &Person) {
        let Some(client) = &stranger.client else { return };
        let room = person.room.as_str();
        let mut watcher =
            Watcher::try_start(self.caller(), &client.token, "").await.expect("connects");
        assert_eq!(watcher.next().await["type"], "hello");
        let secret = format!("a secret of {:?}", person.message_source);
        self.says(person, &secret).await;
        self.says(stranger, "of my own").await;
        assert_eq!(watcher.next_text().await.1, "of my own", "{:?}", stranger.message_source);
        client.get("load_comments", &[("topic_id", room)]).await.refused(404, "room_not_found");
        client.get("get_room_by_id", &[("id", room)]).await.refused(404, "room_not_found");
        let body = json!({"comment": "as them", "topic_id": room, "type": "text"});
        client.post("post_comment", body).await.refused(404, "room_not_found");
        let rooms = client.get("user_rooms", &[("show_empty", "true")]).await.results();
        assert_eq!(each(&rooms["rooms_info"], "id_str"), [stranger.room.as_str()]);
        let unread = client.get("total_unread_count", &[]).await.results();
        assert_eq!(unread["total_unread_count"], 0);
        let found = client.post("search", json!({"query": "secret"})).await;
        found.results();
        assert!(!found.text.contains(&secret), "{}", found.text);
        let texts = self.caller().texts(room).await;
        assert_eq!(texts[0], secret, "the stranger posted nothing to the room");
    }

    /// Asserts that a stranger's client renames only the stranger.
    async fn check_renaming(&self, stranger: &mut Person, person: &Person) {
        stranger.name = format!("{} again", stranger.name);
        let body = json!({"name": stranger.name});
        match &stranger.client {
            Some(client) => drop(client.send(Method::PATCH, "my_profile", body).await.results()),
            None => {
                let Person { message_source, user, name, .. } = stranger;
                self.send_by_gateway(*message_source, user, name, "renamed").await;
            }
        }
        assert_eq!(self.names_in(&stranger.room).await, [stranger.name.as_str()]);
        assert_eq!(self.names_in(&person.room).await, [person.name.as_str()]);
    }
}

fn profile(user: &str, name: &str) -> Value {
    json!({"user_id": user, "username": name})
}

async fn initiate(caller: &Caller, user: &str, name: &str) -> Answer {
    let nonce = caller.nonce().await;
    let body = json!({"app_id": caller.code, "user_id": user, "name": name, "nonce": nonce});
    caller.initiate_chat(&body).await
}

#[tokio::test]
async fn one_id_in_two_realms_names_two_isolated_users() {
    let stage = Stage::open().await;
    for (at, first) in SOURCES.into_iter().enumerate() {
        for (and, second) in SOURCES.into_iter().enumerate() {
            if first.shares_realm(second) {
                continue;
            }
            let user = format!("62812345678{at}{and}");
            let mut one = stage.create(first, &user, "First").await;
            let mut two = stage.create(second, &user, "Second").await;
            assert_ne!(one.room, two.room, "{first:?} {second:?}");
            for (me, other) in [(&one, &two), (&two, &one)] {
                stage.check_alone(me).await;
                stage.check_stranger(me, other).await;
            }
            stage.check_renaming(&mut two, &one).await;
            stage.check_renaming(&mut one, &two).await;
        }
    }
}

#[tokio::test]
async fn one_id_from_one_message_source_names_one_user() {
    let stage = Stage::open().await;
    for message_source in [MessageSource::Widget, MessageSource::Channel1, MessageSource::Channel2]
    {
        let user = format!("again-{message_source:?}");
        let one = stage.create(message_source, &user, "First").await;
        let two = stage.create(message_source, &user, "Second").await;
        assert_eq!(one.room, two.room, "{message_source:?}");
        assert_eq!(stage.names_in(&one.room).await, ["Second"]);
    }
}

#[tokio::test]
async fn app_users_are_accessible_by_password_and_by_the_apps_server_only() {
    let stage = Stage::open().await;
    let one = stage.create(MessageSource::Registered, "ana", "First").await;
    log_in(stage.caller(), "ana", "guess").await.refused(401, "unauthorized");
    let again = log_in(stage.caller(), "ana", "secret").await.results();
    let token = one.client.expect("a client").token;
    assert_eq!(again["user"]["token"], token);
    stage.caller().post("login_or_register", profile("ana", "Second")).await.results();
    assert_eq!(stage.caller().token("ana").await, token, "both sources share one user");
    assert_eq!(stage.names_in(&one.room).await, ["Second"]);
    stage.create(MessageSource::Server, "bob", "Bob").await;
    log_in(stage.caller(), "bob", "guess").await.refused(401, "unauthorized");
}

#[tokio::test]
async fn registering_a_customers_number_first_gives_no_access_to_agents_answers() {
    let stage = Stage::open().await;
    let number = "6281999";
    let stranger = stage.create(MessageSource::Registered, number, "Mallory").await;
    let visitor = stage.create(MessageSource::Widget, number, "Mallory").await;
    let customer = stage.create(MessageSource::Channel1, number, "Customer").await;
    let agent = stage.shop.agent("Bo").await;
    stage.shop.assign_room(&customer.room, &agent).await.data();
    stage.shop.reply(&agent, &customer.room, "your code is 1234").await.data();
    for stranger in [&stranger, &visitor] {
        let client = stranger.client.as_ref().expect("a client");
        let room = customer.room.as_str();
        client.get("load_comments", &[("topic_id", room)]).await.refused(404, "room_not_found");
        let after = client.get("sync", &[("last_received_comment_id", "1")]).await;
        assert!(!after.text.contains("1234"), "{}", after.text);
    }
    // A user who registers the number later does not become the customer either.
    let late = stage.create(MessageSource::Channel2, "6281888", "Customer").await;
    let client = Client::new(stage.caller(), "6281888").await;
    let room = late.room.as_str();
    client.get("load_comments", &[("topic_id", room)]).await.refused(404, "room_not_found");
}

#[tokio::test]
async fn outside_of_rooms_an_id_names_the_apps_own_user() {
    let stage = Stage::open().await;
    let customer = stage.create(MessageSource::Channel1, "ana", "Customer").await;
    let visitor = stage.create(MessageSource::Widget, "ana", "Visitor").await;
    let server = stage.caller();
    let ana = [("user_id", "ana")];
    server.get("get_user_token", &ana).await.refused(404, "user_not_found");
    for call in ["user_profile", "get_user_rooms"] {
        server.get(call, &ana).await.refused(409, "user_ambiguous");
    }
    let one = json!({"user_id": "ana"});
    server.post("reset_user_token", one).await.refused(404, "user_not_found");
    let several = json!({"user_ids": ["ana"]});
    server.delete("deactivate_users", several.clone()).await.refused(404, "user_not_found");
    let own = stage.create(MessageSource::Server, "ana", "Own").await;
    assert_eq!(server.get("user_profile", &ana).await.results()["user"]["username"], "Own");
    let rooms = server.get("get_user_rooms", &ana).await.results();
    assert_eq!(each(&rooms["rooms"], "room_id"), [own.room.as_str()]);
    let users = server.get("get_user_list", &[("limit", "100")]).await.results();
    let named = each(&users["users"], "username");
    assert_eq!(named.iter().filter(|it| ["Own", "Customer", "Visitor"].contains(it)).count(), 1);
    server.post("reset_user_token", json!({"user_id": "ana"})).await.results();
    server.delete("deactivate_users", several).await.results();
    let client = visitor.client.as_ref().expect("a client");
    client.says(&visitor.room, "still here", "still-here").await;
    stage.send_by_gateway(MessageSource::Channel1, "ana", "Customer", "and here").await;
    assert_eq!(server.texts(&customer.room).await[0], "and here");
    assert_eq!(server.texts(&visitor.room).await[0], "still here");
}

#[tokio::test]
async fn adding_a_customers_id_to_their_room_does_not_add_an_app_user_with_that_id() {
    let stage = Stage::open().await;
    let customer = stage.create(MessageSource::Channel1, "ana", "Customer").await;
    let own = stage.create(MessageSource::Registered, "ana", "Mallory").await;
    let body = json!({"room_id": customer.room, "user_ids": ["ana"]});
    let added = stage.caller().post("add_room_participants", body.clone()).await.results();
    assert_eq!(
        added["participants_added"],
        json!([]),
        "the customer with that id is already a participant"
    );
    assert_eq!(stage.names_in(&customer.room).await, ["Customer"]);
    stage.check_stranger(&own, &customer).await;
    stage.caller().post("remove_room_participants", body.clone()).await.results();
    assert_eq!(stage.names_in(&customer.room).await, [""; 0]);
    // No participant has that id now, so it refers to the app's own user.
    stage.caller().post("add_room_participants", body).await.results();
    assert_eq!(
        stage.names_in(&customer.room).await,
        ["Mallory"],
        "the id now names the app's own user"
    );
}

#[tokio::test]
async fn a_room_with_a_visitor_is_not_the_room_with_the_app_user_of_that_id() {
    let stage = Stage::open().await;
    stage.caller().register("bob").await;
    stage.create(MessageSource::Server, "ana", "Own").await;
    let visitor = stage.create(MessageSource::Widget, "ana", "Visitor").await;
    let shown = stage.shop.get(&format!("/api/v2/customer_rooms/{}", visitor.room), &[]).await;
    let address = format!("{}:ana", shown.data()["customer_room"]["channel_id"]);
    // Only the app's server can add a customer to another room (D-0071).
    let open = async |user: &str| {
        let body = json!({"user_ids": [user, "bob"]});
        let opened = stage.caller().post("get_or_create_room_with_target", body).await.results();
        text(&opened["room"]["room_id"]).to_owned()
    };
    let (first, second) = (open("ana").await, open(&address).await);
    assert_ne!(first, second);
    assert_eq!(stage.names_in(&first).await.len(), 2);
    let client = visitor.client.as_ref().expect("a client");
    client.get("load_comments", &[("topic_id", &first)]).await.refused(404, "room_not_found");
    assert_eq!(client.texts(&second).await, [""; 0], "the visitor is a participant");
    assert_eq!(open(&address).await, second, "the room is found again");
    let body = json!({"room_name": "All", "creator": address, "participants": [address, "bob"]});
    let group = stage.caller().post("create_room", body).await.results();
    let group = text(&group["room"]["room_id"]);
    assert_eq!(stage.names_in(group).await, ["Bob", "Visitor"]);
}

#[tokio::test]
async fn presence_and_typing_of_users_with_one_id_in_two_realms_are_separate() {
    let stage = Stage::open().await;
    let visitor = stage.create(MessageSource::Widget, "vera", "Vera").await;
    let stranger = stage.create(MessageSource::Registered, "vera", "Mallory").await;
    let agent = stage.shop.agent("Bo").await;
    stage.says(&visitor, "hello").await;
    stage.shop.assign_room(&visitor.room, &agent).await.data();
    let connect = async |token: &str, id: &str| {
        let mut client = called(id).with_token(token).by_tcp(&stage.shop.server).await;
        assert_eq!(client.subscribe(&[&format!("{token}/c")]).await, "0");
        client
    };
    let token = |person: &Person| person.client.as_ref().expect("a client").token.clone();
    let mut agent = connect(&chat_token(agent.id), "agent").await;
    let mut impostor = connect(&token(&stranger), "fake").await;
    let mut visitors = connect(&token(&visitor), "real").await;
    let room = &visitor.room;
    let (presence, typing) = ("u/vera/s", format!("r/{room}/{room}/vera/t"));
    assert_eq!(agent.subscribe(&[presence, &typing]).await, "00");
    assert_eq!(impostor.subscribe(&[&typing]).await, "x", "the impostor is not in the room");
    assert_eq!(impostor.subscribe(&[presence]).await, "0", "the impostor sees their own presence");
    impostor.publish(presence, "1").await;
    assert!(impostor.shown().await.1.starts_with("1:"));
    impostor.publish(&typing, "1").await;
    visitors.publish(&typing, "1").await;
    assert_eq!(agent.shown().await.0, typing, "nothing of the impostor was received before");
    visitors.publish(presence, "1").await;
    let (topic, payload) = agent.shown().await;
    assert_eq!((topic.as_str(), payload.starts_with("1:")), (presence, true));
    visitors.publish(presence, "0").await;
    assert!(agent.shown().await.1.starts_with("0:"), "the impostor's presence does not count");
    impostor.publish(presence, "0").await;
    assert!(
        impostor.shown().await.1.starts_with("0:"),
        "nothing of the visitor was received before"
    );
    let client = stranger.client.as_ref().expect("a client");
    let body = json!({"user_ids": ["vera"]});
    let seen = client.post("users/status", body).await.results();
    assert_eq!(seen["user_status"].as_array().map(Vec::len), Some(1), "{seen}");
}

#[tokio::test]
async fn an_identity_token_of_the_apps_server_does_not_resolve_to_a_visitor() {
    let stage = Stage::open().await;
    let visitor = stage.create(MessageSource::Widget, "ana", "Visitor").await;
    let signed = signed_by_the_server(&stage.caller().nonce().await, "ana");
    let user = stage.caller().verify_identity(&signed).await.results()["user"].take();
    let visitors = visitor.client.as_ref().expect("a client");
    assert_ne!(text(&user["token"]), visitors.token);
    assert_eq!(text(&user["token"]), stage.caller().token("ana").await, "the app's own user");
    let (caller, token) = (stage.caller().clone(), text(&user["token"]).to_owned());
    let own = Client { caller, user: "ana".to_owned(), token };
    let room = visitor.room.as_str();
    own.get("load_comments", &[("topic_id", room)]).await.refused(404, "room_not_found");
}

/// Creates an identity token as an app's own server does.
fn signed_by_the_server(nonce: &str, user: &str) -> String {
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use hmac::{Hmac, KeyInit, Mac};
    let now = std::time::UNIX_EPOCH.elapsed().expect("a time").as_secs();
    let part = |json: Value| URL_SAFE_NO_PAD.encode(json.to_string());
    let header = part(json!({"alg": "HS256", "typ": "JWT", "ver": "v2"}));
    let claims = part(json!({"iss": "shop", "iat": now, "exp": now + 60, "nbf": now - 1,
        "nce": nonce, "prn": user}));
    let signed = format!("{header}.{claims}");
    let mut mac = Hmac::<sha2::Sha256>::new_from_slice(b"sdk-secret-of-shop").expect("a key");
    mac.update(signed.as_bytes());
    let mac = URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes());
    format!("{signed}.{mac}")
}
