//! Those who work in the app, where only their names matter.

use confab_domain::agents::agent::Person;
use serde::Serialize;
use utoipa::ToSchema;

/// Somebody who works or worked in the app.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Person)]
pub struct PersonShape<'a> {
    id: i64,
    name: &'a str,
}

impl<'a> From<&'a Person> for PersonShape<'a> {
    fn from(person: &'a Person) -> Self {
        Self { id: person.id.0, name: &person.name }
    }
}

/// Somebody, if there is anybody.
pub fn person(person: Option<&Person>) -> Option<PersonShape<'_>> {
    person.map(PersonShape::from)
}
