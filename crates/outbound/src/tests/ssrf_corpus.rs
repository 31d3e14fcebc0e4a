//! Tests that no notation of a forbidden address is connected to.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Ipv6Addr};

use super::{
    Canary, PATIENT, Resolver, ScriptedAnswer, client, local_client, post, public_guard, request,
    word,
};

/// First addresses and prefix lengths, deliberately written a second time.
const BLOCKS_4: [(&str, u32); 20] = [
    ("0.0.0.0", 8),
    ("10.0.0.0", 8),
    ("100.64.0.0", 10),
    ("127.0.0.0", 8),
    ("169.254.0.0", 16),
    ("172.16.0.0", 12),
    ("192.0.0.0", 24),
    ("192.0.2.0", 24),
    ("192.31.196.0", 24),
    ("192.52.193.0", 24),
    ("192.88.99.0", 24),
    ("192.168.0.0", 16),
    ("192.175.48.0", 24),
    ("198.18.0.0", 15),
    ("198.51.100.0", 24),
    ("203.0.113.0", 24),
    ("224.0.0.0", 4),
    ("240.0.0.0", 4),
    ("255.255.255.255", 32),
    ("168.63.129.16", 32),
];

const BLOCKS_6: [(&str, u32); 30] = [
    ("::", 128),
    ("::1", 128),
    ("::", 8),
    ("::", 96),
    ("::ffff:0:0", 96),
    ("::ffff:0:0:0", 96),
    ("64:ff9b:1::", 48),
    ("100::", 64),
    ("100:0:0:1::", 64),
    ("200::", 7),
    ("400::", 6),
    ("2001::", 32),
    ("2001::", 23),
    ("2001:2::", 48),
    ("2001:3::", 32),
    ("2001:4:112::", 48),
    ("2001:10::", 28),
    ("2001:20::", 28),
    ("2001:30::", 28),
    ("2001:db8::", 32),
    ("2002::", 16),
    ("2620:4f:8000::", 48),
    ("3fff::", 20),
    ("5f00::", 16),
    ("fc00::", 7),
    ("fe80::", 10),
    ("fec0::", 10),
    ("ff00::", 8),
    ("fd00:ec2::254", 128),
    ("fe80::a9fe:a9fe", 128),
];

/// A kind of notation, and a URL.
type Vectors = Vec<(&'static str, String)>;

/// Returns the first, middle and last address of each block.
fn addresses_4() -> Vec<Ipv4Addr> {
    let of_block = |(first, length): (&str, u32)| {
        let first = first.parse::<Ipv4Addr>().expect(first).to_bits();
        let last = first | u32::MAX.checked_shr(length).unwrap_or(0);
        [first, first + (last - first) / 2, last].map(Ipv4Addr::from_bits)
    };
    let extra = [[127, 0, 0, 1], [169, 254, 169, 254], [100, 100, 100, 200], [192, 0, 0, 192]];
    BLOCKS_4.into_iter().flat_map(of_block).chain(extra.map(Ipv4Addr::from)).collect()
}

fn addresses_6() -> Vec<Ipv6Addr> {
    let of_block = |(first, length): (&str, u32)| {
        let first = first.parse::<Ipv6Addr>().expect(first).to_bits();
        let last = first | u128::MAX.checked_shr(length).unwrap_or(0);
        [first, first + (last - first) / 2, last].map(Ipv6Addr::from_bits)
    };
    // The middle of blocks such as `::/8` must not be in the prefix that is judged by its embedded
    // address.
    BLOCKS_6.into_iter().flat_map(of_block).collect()
}

fn with_digits(text: &str, digit: impl Fn(u32) -> u32) -> String {
    let turned = |it: char| it.to_digit(10).and_then(|it| char::from_u32(digit(it))).unwrap_or(it);
    text.chars().map(turned).collect()
}

/// Returns hosts that some program interprets as the address.
fn spellings_4(address: Ipv4Addr) -> Vec<(&'static str, String)> {
    let [a, b, c, d] = address.octets();
    let bits = address.to_bits();
    let [low16, low24] = [bits & 0xffff, bits & 0xff_ffff];
    let text = address.to_string();
    let circled = |it| if it == 0 { 0x24ea } else { 0x245f + it };
    vec![
        ("dotted", text.clone()),
        ("decimal", bits.to_string()),
        ("hex", format!("{bits:#x}")),
        ("hex upper", format!("0X{bits:08X}")),
        ("octal", format!("0{bits:o}")),
        ("dotted hex", format!("{a:#x}.{b:#x}.{c:#x}.{d:#x}")),
        ("dotted octal", format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}")),
        ("leading zeros", format!("{a:03}.{b:03}.{c:03}.0{d:03}")),
        ("mixed bases", format!("{a:#x}.{b}.0{c:o}.{d}")),
        ("three parts", format!("{a}.{b}.{low16}")),
        ("two parts", format!("{a}.{low24}")),
        ("overflow", format!("{a}.{b}.{c}.{}", 256 + u32::from(d))),
        ("trailing dot", format!("{text}.")),
        ("percent", with_digits(&text, |it| it + 0x30).replace('.', "%2e")),
        ("wide digits", with_digits(&text, |it| 0xff10 + it)),
        ("circled digits", with_digits(&text, circled)),
        ("ideographic dots", text.replace('.', "。")),
        ("soft hyphen", text.replacen('.', ".\u{ad}", 1)),
        ("mapped", format!("[::ffff:{text}]")),
        ("mapped hex", format!("[0:0:0:0:0:FFFF:{a:02X}{b:02x}:{c:02x}{d:02x}]")),
        ("compatible", format!("[::{text}]")),
        ("translated", format!("[::ffff:0:{text}]")),
        ("NAT64", format!("[64:ff9b::{text}]")),
        ("local NAT64", format!("[64:ff9b:1::{text}]")),
        ("6to4", format!("[2002:{a:02x}{b:02x}:{c:02x}{d:02x}::1]")),
        ("Teredo", format!("[2001:0:{a:02x}{b:02x}:{c:02x}{d:02x}::1]")),
        ("ISATAP", format!("[2606:4700::5efe:{text}]")),
        ("ISATAP global", format!("[2606:4700::200:5efe:{text}]")),
        ("zone id", format!("[::ffff:{text}%25eth0]")),
        ("user-info", format!("8.8.8.8@{text}")),
        ("user and password", format!("8.8.8.8:80@{text}")),
        ("backslash", format!("{text}\\@8.8.8.8")),
        ("fragment", format!("{text}#@8.8.8.8")),
        ("tab", format!("{a}.{b}\t.{c}.{d}")),
        ("line break", format!("{text}\r\nHost: x")),
        ("NUL", format!("{text}\0.example.com")),
        ("name", format!("v4-{}.nip.example", text.replace('.', "-"))),
        ("name, mixed answer", format!("mixed-{}.nip.example", text.replace('.', "-"))),
    ]
}

fn spellings_6(address: Ipv6Addr) -> Vec<(&'static str, String)> {
    let groups = address.segments().map(|it| format!("{it:04X}")).join(":");
    vec![
        ("IPv6", format!("[{address}]")),
        ("IPv6 in full", format!("[{groups}]")),
        ("IPv6 zone", format!("[{address}%25lo]")),
        ("IPv6 bare zone", format!("[{address}%lo]")),
        ("IPv6 trailing dot", format!("[{address}].")),
        ("IPv6 user-info", format!("x@[{address}]")),
        ("IPv6 name", format!("v6-{:032x}.nip.example", address.to_bits())),
    ]
}

/// Returns URLs that are rejected for other reasons than the notation of an address.
fn others(port: u16) -> Vectors {
    let schemes = [
        "file://",
        "gopher://",
        "ftp://",
        "dict://",
        "ldap://",
        "tftp://",
        "ws://",
        "unix:",
        "//",
        "http:",
        "http:/",
        "http:///",
        "https:\\\\",
        "\thttp://",
        " http://",
        "jar:http://",
        "view-source:http://",
        "javascript://",
        "data:,",
        "blob:http://",
        "http+unix://",
    ];
    let names = [
        "localhost",
        "LOCALHOST",
        "localhost.",
        "a.localhost",
        "localhost.localdomain",
        "ｌocalhost",
        "loc\u{ad}alhost",
        "lo%63alhost",
        "metadata",
        "metadata.google.internal",
        "metadata.goog",
        "instance-data",
        "metadata.azure.internal",
        "kubernetes.default.svc.cluster.local",
        "printer.local",
        "router.lan",
        "nas.home.arpa",
        "db",
        "metadata.tencentyun.com",
    ];
    let mut found: Vectors = schemes.map(|it| ("scheme", format!("{it}127.0.0.1:{port}/"))).into();
    found.extend(names.map(|it| ("inside name", format!("http://{it}:{port}/"))));
    let closed = (1..1024).filter(|port| ![80, 443].contains(port));
    found.extend(closed.map(|port| ("port", format!("http://8.8.8.8:{port}/"))));
    found
}

fn corpus(port: u16) -> Vectors {
    let mut found = others(port);
    let hosts_4 = addresses_4().into_iter().flat_map(spellings_4);
    let hosts_6 = addresses_6().into_iter().flat_map(spellings_6);
    for (at, (kind, host)) in hosts_4.chain(hosts_6).enumerate() {
        // The port precedes the characters that hide the end of the host.
        let url = match host.find(['\\', '#', '\r', '\0']) {
            Some(end) => format!("http://{}:{port}{}/", &host[..end], &host[end..]),
            None if at % 3 == 0 => format!("https://{host}:{port}/hook"),
            None => format!("http://{host}:{port}/hook"),
        };
        found.push((kind, url));
    }
    found
}

/// Returns a resolver for names that contain their address, like some public name servers.
fn encoded_address_resolver() -> Resolver {
    Resolver::scripted(|name| {
        let label = name.split('.').next().unwrap_or_default();
        let four =
            |text: &str| text.replace('-', ".").parse::<Ipv4Addr>().expect("the address is valid");
        ScriptedAnswer::Addresses(match label.split_once('-') {
            Some(("v4", text)) => vec![four(text).into()],
            Some(("mixed", text)) => vec![[8, 8, 8, 8].into(), four(text).into()],
            Some(("v6", text)) => {
                let bits = u128::from_str_radix(text, 16).expect("the address is valid");
                vec![Ipv6Addr::from_bits(bits).into()]
            }
            _ => vec![[127, 0, 0, 1].into()],
        })
    })
}

#[tokio::test]
async fn no_notation_of_a_forbidden_address_is_connected_to() {
    let canary = Canary::start().await;
    let client = client(public_guard(), encoded_address_resolver());
    let (mut kinds, mut allowed) = (BTreeMap::<_, usize>::new(), Vec::new());
    let (vectors, mut at_save) = (corpus(canary.port()), 0);
    for (kind, url) in &vectors {
        *kinds.entry(*kind).or_default() += 1;
        at_save += usize::from(client.guard().check(url).is_err());
        let attempted = client.post(request(url.clone(), PATIENT)).await;
        if word(&attempted) != "blocked_address" || attempted.peer.is_some() {
            allowed.push((kind, url, attempted));
        }
    }
    let hits = canary.hits_when_settled().await;
    println!("S1: {} vectors of {} kinds: {kinds:?}", vectors.len(), kinds.len());
    println!("S1: refused at save {at_save}, allowed {}, canary hits {hits}", allowed.len());
    assert!(vectors.len() >= 1000, "{}", vectors.len());
    assert!(allowed.is_empty(), "{allowed:#?}");
    assert_eq!(hits, 0);
}

#[tokio::test]
async fn the_canary_detects_connections() {
    let canary = Canary::start().await;
    let attempted = post(&local_client(), format!("http://127.0.0.1:{}/", canary.port())).await;
    assert_eq!((word(&attempted).as_str(), canary.hits()), ("200", 1));
}
