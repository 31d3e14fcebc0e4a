//! Tests of the allow list parser.

use super::super::AllowList;

fn problem(text: &str) -> String {
    AllowList::parse(text).expect_err(text).to_string()
}

#[test]
fn every_kind_of_entry_is_accepted() {
    let lists = [
        "",
        " , ,\n",
        "receiver",
        "Receiver.Example.com:8080",
        "10.0.0.1 10.0.0.1:22",
        "10.0.0.0/8,172.16.0.0/12:9000",
        "fd00::1 fd00::/8 [fd00::1] [fd00::1]:80 [fd00::/8]:8080",
    ];
    for list in lists {
        AllowList::parse(list).expect(list);
    }
    assert_eq!(AllowList::parse(" ,\n").expect("an empty list is valid"), AllowList::default());
}

#[test]
fn invalid_entries_are_reported_with_the_problem() {
    let cases = [
        ("10.0.0.1/8", "the address must be the first one of its block"),
        ("0.0.0.0/0", "a block of all addresses is not allowed"),
        ("[::/0]:80", "a block of all addresses is not allowed"),
        ("host:0", "the port must be a number from 1 to 65535"),
        ("host:080", "the port must be a number from 1 to 65535"),
        ("host:65536", "the port must be a number from 1 to 65535"),
        ("host:", "the port must be a number from 1 to 65535"),
        ("[fd00::1", "`]` is missing"),
        ("[10.0.0.1]:80", "only IPv6 addresses may be in brackets"),
        ("[fd00::1]80", "only `:port` may follow the brackets"),
        ("*.example.com", "not a host name, address or address block"),
        ("10.0.0.0/33", "not a host name, address or address block"),
        ("0x7f.1", "not a host name, address or address block"),
        ("a@b", "not a host name, address or address block"),
        ("example.com.", "not a host name, address or address block"),
        ("example.com/path", "not a host name, address or address block"),
    ];
    for (entry, expected) in cases {
        let text = format!("good.example, {entry}");
        let expected = format!("invalid allow list entry `{entry}`: {expected}");
        assert_eq!(problem(&text), expected);
    }
    let many = vec!["a"; 257].join(",");
    assert!(problem(&many).contains("more than 256 entries"));
}
