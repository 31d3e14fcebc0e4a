//! Email channels, as admins see and configure them (channel facts 2 and 4.4). Responses show at
//! most the last four characters of passwords.

use std::collections::BTreeMap;

use confab_domain::channels::channel::Channel;
use confab_domain::channels::email_address::{is_address, normal_address};
use confab_domain::channels::provider_account::ProviderAccount;
use confab_domain::field_problem::FieldProblem;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use serde::Serialize;
use utoipa::ToSchema;

use super::provider_channels::{PrintedUrl, ProviderChannelInput, auto_replies, masked_token};
use crate::body::Body;
use crate::fields::shape::string;
use crate::fields::{Flag, Label, Properties, field};
use crate::request::request;
use crate::time::to_the_microsecond;

const PASSWORD: &str = "password";
const SMTP_PASSWORD: &str = "smtp_password";
const BASE_URL: &str = "base_url";
const PASSWORD_CHARS_MAX: usize = 1024;
const HOST_CHARS_MAX: usize = 253;

request! {
    /// Body of `POST /api/v2/email/connect`.
    pub struct ConnectEmailFields as "ConnectEmail" {
        /// Email address to which customers write. Only one channel can have it.
        address: MailAddress, required, example = "help@shop.example";
        /// Password of the mailbox; many providers require an app password. Optional without an
        /// IMAP server; the SMTP server is then used without authentication.
        password: MailPassword, optional;
        /// Host of the IMAP server. Without one, a mail server must deliver emails by LMTP: the
        /// operator enables it with `lmtp_listen` and, on a server with several apps, assigns the
        /// address's domain to this app.
        imap_host: MailHostName, optional, example = "imap.shop.example";
        /// Port of the IMAP server; defaults to 993 with `tls`, otherwise to 143.
        imap_port: MailPort, optional;
        /// Encryption of the IMAP connection: `tls` (default), `starttls`, or `none` for a server
        /// in a trusted network.
        imap_security: MailSecurity, optional;
        /// User name for the IMAP server; defaults to `address`.
        imap_user: Label<{ limits::NAME_CHARS_MAX }>, optional;
        /// IMAP folder to read; default `INBOX`.
        imap_folder: Label<{ limits::NAME_CHARS_MAX }>, optional;
        /// Host of the SMTP server.
        smtp_host: MailHostName, required, example = "smtp.shop.example";
        /// Port of the SMTP server; defaults to 465 with `tls`, otherwise to 587.
        smtp_port: MailPort, optional;
        /// Encryption of the SMTP connection: `tls` (default), `starttls`, or `none` for a server
        /// in a trusted network.
        smtp_security: MailSecurity, optional;
        /// User name for the SMTP server; defaults to `address`.
        smtp_user: Label<{ limits::NAME_CHARS_MAX }>, optional;
        /// Password for the SMTP server; defaults to the value of `password`.
        smtp_password: MailPassword, optional;
        /// Display name of the channel, and sender name of its emails; defaults to `address`.
        name: Label<{ limits::NAME_CHARS_MAX }>, optional;
        /// `log:` to print outgoing messages on the server's standard output instead of sending
        /// them.
        base_url: PrintedUrl, optional;
        /// Automatic replies: `online_message`, `offline_message`, `send_online_if_resolved`,
        /// `send_offline_each_message`.
        configs: Properties, optional;
    }
}

request! {
    /// Body of `POST /api/v2/email/connect/{id}/update`. Absent fields keep their values.
    pub struct ChangeEmailFields as "ChangeEmail" {
        /// New password of the mailbox; messages that are not yet sent use it, too.
        password: MailPassword, optional;
        /// Host of the IMAP server.
        imap_host: MailHostName, optional;
        /// Port of the IMAP server.
        imap_port: MailPort, optional;
        /// Encryption of the IMAP connection: `tls`, `starttls` or `none`.
        imap_security: MailSecurity, optional;
        /// User name for the IMAP server.
        imap_user: Label<{ limits::NAME_CHARS_MAX }>, optional;
        /// IMAP folder to read.
        imap_folder: Label<{ limits::NAME_CHARS_MAX }>, optional;
        /// Host of the SMTP server.
        smtp_host: MailHostName, optional;
        /// Port of the SMTP server.
        smtp_port: MailPort, optional;
        /// Encryption of the SMTP connection: `tls`, `starttls` or `none`.
        smtp_security: MailSecurity, optional;
        /// User name for the SMTP server.
        smtp_user: Label<{ limits::NAME_CHARS_MAX }>, optional;
        /// Password for the SMTP server, if it differs from `password`.
        smtp_password: MailPassword, optional;
        /// Display name of the channel, and sender name of its emails.
        name: Label<{ limits::NAME_CHARS_MAX }>, optional;
        /// Whether the channel is active; an inactive channel neither receives nor sends messages.
        is_active: Flag, optional;
        /// Automatic replies: `online_message`, `offline_message`, `send_online_if_resolved`,
        /// `send_offline_each_message`.
        configs: Properties, optional;
    }
}

field! {
    /// An email address.
    MailAddress -> String, string();
    |reading, field, given| {
        let text = reading.filled_text(field, given)?;
        match normal_address(&text).filter(|it| is_address(it)) {
            Some(address) => Some(address),
            None => reading.wrong(field, "must be an e-mail address such as help@shop.example"),
        }
    }
}

field! {
    /// A password of one line.
    MailPassword -> String, string().at_most(PASSWORD_CHARS_MAX);
    |reading, field, given| {
        let text = reading.filled_text(field, given)?;
        match text.chars().count() > PASSWORD_CHARS_MAX || text.chars().any(char::is_control) {
            true => reading.wrong(field, "must be one line of at most 1024 characters"),
            false => Some(text),
        }
    }
}

field! {
    /// A host name or IP address of a mail server.
    MailHostName -> String, string().at_most(HOST_CHARS_MAX);
    |reading, field, given| {
        let host = reading.filled_text(field, given)?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':');
        match host.len() <= HOST_CHARS_MAX && host.chars().all(is_plain) {
            true => Some(host.to_ascii_lowercase()),
            false => reading.wrong(field, "must be a host name such as imap.shop.example"),
        }
    }
}

field! {
    /// A port number.
    MailPort -> String, string();
    |reading, field, given| {
        let port = reading.key(field, given)?;
        match port.parse::<u16>() {
            Ok(port) if port > 0 => Some(port.to_string()),
            _ => reading.wrong(field, "must be a number from 1 to 65535"),
        }
    }
}

field! {
    /// Encryption of the connection to a mail server: `tls`, `starttls` or `none`.
    MailSecurity -> String;
    |reading, field, given| {
        let word = reading.filled_text(field, given)?;
        match ["tls", "starttls", "none"].contains(&word.as_str()) {
            true => Some(word),
            false => reading.wrong(field, "must be tls, starttls or none"),
        }
    }
}

/// Parses a request to connect a mailbox.
pub fn read_new_email(body: &Body<'_>) -> Result<ProviderChannelInput, Refusal> {
    let fields: ConnectEmailFields = body.read()?;
    if fields.imap_host.is_some() && fields.password.is_none() {
        return Err(FieldProblem::new(PASSWORD, "is required with imap_host").into());
    }
    let name = fields.name.or_else(|| Some(fields.address.clone()));
    let account = ProviderAccount {
        settings: given([
            ("address", Some(fields.address)),
            ("imap_host", fields.imap_host),
            ("imap_port", fields.imap_port),
            ("imap_security", fields.imap_security),
            ("imap_user", fields.imap_user),
            ("imap_folder", fields.imap_folder),
            ("smtp_host", Some(fields.smtp_host)),
            ("smtp_port", fields.smtp_port),
            ("smtp_security", fields.smtp_security),
            ("smtp_user", fields.smtp_user),
            (BASE_URL, fields.base_url),
        ]),
        secrets: given([(PASSWORD, fields.password), (SMTP_PASSWORD, fields.smtp_password)]),
    };
    let auto_replies = fields.configs.map(|it| auto_replies(&it)).transpose()?;
    Ok(ProviderChannelInput { name, is_active: None, account, auto_replies })
}

/// Parses a request to change an email channel.
pub fn read_email(body: &Body<'_>) -> Result<ProviderChannelInput, Refusal> {
    let fields: ChangeEmailFields = body.read()?;
    let account = ProviderAccount {
        settings: given([
            ("imap_host", fields.imap_host),
            ("imap_port", fields.imap_port),
            ("imap_security", fields.imap_security),
            ("imap_user", fields.imap_user),
            ("imap_folder", fields.imap_folder),
            ("smtp_host", fields.smtp_host),
            ("smtp_port", fields.smtp_port),
            ("smtp_security", fields.smtp_security),
            ("smtp_user", fields.smtp_user),
        ]),
        secrets: given([(PASSWORD, fields.password), (SMTP_PASSWORD, fields.smtp_password)]),
    };
    let auto_replies = fields.configs.map(|it| auto_replies(&it)).transpose()?;
    let (name, is_active) = (fields.name, fields.is_active);
    Ok(ProviderChannelInput { name, is_active, account, auto_replies })
}

fn given<const COUNT: usize>(all: [(&str, Option<String>); COUNT]) -> BTreeMap<String, String> {
    all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// Returns a simulated email from a customer.
pub fn played_mail(from: &str, text: &str, id: i64) -> String {
    format!("From: {from}\r\nMessage-ID: <played.{id}@confab>\r\n\r\n{text}\r\n")
}

/// An email channel.
#[derive(Serialize, ToSchema)]
#[schema(as = EmailChannel)]
pub struct EmailRecord<'a> {
    /// Id of the channel, as used in the paths of other calls.
    id: i64,
    /// Integer id of the app to which the channel belongs.
    app_id: i64,
    /// Whether the channel is active; an inactive channel neither receives nor sends messages.
    is_active: bool,
    /// Display name of the channel, and sender name of its emails.
    name: &'a str,
    /// URL of the channel's picture.
    badge_url: Option<&'a str>,
    /// Always false; the field exists only for compatibility with existing clients.
    use_channel_responder: bool,
    /// Email address to which customers write.
    address: &'a str,
    /// Host of the IMAP server; empty if emails arrive by LMTP.
    imap_host: &'a str,
    /// Port of the IMAP server; empty for the default port.
    imap_port: &'a str,
    /// Encryption of the IMAP connection: `tls`, `starttls` or `none`.
    imap_security: &'a str,
    /// User name for the IMAP server; empty if it equals `address`.
    imap_user: &'a str,
    /// IMAP folder to read.
    imap_folder: &'a str,
    /// Host of the SMTP server.
    smtp_host: &'a str,
    /// Port of the SMTP server; empty for the default port.
    smtp_port: &'a str,
    /// Encryption of the SMTP connection: `tls`, `starttls` or `none`.
    smtp_security: &'a str,
    /// User name for the SMTP server; empty if it equals `address`.
    smtp_user: &'a str,
    /// Masked password of the mailbox.
    password: String,
    /// Masked password for the SMTP server; empty if `password` is used.
    smtp_password: String,
    /// Time of creation, as `YYYY-MM-DDThh:mm:ss.ssssssZ`.
    created_at: String,
    /// Time of the last change, as `YYYY-MM-DDThh:mm:ss.ssssssZ`.
    updated_at: String,
}

/// Returns an email channel as admins see it.
pub fn email_record<'a>(channel: &'a Channel, account: &'a ProviderAccount) -> EmailRecord<'a> {
    let or = |name: &str, otherwise: &'a str| match account.setting(name) {
        "" => otherwise,
        value => value,
    };
    EmailRecord {
        id: channel.id.0,
        app_id: channel.app.0,
        is_active: channel.is_active,
        name: &channel.name,
        badge_url: channel.logo_url.as_deref(),
        use_channel_responder: false,
        address: account.setting("address"),
        imap_host: account.setting("imap_host"),
        imap_port: account.setting("imap_port"),
        imap_security: or("imap_security", "tls"),
        imap_user: account.setting("imap_user"),
        imap_folder: or("imap_folder", "INBOX"),
        smtp_host: account.setting("smtp_host"),
        smtp_port: account.setting("smtp_port"),
        smtp_security: or("smtp_security", "tls"),
        smtp_user: account.setting("smtp_user"),
        password: masked_token(account.secret(PASSWORD)),
        smtp_password: masked_token(account.secret(SMTP_PASSWORD)),
        created_at: to_the_microsecond(channel.created_at),
        updated_at: to_the_microsecond(channel.updated_at),
    }
}

/// Response data with one email channel.
#[derive(Serialize, ToSchema)]
pub struct EmailBox<'a> {
    email_channel: EmailRecord<'a>,
}

/// Response data with a list of email channels.
#[derive(Serialize, ToSchema)]
pub struct EmailList<'a> {
    email_channels: Vec<EmailRecord<'a>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<ProviderChannelInput, Refusal> {
        read_new_email(&Body::from_json(text.as_bytes()).expect("JSON"))
    }

    #[test]
    fn mailbox_fields_that_would_change_the_request_are_refused() {
        let good = r#"{"address":"Help@Shop.example","password":"abcd efgh","imap_host":"i.x",
            "smtp_host":"s.x","smtp_port":587,"smtp_security":"starttls"}"#;
        let Ok(wanted) = read(good) else { panic!("the fields are valid") };
        assert_eq!(wanted.account.setting("address"), "help@shop.example");
        assert_eq!(wanted.account.setting("smtp_port"), "587");
        assert_eq!(wanted.account.secret(PASSWORD), "abcd efgh");
        assert_eq!(wanted.name.as_deref(), Some("help@shop.example"));
        let with = |field: &str| {
            format!(
                r#"{{"address":"a@b.c","password":"p","imap_host":"i","smtp_host":"s",{field}}}"#
            )
        };
        assert!(read(&with(r#""imap_port":"993""#)).is_ok());
        for wrong in [
            r#""address":"a@b\r\nX: y""#,
            r#""password":"a\r\nQUIT""#,
            r#""password":"""#,
            r#""imap_host":"i/../x""#,
            r#""imap_host":"i x""#,
            r#""imap_port":"0""#,
            r#""imap_port":"70000""#,
            r#""smtp_security":"maybe""#,
            r#""base_url":"http://x""#,
        ] {
            assert!(read(&with(wrong)).is_err(), "{wrong}");
        }
        assert!(read("{}").is_err());
        assert!(read(r#"{"address":"a@b.c","imap_host":"i","smtp_host":"s"}"#).is_err());
        let Ok(handed_over) = read(r#"{"address":"a@b.c","smtp_host":"s"}"#) else {
            panic!("a channel without IMAP server is valid")
        };
        assert_eq!(handed_over.account.setting("imap_host"), "");
        assert!(handed_over.account.secrets.is_empty());
    }
}
