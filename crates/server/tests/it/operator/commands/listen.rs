//! `confab listen` during restarts of the server and the receiver.

use std::time::{Duration, Instant};

use super::served::{KEY, Served, developers_receiver, developers_reply};
use crate::support::raw_connection::NOBODY;

#[tokio::test(flavor = "multi_thread")]
async fn listen_forwards_the_same_requests_as_webhooks_and_ctrl_c_exits_with_0() {
    let (served, here) = (Served::start().await, developers_receiver().await);
    let there = developers_receiver().await;
    served.run(&["webhooks", "set", "bot", &there.url]).ok();
    let typed = here.url.trim_start_matches("http://");
    let listening = served.listening(&["--forward-to", typed]);
    let greeting = listening.log.wait_for("Listening");
    assert!(greeting.contains(&format!("forwarding them to {}", here.url)), "{greeting}");
    let said = served.run(&["trigger", "bot"]).ok();
    assert!(said.contains("It was passed to one `confab listen`."), "{said}");

    let (forwarded, sent) = (here.next().await, there.next().await);
    assert_eq!((forwarded.path(), forwarded.body()), (sent.path(), sent.body()));
    assert_eq!(forwarded.own_headers(), sent.own_headers());
    // Each request is signed at its own time, so timestamp and signature may differ.
    let is_same = |name: &String| !["webhook-timestamp", "webhook-signature"].contains(&&**name);
    let own = sent.own_headers().into_iter().filter(is_same);
    for name in own.chain(["content-type".to_owned()]) {
        assert_eq!(forwarded.header(&name), sent.header(&name), "{name}");
    }
    forwarded.check_signature(KEY);
    let address = here.url.trim_start_matches("http://").trim_end_matches("/hook?a=b");
    assert_eq!(forwarded.header("host"), address);
    let line = listening.said.wait_for("bot");
    assert!(line.contains("  bot  room ") && line.contains("  signature ok  -> 200 in "), "{line}");

    here.answers(developers_reply(500));
    served.run(&["trigger", "new_session"]).ok();
    let line = listening.said.wait_for("new_session");
    assert!(line.contains("  signature ok  -> 500 in "), "{line}");
    let printed = listening.printed();
    assert!(!printed.contains(KEY) && !printed.contains("payload"), "{printed}");
    listening.signal("INT");
    assert_eq!(listening.ended().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn listen_reconnects_after_the_server_was_killed_and_restarted() {
    let (mut served, receiver) = (Served::start().await, developers_receiver().await);
    let listening = served.listening(&["--forward-to", &receiver.url]);
    served.run(&["trigger", "bot"]).ok();
    let before = receiver.next().await;
    let (base, folder) = (served.server.base.clone(), served.folder);
    served.server.kill();
    listening.log.wait_for("Lost the server, retrying: ");
    let server = folder.serve_at(&base, &[]);
    served = Served { folder, server };
    // The reconnection is reported at once, without waiting for an event or the end of a 25 s poll.
    let started = Instant::now();
    listening.log.wait_for("Reconnected to the server.");
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    let said = served.run(&["trigger", "logout"]).ok();
    assert_eq!(said, "It was passed to one `confab listen`.\n");
    let after = receiver.next().await;
    assert_ne!(after.header("webhook-id"), before.header("webhook-id"));
    let line = listening.said.wait_for("logout");
    assert!(line.contains("  logout  no room  signature ok  -> 200 in "), "{line}");
    assert_eq!(listening.printed().lines().count(), 2, "each event is printed once");
    listening.signal("INT");
    assert_eq!(listening.ended().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn listen_filters_by_kind_and_goes_on_while_the_receiver_is_unreachable() {
    let served = Served::start().await;
    let listening = served.listening(&["--kind", "logout", "--forward-to", NOBODY]);
    let greeting = listening.log.wait_for("Listening");
    assert!(greeting.starts_with("Listening for webhooks of logout at http://127"), "{greeting}");
    for kind in ["bot", "logout", "logout"] {
        served.run(&["trigger", kind]).ok();
    }
    let lines = listening.said.wait_for_lines(2);
    for line in &lines {
        assert!(line.contains("  logout  "), "{line}");
        assert!(line.ends_with("-> failed to forward: the connection was refused"), "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rotated_key_ends_listen_with_an_error() {
    let served = Served::start().await;
    let listening = served.listening(&[]);
    served.run(&["app", "rotate-keys", "shop"]).ok();
    // Keys are cached for a second: until then the new one may be refused. A later event wakes the
    // listener.
    while served.run(&["trigger", "bot"]).code != Some(0) {}
    let line = listening.log.wait_for("rejected the app id or its secret key");
    assert!(!line.contains(KEY), "{line}");
    assert_eq!(listening.ended().code(), Some(1));
}
