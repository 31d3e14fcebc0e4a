//! Availability: whether customers may be assigned to an agent (wire facts 5.4).

use crate::agents::signing_in::be_available;
use crate::agents::staffing::known;
use crate::app::App;
use crate::audit::deed::AuditAction;
use crate::audit::differences::Differences;
use crate::audit::entry::AuditTarget;
use crate::decision::change::AgentChange;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::{OmnichannelQuestion, Question};
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::AgentId;
use crate::refusal::Refusal;
use crate::support::conversations::customer_room::AgentRecord;

/// Makes an agent available or unavailable, on their own request. An agent whom an admin forced
/// offline cannot become available.
pub struct SetAvailable {
    pub user: AgentId,
    pub is_available: bool,
}

impl Rule for SetAvailable {
    type Outcome = AgentRecord;

    fn question(&self, _: &App) -> Question {
        question(self.user)
    }

    fn decide(
        &self,
        _: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<AgentRecord>, Refusal> {
        let mut agent = known(facts, self.user)?.agent.clone();
        if self.is_available && agent.profile.is_forced_offline {
            return Err(Refusal::ForcedOffline);
        }
        be_available(&mut agent, self.is_available, stamp.now);
        Ok(put(agent, stamp).allocating(true))
    }
}

/// Forces an agent offline, or ends the forced state. Agents must then make themselves available
/// again.
pub struct ForceOffline {
    pub user: AgentId,
    pub is_forced: bool,
}

impl Rule for ForceOffline {
    type Outcome = AgentRecord;

    fn question(&self, _: &App) -> Question {
        question(self.user)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<AgentRecord>, Refusal> {
        let mut agent = known(facts, self.user)?.agent.clone();
        let (was, is) = (agent.profile.is_forced_offline, self.is_forced);
        let target = AuditTarget::agent(&agent.profile.user);
        let differences = Differences::default().of("force_offline", was, is);
        let entry =
            context.audited_change(stamp, AuditAction::AgentForcedOffline, target, differences);
        agent.profile.is_forced_offline = is;
        if self.is_forced {
            be_available(&mut agent, false, stamp.now);
        }
        Ok(put(agent, stamp).also(entry))
    }
}

fn question(user: AgentId) -> Question {
    let omni = OmnichannelQuestion { accounts: vec![user], ..OmnichannelQuestion::default() };
    Question { omni: Some(omni), ..Question::default() }
}

fn put(mut agent: AgentRecord, stamp: &Stamp<'_>) -> Decision<AgentRecord> {
    agent.profile.updated_at = stamp.now;
    let changes = vec![AgentChange::Put(Box::new(agent.clone())).into()];
    Decision::new(changes, agent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::role::Role;
    use crate::example::{self, decided};
    use crate::time::Timestamp;

    const ANA: AgentId = AgentId(9);

    #[test]
    fn agents_set_their_own_availability_unless_forced_offline() {
        let mut facts = Facts::default();
        facts.omni.accounts.push(example::account(Role::Agent));
        let set = |facts: &Facts, is_available| {
            decided(facts, &SetAvailable { user: ANA, is_available }).map(|it| it.outcome)
        };
        let available = set(&facts, true).expect("available");
        assert!(available.profile.is_available && available.away_since.is_none());
        let away = set(&facts, false).expect("unavailable");
        assert_eq!(away.away_since, Some(Timestamp(0)), "the earlier time stays");
        facts.omni.accounts[0].agent = available;
        let forced = decided(&facts, &ForceOffline { user: ANA, is_forced: true });
        let forced = forced.expect("forced offline").outcome;
        assert!(forced.profile.is_forced_offline && !forced.profile.is_available);
        facts.omni.accounts[0].agent = forced;
        assert_eq!(set(&facts, true).err(), Some(Refusal::ForcedOffline));
        assert!(set(&facts, false).is_ok());
        let freed = decided(&facts, &ForceOffline { user: ANA, is_forced: false });
        let freed = freed.expect("no longer forced offline").outcome;
        assert!(!freed.profile.is_forced_offline && !freed.profile.is_available);
    }

    #[test]
    fn unknown_agents_are_not_found() {
        let facts = Facts::default();
        let refused = decided(&facts, &SetAvailable { user: ANA, is_available: true }).err();
        assert_eq!(refused, Some(Refusal::AgentNotFound(9)));
    }
}
