//! Client addresses: the key of limits for callers who have not authenticated.
//!
//! `http` determines the address of a request and `realtime` that of a socket. An address proves
//! nothing; it only selects whose share of a limit is used.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;

/// The client address that `confab doctor` pretends to have. It is reserved for documentation (RFC
/// 5737), so no client has it.
pub const PROBE_ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));

/// The client's address, as far as limits distinguish addresses. An IPv6 network of 64 bits counts
/// as one address, because one client usually has all of its addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Peer(IpAddr);

impl std::fmt::Display for Peer {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(out)
    }
}

impl Peer {
    /// Returns the peer at the other end of a socket.
    pub fn of_socket(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(address) => Self(address.into()),
            // The loopback address stays as it is: its network is not one client.
            IpAddr::V6(address) if address.is_loopback() => Self(address.into()),
            IpAddr::V6(address) => {
                let network = u128::from(address) >> 64 << 64;
                Self(Ipv6Addr::from(network).into())
            }
        }
    }

    /// Returns the IPv4 address, or the address of the IPv6 network.
    pub fn address(&self) -> IpAddr {
        self.0
    }

    /// Whether the peer is on this machine. It is then usually a proxy that is missing from
    /// `trusted_proxies` and forwards all clients.
    pub fn is_loopback(&self) -> bool {
        self.0.is_loopback()
    }

    /// Returns the client behind proxies. `forwarded` is the list of addresses to which each proxy
    /// appends the address of its own caller. An untrusted caller can write anything into it, so
    /// the client is the last address of the list that is not a trusted proxy.
    pub fn behind(
        socket: IpAddr,
        forwarded: impl DoubleEndedIterator<Item = Option<IpAddr>>,
        trusted: &[IpNet],
    ) -> Self {
        let mut caller = socket;
        let mut hops = forwarded.rev();
        while Self::is_trusted(caller, trusted) {
            let Some(Some(before)) = hops.next() else { break };
            caller = before;
        }
        Self::of_socket(caller)
    }

    /// Whether an address belongs to a trusted proxy.
    pub fn is_trusted(address: IpAddr, trusted: &[IpNet]) -> bool {
        let address = address.to_canonical();
        trusted.iter().any(|network| network.contains(&address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(socket: &str, forwarded: &[&str], expected: &str) {
        let trusted = ["10.0.0.0/8", "::1/128"].map(|it| it.parse().expect("a network"));
        let forwarded = forwarded.iter().map(|it| it.parse().ok());
        let peer = Peer::behind(socket.parse().expect("an address"), forwarded, &trusted);
        assert_eq!(peer.0.to_string(), expected);
    }

    #[test]
    fn only_forwarding_headers_of_a_trusted_proxy_are_used() {
        check("203.0.113.7", &["198.51.100.1"], "203.0.113.7");
        check("10.0.0.1", &["198.51.100.1"], "198.51.100.1");
        check("::ffff:10.0.0.1", &["198.51.100.1"], "198.51.100.1");
        check("10.0.0.1", &[], "10.0.0.1");
    }

    #[test]
    fn addresses_that_the_caller_put_before_the_proxies_are_ignored() {
        check("10.0.0.1", &["192.0.2.9", "198.51.100.1", "10.0.0.2"], "198.51.100.1");
        check("10.0.0.1", &["192.0.2.9", "unknown"], "10.0.0.1");
    }

    #[test]
    fn an_ipv6_network_counts_as_one_peer() {
        check("2001:db8:1:2:3:4:5:6", &[], "2001:db8:1:2::");
        check("::1", &["2001:db8::77"], "2001:db8::");
    }
}
