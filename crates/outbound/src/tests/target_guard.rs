//! Tests of the target guard: URLs before name resolution, and addresses after it.

use std::net::IpAddr;

use super::super::{AllowList, TargetGuard};
use super::{loopback_guard, public_guard};

const ODD_HOST: &str =
    "the URL's host must be written in its usual form, such as 8.8.8.8 instead of 0x8.8.8.8";

fn verdict(guard: &TargetGuard, url: &str) -> String {
    guard.check(url).map_or_else(|blocked| blocked.to_string(), |_| "allowed".to_owned())
}

fn vetted(guard: &TargetGuard, url: &str, addresses: &[&str]) -> String {
    let addresses: Vec<IpAddr> = addresses.iter().map(|it| it.parse().expect(it)).collect();
    let target = guard.check(url).expect("the URL is valid");
    match guard.vet(&addresses, &target) {
        Err(blocked) => blocked.to_string(),
        Ok(vetted) => format!("{:?}", vetted.addresses()),
    }
}

#[test]
fn public_targets_are_allowed() {
    let usual = [
        "https://example.com/hook",
        "HTTPS://Example.COM",
        "http://example.com:8080/a/b?c=d&e=%20f",
        "https://bücher.example/grüße",
        "https://xn--bcher-kva.example/",
        "https://my_service.example.com/",
        "https://8.8.8.8/",
        "https://[2606:4700::1111]:8443/",
        "https://1.example.com/",
        "http://127.0.0.1.example.com/",
        "https://example.com?only=query",
        "https://example.com/?next=http://other@host/",
    ];
    for url in usual {
        assert_eq!(verdict(&public_guard(), url), "allowed", "{url}");
    }
}

#[test]
fn a_rejected_url_is_reported_with_the_reason() {
    let cases = [
        ("ftp://example.com/", "the URL must start with http:// or https://"),
        ("example.com/hook", "the URL must start with http:// or https://"),
        ("", "the URL must start with http:// or https://"),
        ("https:///hook", "the URL has no valid host"),
        ("https://a..b.example/", "the URL has no valid host"),
        ("https://a!b.example/", "the URL has no valid host"),
        ("https://ana@example.com/", "the URL must not contain a user name or a password"),
        ("https://example.com/#top", "the URL must not have a fragment"),
        ("https://example.com/a b", "the URL contains a space, a control character or a backslash"),
        ("https://example.com./", "the URL's host must not end with a dot"),
        ("https://0x8.8.8.8/", ODD_HOST),
        ("https://ｅxample.com/", ODD_HOST),
        ("https://%65xample.com/", ODD_HOST),
        ("https://example.com:0443/", "the URL has no valid port"),
        ("https://example.com:/", "the URL has no valid port"),
        ("https://example.com:0/", "the URL has no valid port"),
        ("https://example.com:22/", "the URL must not use port 22"),
        ("https://example.com:6379/", "the URL must not use port 6379"),
        ("https://localhost/", "localhost is not a public name"),
        ("https://redis/", "redis is not a public name"),
        ("https://db.corp.internal/", "db.corp.internal is not a public name"),
        ("https://10.0.0.1/", "the host has an address that may not be called (private)"),
    ];
    for (url, expected) in cases {
        assert_eq!(verdict(&public_guard(), url), expected, "{url}");
    }
    let long = format!("https://example.com/{}", "a".repeat(2048));
    assert_eq!(verdict(&public_guard(), &long), "the URL has more than 2048 bytes");
}

#[test]
fn one_forbidden_address_rejects_all() {
    let url = "https://example.com/";
    let guard = public_guard();
    assert_eq!(vetted(&guard, url, &["8.8.8.8", "2a00::1"]), "[8.8.8.8:443, [2a00::1]:443]");
    let refused = "the host has an address that may not be called (private)";
    assert_eq!(vetted(&guard, url, &["8.8.8.8", "10.0.0.1"]), refused);
    assert_eq!(vetted(&guard, url, &["10.0.0.1", "8.8.8.8"]), refused);
    assert_eq!(vetted(&guard, url, &[]), "the host has no address");
}

#[test]
fn allowing_loopback_allows_no_other_internal_address() {
    let guard = loopback_guard();
    for url in ["http://127.0.0.1:3000/", "http://[::1]:8080/", "http://localhost:80/"] {
        assert_eq!(verdict(&guard, url), "allowed", "{url}");
    }
    assert_eq!(vetted(&guard, "http://me.localhost:8081/", &["127.9.9.9"]), "[127.9.9.9:8081]");
    let inside = ["http://10.0.0.1/", "http://169.254.169.254/", "http://[::ffff:127.0.0.1]/"];
    for url in inside.into_iter().chain(["http://0.0.0.0/", "http://[fd00::1]/"]) {
        assert!(verdict(&guard, url).contains("may not be called"), "{url}");
    }
    let refused = "the host has an address that may not be called (private)";
    assert_eq!(vetted(&guard, "http://localhost/", &["192.168.1.1"]), refused);
    assert_eq!(verdict(&guard, "http://example.com:22/"), "the URL must not use port 22");
    assert_eq!(verdict(&guard, "http://metadata/"), "metadata is not a public name");
    assert_eq!(verdict(&guard, "http://localhost:0/"), "the URL has no valid port");
}

#[test]
fn service_ports_on_loopback_need_an_allow_list_entry() {
    let guard = loopback_guard();
    for port in [22, 25, 587, 2375, 3306, 5432, 6379, 9200, 11211, 27017] {
        for host in ["127.0.0.1", "[::1]", "localhost"] {
            let refused = format!("the URL must not use port {port}");
            assert_eq!(verdict(&guard, &format!("http://{host}:{port}/")), refused);
        }
    }
    let list = AllowList::parse("127.0.0.0/8, localhost:5432").expect("the allow list is valid");
    let guard = TargetGuard::new(true, list);
    assert_eq!(verdict(&guard, "http://127.0.0.1:6379/"), "the URL must not use port 6379");
    assert_eq!(vetted(&guard, "http://localhost:5432/", &["127.0.0.1"]), "[127.0.0.1:5432]");
}

#[test]
fn the_allow_list_allows_exactly_its_entries() {
    let list = "hooks.corp.internal, 10.1.0.0/16:9200, [fd00:1::/32]:8080, metadata:80";
    let guard = TargetGuard::new(false, AllowList::parse(list).expect("the allow list is valid"));
    let of_name = |url| vetted(&guard, url, &["10.9.9.9"]);
    assert_eq!(of_name("http://hooks.corp.internal/"), "[10.9.9.9:80]");
    assert_eq!(of_name("http://hooks.corp.internal:8080/"), "[10.9.9.9:8080]");
    assert!(of_name("http://example.com/").contains("may not be called"));
    for url in ["http://10.1.2.3:9200/", "http://[fd00:1::9]:8080/", "http://metadata/"] {
        assert_eq!(verdict(&guard, url), "allowed", "{url}");
    }
    assert_eq!(
        vetted(&guard, "http://search.corp.internal:9200/", &["10.1.0.1"]),
        "[10.1.0.1:9200]"
    );
    let refused = [
        "http://hooks.corp.internal:6379/",
        "http://x.hooks.corp.internal/",
        "http://10.1.2.3/",
        "http://10.2.0.0:9200/",
        "http://[::ffff:10.1.2.3]:9200/",
        "http://[fd00:2::9]:8080/",
        "http://metadata:8080/",
    ];
    for url in refused {
        assert_ne!(verdict(&guard, url), "allowed", "{url}");
    }
}
