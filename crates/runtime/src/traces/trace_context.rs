//! The ids of a trace and a span, and their text form in the W3C Trace Context header
//! `traceparent`.

use crate::ids::hex;

/// The ids of a recorded span and its trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceContext {
    pub(super) trace: [u8; 16],
    pub(super) span: [u8; 8],
}

impl TraceContext {
    /// Returns the `traceparent` header for requests that continue the trace.
    pub fn traceparent(&self) -> String {
        format!("00-{}-{}-01", hex(&self.trace), hex(&self.span))
    }

    /// Returns the trace id in hexadecimal.
    pub fn trace_id(&self) -> String {
        hex(&self.trace)
    }
}

/// A caller's `traceparent` header.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TraceParent {
    pub(super) context: TraceContext,
    /// Whether the caller records the trace.
    pub(super) is_sampled: bool,
}

impl TraceParent {
    /// Parses the header. Returns `None` if it is invalid, in which case the request starts a new
    /// trace.
    pub(super) fn parse(header: &str) -> Option<Self> {
        let mut parts = header.split('-');
        let [version] = bytes(parts.next()?)?;
        let (trace, span) = (bytes(parts.next()?)?, bytes(parts.next()?)?);
        let [flags] = bytes(parts.next()?)?;
        // Later versions of the header may have more fields; version 0 has exactly four.
        let is_known = version < 0xff && (version > 0 || parts.next().is_none());
        let is_valid = is_known && trace != [0; 16] && span != [0; 8];
        let context = TraceContext { trace, span };
        is_valid.then_some(Self { context, is_sampled: flags & 1 == 1 })
    }
}

/// Parses exactly `COUNT` bytes in lower-case hexadecimal.
fn bytes<const COUNT: usize>(text: &str) -> Option<[u8; COUNT]> {
    let is_plain = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if text.len() != 2 * COUNT || !text.bytes().all(is_plain) {
        return None;
    }
    let mut bytes = [0; COUNT];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    const SPAN: &str = "00f067aa0ba902b7";

    #[test]
    fn the_example_of_the_standard_is_parsed_and_formatted() {
        let header = format!("00-{TRACE}-{SPAN}-01");
        let parent = TraceParent::parse(&header).expect("the header is valid");
        assert!(parent.is_sampled);
        assert_eq!(parent.context.traceparent(), header);
        assert_eq!(parent.context.trace_id(), TRACE);
    }

    #[test]
    fn only_the_lowest_flag_means_sampled() {
        let is_sampled = |flags: &str| {
            let parent = TraceParent::parse(&format!("00-{TRACE}-{SPAN}-{flags}"));
            parent.expect("the header is valid").is_sampled
        };
        assert_eq!(["00", "01", "02", "03"].map(is_sampled), [false, true, false, true]);
    }

    #[test]
    fn a_later_version_may_have_more_fields() {
        let header = format!("cc-{TRACE}-{SPAN}-01-what-will-be");
        assert!(TraceParent::parse(&header).is_some());
    }

    #[test]
    fn an_invalid_header_is_ignored() {
        for header in [
            String::new(),
            TRACE.to_owned(),
            format!("00-{TRACE}-{SPAN}"),
            format!("00-{TRACE}-{SPAN}-1"),
            format!("00-{TRACE}-{SPAN}-01-more"),
            format!("ff-{TRACE}-{SPAN}-01"),
            format!("00-{}-{SPAN}-01", TRACE.to_uppercase()),
            format!("00-{}-{SPAN}-01", "0".repeat(32)),
            format!("00-{TRACE}-{}-01", "0".repeat(16)),
            format!("00-{}é-{SPAN}-01", &TRACE[2..]),
            format!("00-{TRACE}-+{}-01", &SPAN[1..]),
        ] {
            assert_eq!(TraceParent::parse(&header), None, "{header}");
        }
    }
}
