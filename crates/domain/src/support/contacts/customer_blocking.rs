//! Blocking of customers: a blocked customer cannot write through any channel (design/support).

use crate::agents::agent::Agent;
use crate::app::App;
use crate::audit::deed::AuditAction;
use crate::audit::differences::Differences;
use crate::audit::entry::AuditTarget;
use crate::decision::change::UserChange;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::RoomId;
use crate::people::user::User;
use crate::refusal::Refusal;
use crate::support::assignment::allocating;
use crate::support::conversations::support_room::SupportRoom;

/// Blocks or unblocks the customer of a room. `by` is `None` for the app.
pub struct BlockCustomer {
    pub room: RoomId,
    pub is_blocked: bool,
    pub by: Option<Agent>,
}

impl Rule for BlockCustomer {
    type Outcome = ();

    fn question(&self, app: &App) -> Question {
        allocating::question_of(app, self.room, self.by.as_ref())
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<()>, Refusal> {
        let Self { room, is_blocked, ref by } = *self;
        let serving = SupportRoom::of(context, facts, room, stamp)?;
        serving.must_be_open_to_role(by.as_ref())?;
        let customer = &serving.before.customer;
        if customer.is_active != is_blocked {
            return Ok(Decision::nothing(()));
        }
        let user = User { is_active: !is_blocked, updated_at: stamp.now, ..(**customer).clone() };
        let deed =
            if is_blocked { AuditAction::ContactBlocked } else { AuditAction::ContactUnblocked };
        let target = AuditTarget::nameless("contact", user.key);
        let differences = Differences::default().of("is_blocked", !is_blocked, is_blocked);
        let entry = context.audited(stamp, deed, target, differences);
        let change = UserChange::Update { user, password_hash: None };
        Ok(Decision::new(vec![change.into()], ()).also([entry]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::role::Role;
    use crate::example::{candidate, customer_facts, decided};

    #[test]
    fn blocking_a_customer_needs_access_to_the_room() {
        let facts = customer_facts();
        let blocked = |is_blocked, role| {
            let by = Some(candidate(role).profile.user);
            let rule = BlockCustomer { room: RoomId(10), is_blocked, by };
            decided(&facts, &rule).map(|it| it.changes.len())
        };
        assert_eq!(blocked(true, Role::Admin), Ok(2), "the customer and the audit entry");
        assert_eq!(blocked(false, Role::Admin), Ok(0), "the customer is not blocked");
        let refused = blocked(true, Role::Agent).err();
        assert_eq!(refused, Some(Refusal::NotYourRoom("10".to_owned())));
    }
}
