//! Mail domains that the operator assigned to apps: which app receives mails at the LMTP listener,
//! which all apps share.

use confab_domain::app::AppCode;
use confab_domain::channels::email_address::normal_address;

/// The domains and apps in the setting `lmtp_domains`. A domain that is listed with several apps is
/// shared by them.
#[derive(Clone, Default)]
pub struct MailDomains(Vec<(String, AppCode)>);

/// The assignment of a mail domain from the view of one app: to the app itself, to other apps only,
/// or to no app.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assignment {
    App,
    Others,
    Nobody,
}

impl MailDomains {
    /// Parses pairs of a domain and an app, such as `shop.example=shop, help.example=shop`. Returns
    /// `None` if one of them is invalid.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let parts = text.split(',').map(str::trim).filter(|it| !it.is_empty());
        let pair = |part: &str| {
            let (domain, app) = part.split_once('=')?;
            let normal = normal_address(&format!("x@{}", domain.trim()))?;
            let domain = normal.strip_prefix("x@")?.to_owned();
            Some((domain, AppCode::parse(app.trim()).ok()?))
        };
        parts.map(pair).collect::<Option<_>>().map(Self)
    }

    pub fn assignment(&self, address: &str, app: &AppCode) -> Assignment {
        let domain = domain_of(address);
        let mut apps = self.0.iter().filter(|it| it.0 == domain).map(|it| &it.1);
        match (apps.clone().next(), apps.any(|it| it == app)) {
            (_, true) => Assignment::App,
            (Some(_), false) => Assignment::Others,
            (None, false) => Assignment::Nobody,
        }
    }

    /// Returns the apps that domains are assigned to.
    pub fn apps(&self) -> impl Iterator<Item = &AppCode> {
        self.0.iter().map(|it| &it.1)
    }
}

/// Returns the domain of a normalized address.
fn domain_of(address: &str) -> &str {
    address.rsplit_once('@').map_or("", |(_, domain)| domain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_are_read_in_any_spelling_and_assigned_exactly() {
        let domains =
            MailDomains::parse("Shop.example=shop, m\u{fc}ller.example = other,").expect("read");
        let is = |address: &str, app: &str| {
            domains.assignment(address, &AppCode::parse(app).expect("a code"))
        };
        assert_eq!(is("help@shop.example", "shop"), Assignment::App);
        assert_eq!(is("help@shop.example", "other"), Assignment::Others);
        assert_eq!(is("help@xn--mller-kva.example", "other"), Assignment::App);
        for nobodys in ["help@sub.shop.example", "help@shop.example.net", "help@example", "x"] {
            assert_eq!(is(nobodys, "shop"), Assignment::Nobody, "{nobodys}");
        }
        let domains = MailDomains::parse("a.example=one,a.example=two").expect("read");
        for app in ["one", "two"] {
            let app = AppCode::parse(app).expect("a code");
            assert_eq!(domains.assignment("x@a.example", &app), Assignment::App, "shared");
        }
        assert!(MailDomains::parse("").is_some());
        for wrong in ["shop.example", "=shop", "shop.example=", "a b=shop", "x@shop.example=shop"] {
            assert!(MailDomains::parse(wrong).is_none(), "{wrong}");
        }
    }
}
