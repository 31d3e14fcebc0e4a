//! What is wrong with one field of a request.

use std::fmt;

/// One field of a request that is wrong, and what is allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldProblem {
    /// The field's path, such as `payload.buttons[0].label`.
    pub field: String,
    /// What is wrong, to be read after the field's name.
    pub problem: String,
}

impl FieldProblem {
    /// Says what is wrong with a field.
    pub fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { field: field.into(), problem: problem.into() }
    }
}

impl fmt::Display for FieldProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.field, self.problem)
    }
}
