//! S5: signatures of deliveries are valid for the unchanged body only, by the public library as
//! well.

use confab_test_servers::receiver::{ReceivedRequest, Receiver};
use serde_json::json;

use super::ROOM_KINDS;
use crate::support::test_server::TestServer;

const KEY: &str = "secret-key-of-shop";

/// Returns whether each of the two signatures of a request is valid for this body.
fn are_valid(key: &str, it: &ReceivedRequest, body: &[u8]) -> [bool; 2] {
    [it.fits_spec_header(key, body), it.fits_standard_header(key, body, it.timestamp)]
}

#[tokio::test]
async fn s5_signatures_are_valid_only_for_the_unchanged_body_and_the_right_key() {
    let server = TestServer::start().await;
    let receiver = Receiver::start().await;
    let mut acknowledged = Vec::new();
    for kind in ROOM_KINDS.into_iter().chain(["logout"]) {
        server.tell(kind, &receiver.url, &json!({})).await;
        acknowledged.push(server.trigger(kind, None).await);
    }
    receiver.takes(&acknowledged).await;
    let (seen, mut rejected) = (receiver.seen(), 0);
    for it in &seen {
        let body = it.body();
        assert_eq!(are_valid(KEY, it, body), [true; 2], "{}", it.id);
        assert_eq!(are_valid("another key", it, body), [false; 2], "{}", it.id);
        for at in 0..body.len() {
            let mut changed = body.to_vec();
            changed[at] ^= 1 << (at % 8);
            assert_eq!(are_valid(KEY, it, &changed), [false; 2], "byte {at} of {}", it.id);
            rejected += 1;
        }
    }
    println!("S5: {} deliveries, both signatures valid; {rejected} changes rejected", seen.len());
}
