//! Which targets may be called (D-0010). Asked when one is saved and again at each attempt.

use std::net::{IpAddr, SocketAddr};

use super::allow_list::AllowList;
use super::special_addresses::special_block;
use super::target::{Blocked, Host, Target};

/// Ports from 1024 on where other services listen, which no webhook is meant for. Below that only
/// 80 and 443 are called, so ssh and mail are out of reach at their usual ports.
const SERVICE_PORTS: [&[u16]; 8] = [
    // Databases.
    &[
        1433, 1521, 3306, 5432, 5433, 5984, 6432, 7474, 7687, 8123, 9042, 26257, 27017, 27018,
        27019, 28015, 33060, 50070,
    ],
    // Caches.
    &[6379, 6380, 11211, 16379, 26379],
    // Search.
    &[6333, 7700, 8108, 8983, 9200, 9300],
    // Container engines and what runs them.
    &[2375, 2376, 2377, 2379, 2380, 4243, 6443, 10250, 10255],
    // Mail and ssh where they must not be root.
    &[1025, 2222, 2525],
    // Queues and brokers.
    &[1883, 4222, 5671, 5672, 6222, 8222, 8883, 9092, 15672, 61616],
    // Secrets and coordination.
    &[2181, 8200, 8500],
    // Files, screens, telephones, chat, proxies.
    &[2049, 3128, 3389, 5060, 5061, 5900, 5985, 5986, 6000, 6667, 7000, 7001],
];

/// Where the clouds tell a machine its secrets.
const METADATA_NAMES: [&str; 9] = [
    "metadata",
    "metadata.google.internal",
    "metadata.goog",
    "metadata.azure.internal",
    "metadata.tencentyun.com",
    "metadata.platformequinix.com",
    "metadata.packet.net",
    "instance-data",
    "instance-data.ec2.internal",
];

/// Endings of names that mean something inside a network only.
const INSIDE_ENDINGS: [&str; 10] = [
    "localhost",
    "local",
    "localdomain",
    "internal",
    "intranet",
    "private",
    "corp",
    "home",
    "lan",
    "home.arpa",
];

/// The rule about targets, for one server.
#[derive(Debug, Clone)]
pub struct TargetGuard {
    calls_loopback: bool,
    allowed: AllowList,
}

/// Addresses that may be connected to. Only the guard makes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vetted(Vec<SocketAddr>);

impl Vetted {
    /// At least one.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.0
    }
}

impl TargetGuard {
    /// `calls_loopback`: receivers on this machine may be called (D-0072).
    pub fn new(calls_loopback: bool, allowed: AllowList) -> Self {
        Self { calls_loopback, allowed }
    }

    /// Reads a URL and refuses what can be refused without resolving its name.
    pub fn check(&self, url: &str) -> Result<Target, Blocked> {
        let target = Target::parse(url)?;
        match target.host() {
            Host::Address(address) => self.vet_one(*address, &target)?,
            Host::Name(name) => self.check_name(name, target.port())?,
        }
        Ok(target)
    }

    /// Decides about what a target resolved to: one address that is not allowed refuses them all.
    pub fn vet(&self, addresses: &[IpAddr], target: &Target) -> Result<Vetted, Blocked> {
        if addresses.is_empty() {
            return Err(Blocked::NoAddress);
        }
        for address in addresses {
            self.vet_one(*address, target)?;
        }
        let with_port = |address: &IpAddr| SocketAddr::new(*address, target.port());
        Ok(Vetted(addresses.iter().map(with_port).collect()))
    }

    fn vet_one(&self, address: IpAddr, target: &Target) -> Result<(), Blocked> {
        if self.allowed.allows(target.host(), address, target.port()) {
            return Ok(());
        }
        let is_own_machine = self.calls_loopback && address.is_loopback();
        if let Some(block) = special_block(address).filter(|_| !is_own_machine) {
            return Err(Blocked::Address(block));
        }
        if is_open(target.port()) { Ok(()) } else { Err(Blocked::Port(target.port())) }
    }

    /// Refuses only what no address can make good: `vet` decides about the rest.
    fn check_name(&self, name: &str, port: u16) -> Result<(), Blocked> {
        if self.allowed.has_name(name, port) {
            return Ok(());
        }
        if METADATA_NAMES.contains(&name) {
            return Err(Blocked::InsideName(name.to_owned()));
        }
        let may_be_listed = self.allowed.has_block(port);
        if !self.calls_loopback && !may_be_listed && is_inside(name) {
            return Err(Blocked::InsideName(name.to_owned()));
        }
        if !may_be_listed && !is_open(port) {
            return Err(Blocked::Port(port));
        }
        Ok(())
    }
}

/// Whether receivers of web requests listen at a port.
pub(super) fn is_open(port: u16) -> bool {
    matches!(port, 80 | 443 | 1024..)
        && !SERVICE_PORTS.iter().any(|of_kind| of_kind.contains(&port))
}

fn is_inside(name: &str) -> bool {
    let ends_with = |ending: &str| {
        name.strip_suffix(ending).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    !name.contains('.') || INSIDE_ENDINGS.iter().any(|ending| ends_with(ending))
}
