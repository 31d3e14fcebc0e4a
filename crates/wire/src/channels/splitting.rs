//! Texts that are too long for a provider are said in pieces.

/// How much a provider takes, and how it counts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bound {
    pub(super) most: usize,
    pub(super) unit: Unit,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Unit {
    /// Units of UTF-16: never fewer than characters.
    Utf16,
    /// Bytes of UTF-8.
    Bytes,
}

impl Bound {
    pub(super) const fn utf16(most: usize) -> Self {
        Self { most, unit: Unit::Utf16 }
    }

    pub(super) const fn bytes(most: usize) -> Self {
        Self { most, unit: Unit::Bytes }
    }

    fn size(self, letter: char) -> usize {
        match self.unit {
            Unit::Utf16 => letter.len_utf16(),
            Unit::Bytes => letter.len_utf8(),
        }
    }

    pub(super) fn fits(self, text: &str) -> bool {
        self.end(text) == text.len()
    }

    /// The bytes of the longest beginning that fits.
    fn end(self, text: &str) -> usize {
        let mut used = 0;
        for (at, letter) in text.char_indices() {
            used += self.size(letter);
            if used > self.most {
                return at;
            }
        }
        text.len()
    }

    /// The text itself, or its beginning and a sign that more is missing.
    pub(super) fn cut(self, text: &str) -> String {
        if self.fits(text) {
            return text.to_owned();
        }
        let shorter = Self { most: self.most.saturating_sub(self.size('…')), ..self };
        format!("{}…", text[..shorter.end(text)].trim_end())
    }

    /// Pieces that fit, divided between lines or words where there are some. Nothing is lost but
    /// the blanks between two pieces.
    pub(super) fn pieces(self, text: &str) -> Vec<&str> {
        let mut rest = text.trim();
        let mut pieces = Vec::new();
        while !rest.is_empty() {
            let end = self.end(rest);
            let end = if end == rest.len() { end } else { divided_at(&rest[..end]) };
            // A bound that takes not even one letter would never end.
            let end = if end == 0 { rest.chars().next().map_or(1, char::len_utf8) } else { end };
            pieces.push(rest[..end].trim_end());
            rest = rest[end..].trim_start();
        }
        pieces
    }
}

/// The end of the last line or word in the second half, else the end.
fn divided_at(text: &str) -> usize {
    let half = text.len() / 2;
    let after_half = |at: &usize| *at > half;
    let line = text.rfind('\n').filter(after_half);
    line.or_else(|| text.rfind(char::is_whitespace).filter(after_half)).unwrap_or(text.len())
}
