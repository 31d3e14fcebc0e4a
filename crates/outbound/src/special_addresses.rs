//! Addresses that are not public: IANA's special-purpose registries, and IPv6 notations that embed
//! IPv4 addresses.
//!
//! Of the IPv6 addresses, only global unicast (`2000::/3`) and NAT64 of public IPv4 addresses can
//! be public. Therefore `::/8`, site-local, unique local, link-local, multicast and SRv6 need no
//! entries.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

type Block4 = (Ipv4Addr, u32, &'static str);
type Block6 = (Ipv6Addr, u32, &'static str);

const BLOCKS_4: [Block4; 19] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8, "this network"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "private"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "shared address space"),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "loopback"),
    (Ipv4Addr::new(168, 63, 129, 16), 32, "cloud metadata"),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "link-local"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "private"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "protocol assignments"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "documentation"),
    (Ipv4Addr::new(192, 31, 196, 0), 24, "AS112"),
    (Ipv4Addr::new(192, 52, 193, 0), 24, "multicast tunnels"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "6to4 relays"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "private"),
    (Ipv4Addr::new(192, 175, 48, 0), 24, "AS112"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "benchmarking"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "documentation"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "documentation"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "multicast"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "reserved"),
];

/// The special blocks within global unicast.
const BLOCKS_6: [Block6; 5] = [
    // Teredo, benchmarking, ORCHID and all other assignments in this block.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, "protocol assignments"),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, "documentation"),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16, "6to4"),
    (Ipv6Addr::new(0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0), 48, "AS112"),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, "documentation"),
];

const NAT64: (Ipv6Addr, u32) = (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96);
const GLOBAL_UNICAST: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Returns the reason why an address is not public, or `None` if it is.
pub(super) fn special_block(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => special_block_4(address),
        IpAddr::V6(address) => special_block_6(address),
    }
}

fn special_block_4(address: Ipv4Addr) -> Option<&'static str> {
    let is_in = |block: &&Block4| {
        let shift = u32::BITS - block.1;
        address.to_bits() >> shift == block.0.to_bits() >> shift
    };
    BLOCKS_4.iter().find(is_in).map(|block| block.2)
}

fn special_block_6(address: Ipv6Addr) -> Option<&'static str> {
    if is_in_6(address, NAT64.0, NAT64.1) {
        let inner = Ipv4Addr::from_bits(address.to_bits() as u32);
        return special_block_4(inner);
    }
    if !is_in_6(address, GLOBAL_UNICAST.0, GLOBAL_UNICAST.1) {
        return Some("not global unicast");
    }
    // ISATAP: the last four bytes are an IPv4 address to which a router may forward.
    let [.., fifth, sixth, _, _] = address.segments();
    if matches!(fifth, 0 | 0x200) && sixth == 0x5efe {
        return Some("ISATAP");
    }
    BLOCKS_6.iter().find(|block| is_in_6(address, block.0, block.1)).map(|block| block.2)
}

fn is_in_6(address: Ipv6Addr, block: Ipv6Addr, prefix: u32) -> bool {
    let shift = u128::BITS - prefix;
    address.to_bits() >> shift == block.to_bits() >> shift
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block_of(address: &str) -> Option<&'static str> {
        special_block(address.parse().expect(address))
    }

    #[test]
    fn addresses_next_to_special_blocks_are_public() {
        let public = [
            "1.0.0.0",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.0.3.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "168.63.129.15",
            "168.63.129.17",
            "2001:200::1",
            "2001:4860:4860::8888",
            "2003::1",
            "2606:4700::1111",
            "2a00::1",
            "3ffe:ffff::1",
            "64:ff9b::8.8.8.8",
        ];
        for address in public {
            assert_eq!(block_of(address), None, "{address}");
        }
    }

    #[test]
    fn special_addresses_are_not_public() {
        let special = [
            ("0.0.0.0", "this network"),
            ("10.255.255.255", "private"),
            ("100.100.100.200", "shared address space"),
            ("127.255.255.254", "loopback"),
            ("169.254.169.254", "link-local"),
            ("172.31.255.255", "private"),
            ("168.63.129.16", "cloud metadata"),
            ("192.0.0.192", "protocol assignments"),
            ("198.19.255.255", "benchmarking"),
            ("239.1.1.1", "multicast"),
            ("240.0.0.1", "reserved"),
            ("255.255.255.255", "reserved"),
            ("::", "not global unicast"),
            ("::1", "not global unicast"),
            ("::ffff:8.8.8.8", "not global unicast"),
            ("::8.8.8.8", "not global unicast"),
            ("64:ff9b::10.0.0.1", "private"),
            ("64:ff9b:1::8.8.8.8", "not global unicast"),
            ("100::1", "not global unicast"),
            ("2001::1", "protocol assignments"),
            ("2001:1ff::1", "protocol assignments"),
            ("2001:db8::1", "documentation"),
            ("2002:808:808::1", "6to4"),
            ("3fff::1", "documentation"),
            ("5f00::1", "not global unicast"),
            ("fd00:ec2::254", "not global unicast"),
            ("fe80::1", "not global unicast"),
            ("fec0::1", "not global unicast"),
            ("ff02::1", "not global unicast"),
            ("2606:4700::5efe:10.0.0.1", "ISATAP"),
            ("2606:4700::200:5efe:10.0.0.1", "ISATAP"),
        ];
        for (address, block) in special {
            assert_eq!(block_of(address), Some(block), "{address}");
        }
    }
}
