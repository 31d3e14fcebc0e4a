//! Divisions and their agents (wire facts 5.4, 5.7).

use axum::extract::{Path, State};
use confab_app::decide::Decisions;
use confab_app::services::Services;
use confab_domain::agents::dividing::{PutDivision, RemoveDivision, SetDefaultDivision};
use confab_domain::ids::DivisionId;
use confab_domain::refusal::Refusal;
use confab_store::Store;
use confab_wire::omnichannel_api::people::divisions::{
    ByDivision, ByDivisionFields, DivisionAgents, DivisionList, DivisionShape, DivisionsFields,
    PutDivisionFields, by_division, division, divisions, read_division,
};
use confab_wire::omnichannel_api::support::id_in_path;
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::omnichannel::people::agents::Staff;
use crate::requests::access::{Admins, Office};
use crate::requests::bodies::{OmnichannelBody, RequestQuery};
use crate::requests::callers::By;
use crate::requests::part::Part;
use crate::responses::answer::{Answer, Bare, bare, data};

calls! {
    "People";
    /// List agents by division
    GET "/api/v2/admin/agents/by_division" list_agents_by_division = list_agents [403 404];
    /// List divisions, oldest first
    GET "/api/v2/divisions" list_divisions = list [403];
    /// Create a division
    POST "/api/v2/divisions" create_division = create [403];
    /// Get a division
    GET "/api/v2/divisions/{id}" get_division = load [403 404];
    /// Rename a division
    POST "/api/v2/divisions/{id}/update" update_division = change [403 404];
    /// Make a division the default for new agents
    POST "/api/v2/divisions/{id}/set_default" set_default_division = set_default [403 404];
    /// Delete a division; its agents are kept
    POST "/api/v2/divisions/{id}/delete" delete_division = delete [403 404];
}

async fn list_agents(
    State(services): State<Services>,
    caller: By<Office>,
    query: RequestQuery<ByDivisionFields>,
) -> Answer<Bare<DivisionAgents<'static>>> {
    let wanted = ByDivision::read(&query.fields()?)?;
    let staff = Staff::load(&services, &caller).await?;
    let list = by_division(&staff.all, &wanted, staff.place.shown(), staff.viewer);
    bare(list)
}

async fn list(
    Part(store): Part<Store>,
    caller: By<Office>,
    query: RequestQuery<DivisionsFields>,
) -> Answer<Bare<DivisionList<'static>>> {
    let all = store.divisions(caller.app.id).await?;
    bare(divisions(&all, caller.app.id, &query.fields()?)?)
}

async fn create(
    Part(decisions): Part<Decisions>,
    caller: By<Admins>,
    body: OmnichannelBody<PutDivisionFields>,
) -> Answer<Data<DivisionShape<'static>>> {
    let rule = PutDivision { division: None, name: read_division(body.fields())? };
    data(division(&decisions.decide(&caller, rule).await?, caller.app.id))
}

async fn load(
    Part(store): Part<Store>,
    caller: By<Office>,
    Path(id): Path<String>,
) -> Answer<Data<DivisionShape<'static>>> {
    let id = division_of_path(&id)?;
    let all = store.divisions(caller.app.id).await?.all;
    let found = all.iter().find(|it| it.id == id);
    data(division(found.ok_or(Refusal::DivisionNotFound(id.0))?, caller.app.id))
}

async fn change(
    Part(decisions): Part<Decisions>,
    caller: By<Admins>,
    Path(id): Path<String>,
    body: OmnichannelBody<PutDivisionFields>,
) -> Answer<Data<DivisionShape<'static>>> {
    let division_id = Some(division_of_path(&id)?);
    let rule = PutDivision { division: division_id, name: read_division(body.fields())? };
    data(division(&decisions.decide(&caller, rule).await?, caller.app.id))
}

async fn set_default(
    Part(decisions): Part<Decisions>,
    caller: By<Admins>,
    Path(id): Path<String>,
) -> Answer<Data<DivisionShape<'static>>> {
    let rule = SetDefaultDivision { division: division_of_path(&id)? };
    data(division(&decisions.decide(&caller, rule).await?, caller.app.id))
}

async fn delete(
    Part(decisions): Part<Decisions>,
    caller: By<Admins>,
    Path(id): Path<String>,
) -> Answer<Data<DivisionShape<'static>>> {
    let rule = RemoveDivision { division: division_of_path(&id)? };
    data(division(&decisions.decide(&caller, rule).await?, caller.app.id))
}

fn division_of_path(text: &str) -> Result<DivisionId, Refusal> {
    id_in_path(text, Refusal::DivisionNotFound).map(DivisionId)
}
