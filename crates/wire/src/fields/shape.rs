//! What a kind of field looks like, in few words; the OpenAPI document says the same in its own.

/// How a field is shown.
#[derive(Clone, Copy)]
#[cfg_attr(not(feature = "document"), expect(dead_code, reason = "only the document reads it"))]
pub(crate) enum Shape {
    Text {
        chars_min: Option<usize>,
        chars_max: Option<usize>,
        pattern: Option<&'static str>,
    },
    /// One of these texts.
    OneOf(&'static [&'static str]),
    Flag,
    Integer {
        within: Option<(u32, u32)>,
    },
    Object,
    /// An object, usually of one of these schemas of the document.
    AnyOf(&'static [&'static str]),
    List {
        items: Items,
        items_min: Option<usize>,
        items_max: Option<usize>,
    },
}

/// What a list is of.
#[derive(Clone, Copy)]
#[cfg_attr(not(feature = "document"), expect(dead_code, reason = "only the document reads it"))]
pub(crate) enum Items {
    Texts,
    Integers,
    /// What the document knows by this name.
    Named(&'static str),
}

/// Any text.
pub(crate) const fn string() -> Shape {
    Shape::Text { chars_min: None, chars_max: None, pattern: None }
}

/// A list of any length.
pub(crate) const fn list(items: Items) -> Shape {
    Shape::List { items, items_min: None, items_max: None }
}

impl Shape {
    /// A text or list of this length at least.
    pub(crate) const fn at_least(self, least: usize) -> Self {
        match self {
            Self::Text { chars_max, pattern, .. } => {
                Self::Text { chars_min: Some(least), chars_max, pattern }
            }
            Self::List { items, items_max, .. } => {
                Self::List { items, items_min: Some(least), items_max }
            }
            other => other,
        }
    }

    /// A text or list of this length at most.
    pub(crate) const fn at_most(self, most: usize) -> Self {
        match self {
            Self::Text { chars_min, pattern, .. } => {
                Self::Text { chars_min, chars_max: Some(most), pattern }
            }
            Self::List { items, items_min, .. } => {
                Self::List { items, items_min, items_max: Some(most) }
            }
            other => other,
        }
    }

    /// A text of this pattern.
    pub(crate) const fn of_pattern(self, pattern: &'static str) -> Self {
        match self {
            Self::Text { chars_min, chars_max, .. } => {
                Self::Text { chars_min, chars_max, pattern: Some(pattern) }
            }
            other => other,
        }
    }
}
