//! Shapes of fields, from which the OpenAPI document builds its schemas.

/// Type and bounds of a field in the OpenAPI document.
#[derive(Clone, Copy)]
#[cfg_attr(not(feature = "document"), expect(dead_code, reason = "only the document reads it"))]
pub(crate) enum Shape {
    Text {
        chars_min: Option<usize>,
        chars_max: Option<usize>,
        pattern: Option<&'static str>,
    },
    /// A string that equals one of these.
    OneOf(&'static [&'static str]),
    Flag,
    Integer {
        within: Option<(u32, u32)>,
    },
    Object,
    /// An object with one of these schemas, or any other object.
    AnyOf(&'static [&'static str]),
    List {
        items: Items,
        items_min: Option<usize>,
        items_max: Option<usize>,
    },
}

/// Type of a list's items.
#[derive(Clone, Copy)]
#[cfg_attr(not(feature = "document"), expect(dead_code, reason = "only the document reads it"))]
pub(crate) enum Items {
    Texts,
    Integers,
    /// Items with the schema of this name in the OpenAPI document.
    Named(&'static str),
}

/// Returns the shape of a text without bounds.
pub(crate) const fn string() -> Shape {
    Shape::Text { chars_min: None, chars_max: None, pattern: None }
}

/// Returns the shape of a list without bounds.
pub(crate) const fn list(items: Items) -> Shape {
    Shape::List { items, items_min: None, items_max: None }
}

impl Shape {
    /// Sets the minimum length of a text or list.
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

    /// Sets the maximum length of a text or list.
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

    /// Sets the pattern of a text.
    pub(crate) const fn of_pattern(self, pattern: &'static str) -> Self {
        match self {
            Self::Text { chars_min, chars_max, .. } => {
                Self::Text { chars_min, chars_max, pattern: Some(pattern) }
            }
            other => other,
        }
    }
}
