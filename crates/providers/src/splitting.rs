//! Splits texts that exceed a provider's limit.

/// Maximum length of a text, with the unit in which the provider counts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bound {
    pub(super) most: usize,
    pub(super) unit: Unit,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Unit {
    /// UTF-16 code units; a text has at least as many of them as characters.
    Utf16,
    /// Bytes in UTF-8.
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

    /// Returns the length in bytes of the longest prefix that fits.
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

    /// Truncates a text that does not fit, with an ellipsis at its end.
    pub(super) fn cut(self, text: &str) -> String {
        if self.fits(text) {
            return text.to_owned();
        }
        let shorter = Self { most: self.most.saturating_sub(self.size('…')), ..self };
        format!("{}…", text[..shorter.end(text)].trim_end())
    }

    /// Splits a text into pieces that fit, between lines or words where possible. Only whitespace
    /// between two pieces is lost.
    pub(super) fn pieces(self, text: &str) -> Vec<&str> {
        let mut rest = text.trim();
        let mut pieces = Vec::new();
        while !rest.is_empty() {
            let end = self.end(rest);
            let end = if end == rest.len() { end } else { divided_at(&rest[..end]) };
            // If not even one character fits, the piece exceeds the bound: the loop must end.
            let end = if end == 0 { rest.chars().next().map_or(1, char::len_utf8) } else { end };
            pieces.push(rest[..end].trim_end());
            rest = rest[end..].trim_start();
        }
        pieces
    }
}

/// Returns the end of the last line or word in the second half, else the end of the text.
fn divided_at(text: &str) -> usize {
    let half = text.len() / 2;
    let after_half = |at: &usize| *at > half;
    let line = text.rfind('\n').filter(after_half);
    line.or_else(|| text.rfind(char::is_whitespace).filter(after_half)).unwrap_or(text.len())
}
