//! How the text of the allow list is read.

use super::super::AllowList;

fn problem(text: &str) -> String {
    AllowList::parse(text).expect_err(text).to_string()
}

#[test]
fn every_kind_of_entry_is_read() {
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
    assert_eq!(AllowList::parse(" ,\n").expect("empty"), AllowList::default());
}

#[test]
fn what_cannot_be_read_is_named_with_its_problem() {
    let cases = [
        ("10.0.0.1/8", "the address is not the first one of its block"),
        ("0.0.0.0/0", "it would allow everything"),
        ("[::/0]:80", "it would allow everything"),
        ("host:0", "the port must be a number from 1 to 65535"),
        ("host:080", "the port must be a number from 1 to 65535"),
        ("host:65536", "the port must be a number from 1 to 65535"),
        ("host:", "the port must be a number from 1 to 65535"),
        ("[fd00::1", "`]` is missing"),
        ("[10.0.0.1]:80", "only IPv6 addresses stand in brackets"),
        ("[fd00::1]80", "only `:port` may follow the brackets"),
        ("*.example.com", "it is neither a host name nor an address nor a block of addresses"),
        ("10.0.0.0/33", "it is neither a host name nor an address nor a block of addresses"),
        ("0x7f.1", "it is neither a host name nor an address nor a block of addresses"),
        ("a@b", "it is neither a host name nor an address nor a block of addresses"),
        ("example.com.", "it is neither a host name nor an address nor a block of addresses"),
        ("example.com/path", "it is neither a host name nor an address nor a block of addresses"),
    ];
    for (entry, expected) in cases {
        let text = format!("good.example, {entry}");
        let expected = format!("`{entry}` cannot be an entry of the allow list: {expected}");
        assert_eq!(problem(&text), expected);
    }
    let many = vec!["a"; 257].join(",");
    assert!(problem(&many).contains("more than 256 entries"));
}
