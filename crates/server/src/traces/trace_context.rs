//! Which trace something is part of, as the header `traceparent` of W3C Trace Context says it.

use crate::ids::hex;

/// A span that is recorded, and its trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TraceContext {
    pub(super) trace: [u8; 16],
    pub(super) span: [u8; 8],
}

impl TraceContext {
    /// The header by which a receiver goes on with the trace.
    pub(crate) fn traceparent(&self) -> String {
        format!("00-{}-{}-01", hex(&self.trace), hex(&self.span))
    }

    /// The trace, as people look for it.
    pub(crate) fn trace_id(&self) -> String {
        hex(&self.trace)
    }
}

/// What a caller says of the trace that its request is part of.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TraceParent {
    pub(super) context: TraceContext,
    /// The caller records it.
    pub(super) is_sampled: bool,
}

impl TraceParent {
    /// Nothing if it is not as the standard wants it: then the trace begins here.
    pub(super) fn parse(header: &str) -> Option<Self> {
        let mut parts = header.split('-');
        let [version] = bytes(parts.next()?)?;
        let (trace, span) = (bytes(parts.next()?)?, bytes(parts.next()?)?);
        let [flags] = bytes(parts.next()?)?;
        // Versions to come may say more; this one does not.
        let is_known = version < 0xff && (version > 0 || parts.next().is_none());
        let is_valid = is_known && trace != [0; 16] && span != [0; 8];
        let context = TraceContext { trace, span };
        is_valid.then_some(Self { context, is_sampled: flags & 1 == 1 })
    }
}

/// So many bytes, in lower case.
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
    fn what_the_standard_shows_is_read_and_written_the_same() {
        let header = format!("00-{TRACE}-{SPAN}-01");
        let parent = TraceParent::parse(&header).expect("valid");
        assert!(parent.is_sampled);
        assert_eq!(parent.context.traceparent(), header);
        assert_eq!(parent.context.trace_id(), TRACE);
    }

    #[test]
    fn only_the_last_bit_of_the_flags_says_that_it_is_recorded() {
        let is_sampled = |flags: &str| {
            let parent = TraceParent::parse(&format!("00-{TRACE}-{SPAN}-{flags}"));
            parent.expect("valid").is_sampled
        };
        assert_eq!(["00", "01", "02", "03"].map(is_sampled), [false, true, false, true]);
    }

    #[test]
    fn a_later_version_may_say_more() {
        let header = format!("cc-{TRACE}-{SPAN}-01-what-will-be");
        assert!(TraceParent::parse(&header).is_some());
    }

    #[test]
    fn what_is_not_as_the_standard_wants_it_is_no_parent() {
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
