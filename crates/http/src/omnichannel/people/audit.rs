//! The audit log (design/sign-in-and-limits). Not available with the app's keys, because bots hold
//! those.

use confab_store::{AuditListing, AuditRow, Store};
use confab_wire::omnichannel_api::people::audit::{
    AuditFields, AuditList, ShownEntry, audit_list, read_audit,
};
use confab_wire::omnichannel_api::support::DataPage;

use crate::calls::calls;
use crate::requests::access::Admins;
use crate::requests::bodies::RequestQuery;
use crate::requests::callers::AgentCaller;
use crate::requests::part::Part;
use crate::responses::answer::{Answer, paged};

calls! {
    "Office";
    /// List entries of the audit log, newest first
    GET "/api/v2/audit" list_audit = list [403];
}

async fn list(
    Part(store): Part<Store>,
    caller: AgentCaller<Admins>,
    query: RequestQuery<AuditFields>,
) -> Answer<DataPage<AuditList<'static>>> {
    let wanted = read_audit(&query.fields()?)?;
    let listing = AuditListing {
        before: wanted.before,
        actor: wanted.actor,
        what: wanted.what,
        from: wanted.from,
        until: wanted.until,
    };
    let found = store.audit(caller.app.id, &listing, wanted.size + 1).await?;
    paged(audit_list(found.iter().map(shown).collect(), wanted.size))
}

fn shown(it: &AuditRow) -> ShownEntry<'_> {
    ShownEntry {
        id: it.id,
        at: it.at,
        actor: it.actor.as_ref(),
        actor_kind: &it.actor_kind,
        what: &it.what,
        target: (&it.target_kind, &it.target_id, it.target_name.as_deref()),
        before: it.before.as_ref(),
        after: it.after.as_ref(),
        address: it.address.as_deref(),
    }
}
