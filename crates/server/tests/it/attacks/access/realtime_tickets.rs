//! A reader of a proxy's log cannot use tickets in it to receive the user's events (D-0073).

use reqwest::Method;
use serde_json::json;
use tokio_tungstenite::tungstenite::Error;

use crate::realtime::watcher::Watcher;
use crate::support::answer::{keys, text};
use crate::support::caller::{Caller, sent};
use crate::support::client::Client;
use crate::support::test_server::TestServer;

/// Requests a ticket for the user.
async fn ticket(client: &Client) -> String {
    let results = client.post("realtime_ticket", json!({})).await.results();
    assert_eq!(keys(&results), ["expired_at", "ticket"]);
    let ticket = text(&results["ticket"]).to_owned();
    assert!(!ticket.contains(&client.token), "a ticket does not contain the token");
    ticket
}

/// Connects with a ticket; returns the greeted user, or the status of the refusal.
async fn greeted(app: &Caller, ticket: &str) -> Result<String, u16> {
    match Watcher::try_with(app, &format!("ticket={ticket}")).await {
        Ok(mut watcher) => Ok(text(&watcher.next().await["data"]["user_id"]).to_owned()),
        Err(Error::Http(answer)) => Err(answer.status().as_u16()),
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test]
async fn a_ticket_opens_one_connection_of_its_user() {
    let server = TestServer::start().await;
    let ana = Client::new(&server, "ana").await;
    let ticket = ticket(&ana).await;
    assert_eq!(greeted(&server, &ticket).await, Ok("ana".to_owned()));
    assert_eq!(greeted(&server, &ticket).await, Err(403), "a ticket is valid once");
    // A ticket is valid for connecting only.
    let request = server.bare(Method::GET, "/api/v2/sdk/my_profile");
    let request = request.header("SERVICE-SDK-APP-ID", "shop").header("SERVICE-SDK-TOKEN", ticket);
    sent(request).await.refused(403, "unauthorized");
    // Published clients can still connect with the token.
    let query = format!("token={}", ana.token);
    let mut watcher = Watcher::try_with(&server, &query).await.expect("connects");
    assert_eq!(watcher.next().await["data"]["user_id"], "ana");
}

#[tokio::test]
async fn resetting_a_token_invalidates_its_tickets() {
    let server = TestServer::start().await;
    let ana = Client::new(&server, "ana").await;
    let ticket = ticket(&ana).await;
    server.post("reset_user_token", json!({"user_id": "ana"})).await.results();
    assert_eq!(greeted(&server, &ticket).await, Err(403));
}

#[tokio::test]
async fn forged_tickets_are_refused() {
    let server = TestServer::start().await;
    let other = server.create_app("other").await;
    let (ana, theirs) = (Client::new(&server, "ana").await, Client::new(&other, "ana").await);
    let (ours, theirs) = (ticket(&ana).await, ticket(&theirs).await);
    let (claims, mac) = ours.split_once('.').expect("two parts");
    let (their_claims, their_mac) = theirs.split_once('.').expect("two parts");
    for forged in [
        format!("{claims}."),
        format!("{claims}.{their_mac}"),
        format!("{their_claims}.{mac}"),
        format!("{claims}.{mac}A"),
        claims.to_owned(),
        "a.b".to_owned(),
        ana.token.clone(),
    ] {
        assert_eq!(greeted(&server, &forged).await, Err(403), "{forged}");
    }
    assert_eq!(greeted(&server, &ours).await, Ok("ana".to_owned()), "the ticket is still valid");
}

#[tokio::test]
async fn of_ten_connections_with_one_ticket_one_succeeds() {
    let server = TestServer::start().await;
    let ticket = ticket(&Client::new(&server, "ana").await).await;
    let attempts = (0..10).map(|_| greeted(&server, &ticket));
    let answers = futures_util::future::join_all(attempts).await;
    assert_eq!(answers.iter().filter(|it| it.is_ok()).count(), 1, "{answers:?}");
}

#[tokio::test]
async fn a_ticket_is_valid_once_across_all_nodes() {
    let (one, two) = TestServer::start_two().await;
    let ana = Client::new(&one, "ana").await;
    let ticket = ticket(&ana).await;
    assert_eq!(greeted(&two, &ticket).await, Ok("ana".to_owned()));
    assert_eq!(greeted(&one, &ticket).await, Err(403));
}

#[tokio::test]
async fn widget_visitors_can_get_tickets() {
    let server = TestServer::start().await;
    let nonce = server.nonce().await;
    let body = json!({"app_id": "shop", "user_id": "vera", "name": "Vera", "nonce": nonce});
    let opened = server.initiate_chat(&body).await.data();
    let verified = server.verify_identity(text(&opened["identity_token"])).await;
    let user = verified.results()["user"].take();
    let token = text(&user["token"]).to_owned();
    let vera = Client { caller: server.clone(), user: "vera".to_owned(), token };
    assert_eq!(greeted(&server, &ticket(&vera).await).await, Ok("vera".to_owned()));
}
