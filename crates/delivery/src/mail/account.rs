//! The mail servers of a channel, with their credentials.

use confab_domain::channels::provider_account::ProviderAccount;
use confab_outbound::MailHost;

/// The encryption of a connection to a mail server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Security {
    /// TLS from the first byte.
    Tls,
    /// TLS after the STARTTLS command.
    StartTls,
    /// No encryption, for a server on this machine or in a trusted network.
    Plain,
}

/// One of the two mail servers of a channel. Not `Debug`, because it contains a password.
pub struct MailServer {
    pub(super) host: MailHost,
    pub(super) security: Security,
    pub user: String,
    pub password: String,
}

impl MailServer {
    /// Returns the server for incoming mails.
    pub fn imap(account: &ProviderAccount) -> Self {
        Self::of(account, "imap", (993, 143))
    }

    /// Returns the server for outgoing mails.
    pub fn smtp(account: &ProviderAccount) -> Self {
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
