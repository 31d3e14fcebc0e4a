//! Names of those who work or worked in an app, by their integers.

use std::collections::BTreeSet;

use confab_domain::agents::agent::Person;
use confab_domain::ids::{AgentId, AppId};
use confab_store::{Store, StoreError};

/// Who they are; who never worked in the app is left out.
pub(crate) async fn named(
    store: &Store,
    app: AppId,
    ids: BTreeSet<AgentId>,
) -> Result<Vec<Person>, StoreError> {
    let mut people = Vec::with_capacity(ids.len());
    for id in ids {
        let name = store.agent_name(app, id).await?;
        people.extend(name.map(|name| Person { id, name }));
    }
    Ok(people)
}

/// Whoever is meant, if they are among these.
pub(crate) fn whom(people: &[Person], id: Option<AgentId>) -> Option<Person> {
    people.iter().find(|it| Some(it.id) == id).cloned()
}
