//! The rule that decides which targets may be called (D-0010). It is applied when a target is
//! saved, and again in each attempt.

use std::net::{IpAddr, SocketAddr};

use super::allow_list::AllowList;
use super::special_addresses::special_block;
use super::target::{BlockedTarget, Host, Target};
use crate::ports::{is_mail, is_open};

/// Names of cloud metadata services, which give a machine its credentials.
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

/// Endings of names that are valid inside a private network only.
const INTERNAL_ENDINGS: [&str; 10] = [
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

/// The target rule with the server's settings.
#[derive(Debug, Clone)]
pub struct TargetGuard {
    calls_loopback: bool,
    allowed: AllowList,
}

/// Addresses that may be connected to. Only [`TargetGuard`] creates values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VettedAddresses(Vec<SocketAddr>);

impl VettedAddresses {
    /// Returns the addresses; at least one.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.0
    }
}

impl TargetGuard {
    /// Creates a guard. `calls_loopback` allows receivers on this machine (D-0010).
    pub fn new(calls_loopback: bool, allowed: AllowList) -> Self {
        Self { calls_loopback, allowed }
    }

    /// Parses a URL, and applies all checks that do not need the resolved addresses of its host.
    pub fn check(&self, url: &str) -> Result<Target, BlockedTarget> {
        let target = Target::parse(url)?;
        self.checked(target)
    }

    /// Parses and checks the address of a mail server; ports of mail servers are also allowed.
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

    /// Checks the resolved addresses of a target. A single address that is not allowed rejects all.
    pub fn vet(
        &self,
        addresses: &[IpAddr],
        target: &Target,
    ) -> Result<VettedAddresses, BlockedTarget> {
        if addresses.is_empty() {
            return Err(BlockedTarget::NoAddress);
        }
        for address in addresses {
            self.vet_one(*address, target)?;
        }
        let with_port = |address: &IpAddr| SocketAddr::new(*address, target.port());
        Ok(VettedAddresses(addresses.iter().map(with_port).collect()))
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

    /// Rejects a name that is not allowed with any address. Names that pass are resolved, and `vet`
    /// checks their addresses.
    fn check_name(&self, name: &str, target: &Target) -> Result<(), BlockedTarget> {
        let port = target.port();
        if self.allowed.has_name(name, port) {
            return Ok(());
        }
        if METADATA_NAMES.contains(&name) {
            return Err(BlockedTarget::InternalName(name.to_owned()));
        }
        let may_be_listed = self.allowed.has_block(port);
        if !self.calls_loopback && !may_be_listed && is_internal(name) {
            return Err(BlockedTarget::InternalName(name.to_owned()));
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

fn is_internal(name: &str) -> bool {
    let ends_with = |ending: &str| {
        name.strip_suffix(ending).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    !name.contains('.') || INTERNAL_ENDINGS.iter().any(|ending| ends_with(ending))
}
