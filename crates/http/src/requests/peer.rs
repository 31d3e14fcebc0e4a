//! The client address of a request. Behind trusted proxies it is read from one header, which the
//! setting `client_address_header` names (D-0211).

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, header};
use confab_app::services::Services;
use confab_runtime::admission::peer::Peer;
use confab_runtime::config::Config;

/// The client of the request, as an argument of handlers.
pub(crate) struct ClientPeer(pub(crate) Peer);

impl FromRequestParts<Services> for ClientPeer {
    type Rejection = Infallible;

    async fn from_request_parts(
        parts: &mut Parts,
        services: &Services,
    ) -> Result<Self, Infallible> {
        Ok(Self(of(parts, services.config())))
    }
}

/// Returns the client's address: the address of the socket or, behind trusted proxies, the one that
/// the outermost trusted proxy wrote.
pub(crate) fn of(parts: &Parts, config: &Config) -> Peer {
    let header = &config.client_address_header;
    Peer::behind(socket(parts), addresses(&parts.headers, header), &config.trusted_proxies)
}

/// Whether a trusted proxy made this connection, so that its address header is used.
pub(crate) fn is_from_proxy(parts: &Parts, config: &Config) -> bool {
    Peer::is_trusted(socket(parts), &config.trusted_proxies)
}

/// Returns the last address in the header that proxies write; `None` if the header has none,
/// `Some(None)` if the last one is unreadable.
pub(crate) fn last_written(headers: &HeaderMap, config: &Config) -> Option<Option<IpAddr>> {
    addresses(headers, &config.client_address_header).next_back()
}

fn socket(parts: &Parts) -> IpAddr {
    let socket = parts.extensions.get::<ConnectInfo<SocketAddr>>();
    // A request without a socket was made inside this process.
    socket.map_or(Ipv4Addr::LOCALHOST.into(), |ConnectInfo(address)| address.ip())
}

/// Returns the addresses in the header that proxies write, in their order; `None` for each
/// unreadable one. Only the configured header is read, because clients can send any header that the
/// proxy does not overwrite.
fn addresses(
    headers: &HeaderMap,
    name: &HeaderName,
) -> impl DoubleEndedIterator<Item = Option<IpAddr>> {
    let is_standard = name == header::FORWARDED;
    let lists = headers.get_all(name).iter().map(|it| it.to_str().unwrap_or("?"));
    lists.flat_map(|list| list.split(',')).map(move |element| {
        let text = if is_standard { for_part(element) } else { Some(element) };
        text.and_then(address)
    })
}

/// Returns the value of `for` in one element of `Forwarded` (RFC 7239).
fn for_part(element: &str) -> Option<&str> {
    let pairs = element.split(';').filter_map(|pair| pair.trim().split_once('='));
    let mut named = pairs.filter(|(name, _)| name.eq_ignore_ascii_case("for"));
    named.next().map(|(_, value)| value.trim_matches('"'))
}

/// Parses an address, with or without a port.
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
        let name = HeaderName::from_static(header.0);
        let found: Vec<_> = addresses(&headers, &name).map(shown).collect();
        assert_eq!(found, expected, "{header:?}");
    }

    #[test]
    fn forwarding_headers_are_parsed_with_ports_and_brackets() {
        check(("x-forwarded-for", "192.0.2.1, 192.0.2.2:80"), &["192.0.2.1", "192.0.2.2"]);
        check(
            ("x-forwarded-for", "2001:db8::1, [2001:db8::2]:80"),
            &["2001:db8::1", "2001:db8::2"],
        );
        check(("x-real-ip", "192.0.2.1"), &["192.0.2.1"]);
        let standard = "For=\"[2001:db8::1]:47\";proto=https, for=192.0.2.2, by=x, for=_hidden";
        check(("forwarded", standard), &["2001:db8::1", "192.0.2.2", "?", "?"]);
    }

    #[test]
    fn repeated_forwarding_headers_form_one_list_in_order() {
        let mut headers = HeaderMap::new();
        for value in ["192.0.2.9", "192.0.2.1, 192.0.2.2"] {
            headers.append("x-forwarded-for", HeaderValue::from_static(value));
        }
        let name = HeaderName::from_static("x-forwarded-for");
        assert_eq!(addresses(&headers, &name).next_back(), Some("192.0.2.2".parse().ok()));
        assert_eq!(addresses(&headers, &name).count(), 3);
    }
}
