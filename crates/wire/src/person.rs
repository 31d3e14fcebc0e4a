//! Agents in responses that show only their names.

use confab_domain::agents::agent::Person;
use serde::Serialize;
use utoipa::ToSchema;

/// Agent of the app, possibly a former one.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Person)]
pub struct PersonShape<'a> {
    pub id: i64,
    pub name: &'a str,
}

impl<'a> From<&'a Person> for PersonShape<'a> {
    fn from(person: &'a Person) -> Self {
        Self { id: person.id.0, name: &person.name }
    }
}

/// Converts an optional agent.
pub fn person(person: Option<&Person>) -> Option<PersonShape<'_>> {
    person.map(PersonShape::from)
}
