//! S5: what arrives carries signatures that fit it, and no others, by the public library as well.

use confab_test_servers::receiver::{Received, Receiver};
use serde_json::json;

use super::ROOM_KINDS;
use crate::support::test_server::TestServer;

const KEY: &str = "secret-key-of-shop";

/// Whether the two signatures of a request fit this body.
fn fits(key: &str, it: &Received, body: &[u8]) -> [bool; 2] {
    [it.fits_spec_header(key, body), it.fits_standard_header(key, body, it.timestamp)]
}

#[tokio::test]
async fn s5_signatures_fit_what_arrives_and_no_bit_may_change() {
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
        assert_eq!(fits(KEY, it, body), [true; 2], "{}", it.id);
        assert_eq!(fits("another key", it, body), [false; 2], "{}", it.id);
        for at in 0..body.len() {
            let mut changed = body.to_vec();
            changed[at] ^= 1 << (at % 8);
            assert_eq!(fits(KEY, it, &changed), [false; 2], "byte {at} of {}", it.id);
            rejected += 1;
        }
    }
    println!("S5: {} deliveries, both signatures fit; {rejected} changes rejected", seen.len());
}
