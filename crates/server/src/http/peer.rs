//! The address a request comes from, proxies that the operator trusts left out.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use ipnet::IpNet;

use crate::peer::Peer;
use crate::services::Services;

impl FromRequestParts<Services> for Peer {
    type Rejection = Infallible;

    async fn from_request_parts(
        parts: &mut Parts,
        services: &Services,
    ) -> Result<Self, Infallible> {
        Ok(of(parts, &services.config().trusted_proxies))
    }
}

/// Whose request this is.
pub(crate) fn of(parts: &Parts, trusted: &[IpNet]) -> Peer {
    let socket = parts.extensions.get::<ConnectInfo<SocketAddr>>();
    // Without a socket there is only this process.
    let socket = socket.map_or(Ipv4Addr::LOCALHOST.into(), |ConnectInfo(address)| address.ip());
    Peer::behind(socket, forwarded(&parts.headers).into_iter(), trusted)
}

/// The addresses that proxies wrote down, in their order; `None` is one that cannot be read. The
/// standard header counts where both are sent (RFC 7239).
fn forwarded(headers: &HeaderMap) -> Vec<Option<IpAddr>> {
    let lists = |name| headers.get_all(name).iter().map(|it| it.to_str().unwrap_or("?"));
    let standard = lists(header::FORWARDED).flat_map(|list| list.split(',')).map(for_part);
    let standard: Vec<_> = standard.map(|it| it.and_then(address)).collect();
    if !standard.is_empty() {
        return standard;
    }
    let usual = lists(header::HeaderName::from_static("x-forwarded-for"));
    usual.flat_map(|list| list.split(',')).map(address).collect()
}

/// The value of `for` in one element of `Forwarded`.
fn for_part(element: &str) -> Option<&str> {
    let pairs = element.split(';').filter_map(|pair| pair.trim().split_once('='));
    let mut named = pairs.filter(|(name, _)| name.eq_ignore_ascii_case("for"));
    named.next().map(|(_, value)| value.trim_matches('"'))
}

/// An address, with or without a port.
fn address(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let of_socket = || text.parse::<SocketAddr>().ok().map(|it| it.ip());
    let bare = text.trim_start_matches('[').trim_end_matches(']');
    bare.parse().ok().or_else(of_socket)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn check(header: (&'static str, &str), expected: &[&str]) {
        let mut headers = HeaderMap::new();
        headers.insert(header.0, HeaderValue::from_str(header.1).expect("a value"));
        let shown = |it: Option<IpAddr>| it.map_or("?".to_owned(), |it| it.to_string());
        let found: Vec<_> = forwarded(&headers).into_iter().map(shown).collect();
        assert_eq!(found, expected, "{header:?}");
    }

    #[test]
    fn both_headers_are_read_with_ports_and_brackets() {
        check(("x-forwarded-for", "192.0.2.1, 192.0.2.2:80"), &["192.0.2.1", "192.0.2.2"]);
        check(
            ("x-forwarded-for", "2001:db8::1, [2001:db8::2]:80"),
            &["2001:db8::1", "2001:db8::2"],
        );
        let standard = "For=\"[2001:db8::1]:47\";proto=https, for=192.0.2.2, by=x, for=_hidden";
        check(("forwarded", standard), &["2001:db8::1", "192.0.2.2", "?", "?"]);
    }
}
