//! The operator's list of targets that may be called although they are not public (D-0010).

use std::net::{IpAddr, Ipv6Addr};

use ipnet::IpNet;

use super::target::{Host, Target};
use crate::ports::is_open;

const ENTRIES_MAX: usize = 256;

/// Names and address blocks, each with one port or with all ports that are open by default.
///
/// Entries match exactly: a name does not include its subdomains, and an IPv4 block does not
/// include IPv6 spellings of its addresses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowList {
    entries: Vec<Entry>,
}

/// An allow list entry that is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid allow list entry `{entry}`: {problem}")]
pub struct AllowListError {
    entry: String,
    problem: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    what: AllowedTarget,
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum AllowedTarget {
    Name(String),
    Block(IpNet),
}

impl AllowList {
    /// Parses entries separated by commas or whitespace: `host`, `host:port`, `10.0.0.0/8`,
    /// `10.0.0.0/8:8080`, `fd00::/8`, `[fd00::/8]:8080`. An empty string is an empty list.
    pub fn parse(text: &str) -> Result<Self, AllowListError> {
        let words = text.split(|it: char| it == ',' || it.is_whitespace());
        let mut entries = Vec::new();
        for word in words.filter(|word| !word.is_empty()) {
            let refused = |problem| AllowListError { entry: word.to_owned(), problem };
            if entries.len() == ENTRIES_MAX {
                return Err(refused("the list has more than 256 entries"));
            }
            entries.push(Entry::parse(word).map_err(refused)?);
        }
        Ok(Self { entries })
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether an address of a host may be called at a port.
    pub(super) fn allows(&self, host: &Host, address: IpAddr, port: u16) -> bool {
        self.entries.iter().any(|entry| {
            entry.is_for_port(port)
                && match &entry.what {
                    AllowedTarget::Name(name) => matches!(host, Host::Name(it) if it == name),
                    AllowedTarget::Block(block) => block.contains(&address),
                }
        })
    }

    /// Whether the name itself is listed, regardless of its addresses.
    pub(super) fn has_name(&self, name: &str, port: u16) -> bool {
        let is_it = |entry: &Entry| matches!(&entry.what, AllowedTarget::Name(it) if it == name);
        self.entries.iter().any(|entry| is_it(entry) && entry.is_for_port(port))
    }

    /// Whether the list has an address block for the port, so that an unlisted name may resolve to
    /// an allowed address.
    pub(super) fn has_block(&self, port: u16) -> bool {
        let is_block = |entry: &Entry| matches!(entry.what, AllowedTarget::Block(_));
        self.entries.iter().any(|entry| is_block(entry) && entry.is_for_port(port))
    }
}

impl Entry {
    fn parse(word: &str) -> Result<Self, &'static str> {
        if let Some(rest) = word.strip_prefix('[') {
            let (inside, after) = rest.split_once(']').ok_or("`]` is missing")?;
            let is_ipv6 = inside.split('/').next().is_some_and(|it| it.parse::<Ipv6Addr>().is_ok());
            let block = parse_block(inside).filter(|_| is_ipv6);
            let what =
                AllowedTarget::Block(block.ok_or("only IPv6 addresses may be in brackets")??);
            let port = match after.strip_prefix(':') {
                Some(port) => Some(parse_port(port)?),
                None if after.is_empty() => None,
                None => return Err("only `:port` may follow the brackets"),
            };
            return Ok(Self { what, port });
        }
        if let Some(block) = parse_block(word) {
            return Ok(Self { what: AllowedTarget::Block(block?), port: None });
        }
        let (host, port) = match word.split_once(':') {
            Some((host, port)) => (host, Some(parse_port(port)?)),
            None => (word, None),
        };
        let what = match parse_block(host) {
            Some(block) => AllowedTarget::Block(block?),
            None => AllowedTarget::Name(parse_name(host)?),
        };
        Ok(Self { what, port })
    }

    /// Whether the entry applies to a port. An entry without a port applies to the ports that are
    /// open by default.
    fn is_for_port(&self, port: u16) -> bool {
        self.port.map_or_else(|| is_open(port), |it| it == port)
    }
}

/// Parses an address or an address block. Returns `None` if the text is neither.
fn parse_block(text: &str) -> Option<Result<IpNet, &'static str>> {
    if let Ok(address) = text.parse::<IpAddr>() {
        return Some(Ok(IpNet::from(address)));
    }
    let block: IpNet = text.parse().ok()?;
    Some(match block {
        block if block.prefix_len() == 0 => Err("a block of all addresses is not allowed"),
        block if block.trunc() != block => Err("the address must be the first one of its block"),
        block => Ok(block),
    })
}

fn parse_port(text: &str) -> Result<u16, &'static str> {
    let port = text.parse().ok().filter(|port: &u16| *port > 0 && port.to_string() == text);
    port.ok_or("the port must be a number from 1 to 65535")
}

fn parse_name(text: &str) -> Result<String, &'static str> {
    match Target::parse(&format!("http://{text}/")).map(|target| target.host().clone()) {
        Ok(Host::Name(name)) if name.eq_ignore_ascii_case(text) => Ok(name),
        _ => Err("not a host name, address or address block"),
    }
}
