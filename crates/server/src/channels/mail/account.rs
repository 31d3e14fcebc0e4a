//! Where the mailbox of a channel is, and what opens it.

use confab_domain::channels::provider_account::ProviderAccount;

use crate::outbound::MailHost;

/// How a connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Security {
    /// From the first byte on.
    Tls,
    /// After a few words.
    StartTls,
    /// Not at all: for a server on this machine or in a network that is trusted.
    Plain,
}

/// One of the two servers of a channel. No `Debug`: it holds a password.
pub(super) struct MailServer {
    pub(super) host: MailHost,
    pub(super) security: Security,
    pub(super) user: String,
    pub(super) password: String,
}

impl MailServer {
    /// Where mails come from.
    pub(super) fn imap(account: &ProviderAccount) -> Self {
        Self::of(account, "imap", (993, 143))
    }

    /// Where mails go.
    pub(super) fn smtp(account: &ProviderAccount) -> Self {
        Self::of(account, "smtp", (465, 587))
    }

    fn of(account: &ProviderAccount, protocol: &str, ports: (u16, u16)) -> Self {
        let setting = |name: &str| account.setting(&format!("{protocol}_{name}"));
        let security = match setting("security") {
            "starttls" => Security::StartTls,
            "none" => Security::Plain,
            _ => Security::Tls,
        };
        let usual = if security == Security::Tls { ports.0 } else { ports.1 };
        let port = setting("port").parse().unwrap_or(usual);
        let user = match setting("user") {
            "" => account.setting("address"),
            user => user,
        };
        let password = match account.secret(&format!("{protocol}_password")) {
            "" => account.secret("password"),
            own => own,
        };
        let (name, is_tls) = (setting("host").to_owned(), security == Security::Tls);
        let host = MailHost { name, port, is_tls };
        Self { host, security, user: user.to_owned(), password: password.to_owned() }
    }
}
