//! More clients than open files allow: the excess is refused and accepted later, and everything
//! else still works (design/sign-in-and-limits).

use confab_test_servers::receiver::Receiver;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Error;

use super::watcher::{SOON, Watcher};
use crate::support::caller::Caller;
use crate::support::process::{Confab, Folder};

const FILES: usize = 256;
/// Number of clients that fit: 64 files are reserved, and 16 sockets are for requests.
const STAYING: usize = 176;
const OF_APP: usize = 159;
const OF_USER: usize = 88;

/// Connects `count` clients, and one more, which is refused.
async fn fill(shop: &Caller, user: &str, count: usize) -> Vec<Watcher> {
    let mut watchers = Vec::new();
    while watchers.len() < count {
        watchers.push(Watcher::start(shop, user).await);
    }
    let token = shop.token(user).await;
    match Watcher::try_start(shop, &token, "").await {
        Err(Error::Http(answer)) => {
            assert_eq!(answer.status().as_u16(), 503);
            assert_eq!(answer.headers()["retry-after"], "5");
        }
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("a client above the limit was accepted"),
    }
    watchers
}

/// Returns the server's MQTT address.
fn mqtt_address(server: &Confab) -> String {
    let line = server.log.wait_for("listening for MQTT");
    line.split("mqtt://").nth(1).expect("an address").to_owned()
}

/// Opens a client's connection; returns it with the code of CONNACK.
async fn connack(address: &str, token: &str) -> (TcpStream, u8) {
    let mut stream = TcpStream::connect(address).await.expect("connects");
    let flags = if token.is_empty() { 0x02 } else { 0xc2 };
    let mut rest = vec![0, 4, b'M', b'Q', b'T', b'T', 4, flags, 0, 60, 0, 0];
    if !token.is_empty() {
        rest.extend([0, 0, 0, token.len() as u8]);
        rest.extend(token.as_bytes());
    }
    let packet = [&[0x10, rest.len() as u8], &rest[..]].concat();
    stream.write_all(&packet).await.expect("sent");
    let mut connack = [0; 4];
    let read = tokio::time::timeout(SOON, stream.read_exact(&mut connack)).await;
    read.expect("in time").expect("a CONNACK");
    assert_eq!(connack[..2], [0x20, 2]);
    (stream, connack[3])
}

#[tokio::test(flavor = "multi_thread")]
async fn excess_connections_are_refused_and_accepted_later_while_others_keep_working() {
    let folder = Folder::embedded().and_app().await;
    let server = folder.serve_with_files(FILES);
    let (shop, receiver) = (server.shop(), Receiver::start().await);
    shop.furnish().await;
    shop.tell("bot", &receiver.url, &json!({})).await;
    let room = shop.create_room("hooked", &["ana"]).await["room_id"].to_string();
    let mut of_bob = fill(&shop, "bob", OF_USER).await;
    let mut of_ana = fill(&shop, "ana", OF_APP - OF_USER).await;
    let mqtt = mqtt_address(&server);
    assert_eq!(connack(&mqtt, &shop.token("bob").await).await.1, 3, "server unavailable");
    let mut nameless = Vec::new();
    for _ in OF_APP..STAYING {
        let (stream, code) = connack(&mqtt, "").await;
        assert_eq!(code, 0);
        nameless.push(stream);
    }
    assert_eq!(connack(&mqtt, "").await.1, 3, "server unavailable");

    let mut triggered = Vec::new();
    for number in 0..20 {
        shop.post_comment("ana", "support", &number.to_string()).await;
        triggered.push(shop.trigger("bot", Some(room.trim_matches('"'))).await);
    }
    receiver.takes(&triggered).await;
    for watcher in of_bob.iter_mut().chain(&mut of_ana) {
        for number in 0..20 {
            assert_eq!(watcher.next_text().await.1, number.to_string());
        }
    }

    drop(nameless);
    let token = shop.token("bob").await;
    of_bob.pop().expect("some").vanish();
    let again = async {
        while Watcher::try_start(&shop, &token, "").await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(SOON, again).await.expect("a connection is accepted again");
    let metrics = reqwest::get(format!("{}/metrics", shop.base)).await.expect("metrics");
    let metrics = metrics.text().await.expect("text");
    for bound in ["user", "app", "process"] {
        let line = format!("confab_connections_refused_total{{bound=\"{bound}\"}}");
        assert!(metrics.contains(&line), "{line} in {metrics}");
    }
    let refused = server.log.text().matches("connection limit reached").count();
    assert_eq!(refused, 1, "the refusal is logged once");
}
