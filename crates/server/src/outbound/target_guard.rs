//! Which targets may be called (D-0010). Asked when one is saved and again at each attempt.

use std::net::{IpAddr, SocketAddr};

use super::allow_list::AllowList;
use super::special_addresses::special_block;
use super::target::{BlockedTarget, Host, Target};
use crate::outbound::ports::{is_mail, is_open};

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
    pub fn check(&self, url: &str) -> Result<Target, BlockedTarget> {
        let target = Target::parse(url)?;
        self.checked(target)
    }

    /// The same for a mail server, which may also listen where mail servers do.
    pub(super) fn check_mail(
        &self,
        host: &str,
        port: u16,
        is_tls: bool,
    ) -> Result<Target, BlockedTarget> {
        self.checked(Target::mail(host, port, is_tls)?)
    }

    fn checked(&self, target: Target) -> Result<Target, BlockedTarget> {
        match target.host() {
            Host::Address(address) => self.vet_one(*address, &target)?,
            Host::Name(name) => self.check_name(name, &target)?,
        }
        Ok(target)
    }

    /// Decides about what a target resolved to: one address that is not allowed refuses them all.
    pub fn vet(&self, addresses: &[IpAddr], target: &Target) -> Result<Vetted, BlockedTarget> {
        if addresses.is_empty() {
            return Err(BlockedTarget::NoAddress);
        }
        for address in addresses {
            self.vet_one(*address, target)?;
        }
        let with_port = |address: &IpAddr| SocketAddr::new(*address, target.port());
        Ok(Vetted(addresses.iter().map(with_port).collect()))
    }

    fn vet_one(&self, address: IpAddr, target: &Target) -> Result<(), BlockedTarget> {
        if self.allowed.allows(target.host(), address, target.port()) {
            return Ok(());
        }
        let is_own_machine = self.calls_loopback && address.is_loopback();
        if let Some(block) = special_block(address).filter(|_| !is_own_machine) {
            return Err(BlockedTarget::Address(block));
        }
        if may_listen(target) { Ok(()) } else { Err(BlockedTarget::Port(target.port())) }
    }

    /// Refuses only what no address can make good: `vet` decides about the rest.
    fn check_name(&self, name: &str, target: &Target) -> Result<(), BlockedTarget> {
        let port = target.port();
        if self.allowed.has_name(name, port) {
            return Ok(());
        }
        if METADATA_NAMES.contains(&name) {
            return Err(BlockedTarget::InsideName(name.to_owned()));
        }
        let may_be_listed = self.allowed.has_block(port);
        if !self.calls_loopback && !may_be_listed && is_inside(name) {
            return Err(BlockedTarget::InsideName(name.to_owned()));
        }
        if !may_be_listed && !may_listen(target) {
            return Err(BlockedTarget::Port(port));
        }
        Ok(())
    }
}

fn may_listen(target: &Target) -> bool {
    is_open(target.port()) || target.is_mail() && is_mail(target.port())
}

fn is_inside(name: &str) -> bool {
    let ends_with = |ending: &str| {
        name.strip_suffix(ending).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    !name.contains('.') || INSIDE_ENDINGS.iter().any(|ending| ends_with(ending))
}
