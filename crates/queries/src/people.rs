//! Names of current and former agents by id.

use std::collections::BTreeSet;

use confab_domain::agents::agent::Person;
use confab_domain::ids::{AgentId, AppId};
use confab_store::{Store, StoreError};

/// Reads the names of these agents. Ids that never belonged to an agent of the app are omitted.
pub async fn named(
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

/// Returns the name of the agent with this id, if it is in the list.
pub fn whom(people: &[Person], id: Option<AgentId>) -> Option<Person> {
    people.iter().find(|it| Some(it.id) == id).cloned()
}
