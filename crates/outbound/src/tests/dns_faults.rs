//! Tests of names that cannot be resolved.

use std::net::IpAddr;
use std::time::Duration;

use super::{
    OK, Resolver, ScriptedAnswer, answering, client, every_name_is, local_client, loopback_guard,
    post, public_guard, request, word,
};

#[tokio::test]
async fn failures_of_the_name_server_have_the_class_dns() {
    let cases = [
        ScriptedAnswer::Fails("no such name"),
        ScriptedAnswer::Fails("server failure"),
        ScriptedAnswer::Silent,
        ScriptedAnswer::Addresses(Vec::new()),
    ];
    for case in cases {
        let script = case.clone();
        let client = client(public_guard(), Resolver::scripted(move |_| script.clone()));
        let request = request("http://example.com/", Duration::from_millis(200));
        let attempted = client.post(request).await;
        assert_eq!(word(&attempted), "dns", "{case:?}");
        println!("F13 {case:?}: class dns");
        assert_eq!((attempted.timings.dns_us, attempted.peer), (None, None));
    }
}

#[tokio::test]
async fn a_name_with_an_internal_address_is_blocked() {
    let inside = ["127.0.0.1", "10.0.0.1", "::1", "fd00:ec2::254", "169.254.169.254"];
    for address in inside {
        let resolver = every_name_is(address.parse().expect(address));
        let attempted = post(&client(public_guard(), resolver), "http://example.com/").await;
        assert_eq!(word(&attempted), "blocked_address");
        let detail = attempted.outcome.expect_err("the attempt fails").detail;
        assert!(!detail.contains(address), "the internal address is not revealed: {detail}");
    }
}

#[tokio::test]
async fn all_addresses_of_a_name_are_vetted_and_some_are_tried() {
    let port = answering(OK).await.port();
    let mut many = vec![IpAddr::from([127, 0, 0, 1]); 5000];
    let of = |addresses: Vec<IpAddr>| {
        client(
            loopback_guard(),
            Resolver::scripted(move |_| ScriptedAnswer::Addresses(addresses.clone())),
        )
    };
    let url = format!("http://many.example:{port}/");
    assert_eq!(word(&post(&of(many.clone()), url.clone()).await), "200");
    many.push([10, 0, 0, 1].into());
    assert_eq!(word(&post(&of(many), url).await), "blocked_address");
}

#[tokio::test]
async fn the_next_address_is_tried_after_a_refused_connection() {
    let port = answering(OK).await.port();
    let addresses: Vec<IpAddr> = vec![[127, 0, 0, 77].into(), [127, 0, 0, 1].into()];
    let resolver = Resolver::scripted(move |_| ScriptedAnswer::Addresses(addresses.clone()));
    let client = client(loopback_guard(), resolver);
    let attempted = post(&client, format!("http://two.example:{port}/")).await;
    assert_eq!(word(&attempted), "200");
    assert_eq!(attempted.peer.map(|it| it.ip()), Some([127, 0, 0, 1].into()));
}

#[tokio::test]
async fn a_closed_port_has_the_class_connect_refused() {
    // A port that the operating system never assigns.
    let attempted = post(&local_client(), "http://127.0.0.9:1999/").await;
    assert_eq!(word(&attempted), "connect_refused");
}

#[tokio::test]
async fn the_system_resolves_names() {
    let port = answering(OK).await.port();
    let client = client(loopback_guard(), Resolver::system());
    let attempted = post(&client, format!("http://localhost:{port}/")).await;
    assert_eq!(word(&attempted), "200", "{attempted:?}");
    assert!(attempted.timings.dns_us.is_some());
    let request = request("http://nothing.invalid/", Duration::from_secs(2));
    assert_eq!(word(&client.post(request).await), "dns");
}
