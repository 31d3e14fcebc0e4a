//! Tests of DNS rebinding: a name whose addresses change between queries.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::net::TcpListener;

use super::super::{AllowList, TargetGuard};
use super::{Canary, Resolver, ScriptedAnswer, accept, answer_all, client, post, word};

const TRIES: usize = 10_000;
/// Stands for a public address; the only one that is allowed.
const GOOD: [u8; 4] = [127, 0, 0, 2];

fn answers() -> [Vec<IpAddr>; 10] {
    let good = IpAddr::from(GOOD);
    let bad = |text: &str| text.parse::<IpAddr>().expect(text);
    [
        vec![good],
        vec![bad("127.0.0.1")],
        vec![good],
        vec![good, bad("127.0.0.1")],
        vec![bad("127.0.0.1"), good],
        vec![bad("::1")],
        vec![good, bad("::1")],
        vec![bad("169.254.169.254")],
        vec![bad("::ffff:127.0.0.1"), good],
        vec![bad("::ffff:127.0.0.2")],
    ]
}

#[tokio::test]
async fn dns_rebinding_never_reaches_an_internal_address() {
    let good = TcpListener::bind((IpAddr::from(GOOD), 0)).await.expect("a port is free");
    let port = good.local_addr().expect("the address is valid").port();
    let inside = TcpListener::bind(("127.0.0.1", port))
        .await
        .expect("the port is free on the other address");
    let canary = Canary::on(inside);
    let closing = "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";
    tokio::spawn(accept(good, move |stream| answer_all(stream, closing)));
    let allowed = AllowList::parse(&format!("127.0.0.2:{port}")).expect("the allow list is valid");
    let queries = Arc::new(AtomicUsize::new(0));
    let counted = queries.clone();
    let resolver = Resolver::scripted(move |_| {
        let answers = answers();
        let at = counted.fetch_add(1, Ordering::SeqCst);
        ScriptedAnswer::Addresses(answers[at % answers.len()].clone())
    });
    let client = client(TargetGuard::new(false, allowed), resolver);
    let (mut delivered, mut blocked) = (0, 0);
    for _ in 0..TRIES {
        let attempted = post(&client, format!("http://flips.example:{port}/")).await;
        match word(&attempted).as_str() {
            "204" => {
                assert_eq!(attempted.peer.map(|it| it.ip()), Some(GOOD.into()));
                delivered += 1;
            }
            "blocked_address" => blocked += 1,
            _ => panic!("{attempted:?}"),
        }
    }
    let hits = canary.hits_when_settled().await;
    println!("S2: {TRIES} attempts, {delivered} delivered, {blocked} blocked, canary hits {hits}");
    assert_eq!((delivered, blocked, hits), (TRIES / 5, TRIES / 5 * 4, 0));
    assert_eq!(queries.load(Ordering::SeqCst), TRIES, "one query per connection");
}
