//! Automatic resolution of idle conversations (design/support).

use crate::app::App;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::{EventId, RoomId};
use crate::refusal::Refusal;
use crate::support::conversations::resolving::{Resolution, Resolve};
use crate::support::conversations::support_room::SupportRoom;
use crate::time::Timestamp;
use crate::webhooks::event::AgentProfile;

/// Resolves the open session of a room if it has been idle since the time `since`. Sessions whose
/// customer waits for an agent are not resolved. The outcome is whether it was resolved.
pub struct ResolveIdle {
    pub room: RoomId,
    pub since: Timestamp,
    /// Admin on whose behalf the app acts.
    pub by: AgentProfile,
}

impl ResolveIdle {
    fn resolve(&self) -> Resolve {
        let Self { room, ref by, .. } = *self;
        Resolve { room, by: by.clone(), is_by_person: false, ending: Resolution::default() }
    }
}

impl Rule for ResolveIdle {
    type Outcome = bool;

    fn question(&self, app: &App) -> Question {
        self.resolve().question(app)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<bool>, Refusal> {
        let serving = SupportRoom::of(context, facts, self.room, stamp)?;
        let waits = serving.now.is_unserved() && !serving.now.is_handled_by_bot;
        let said_at = serving.last_message().map(|last| EventId(last.0).made_at());
        // Joining or reopening the conversation restarts the idle time.
        let last_at = said_at.max(Some(serving.now.updated_at));
        let is_idle = last_at.is_some_and(|at| at < self.since);
        if !serving.now.is_open() || waits || !is_idle {
            return Ok(Decision::nothing(false));
        }
        Ok(self.resolve().decide(context, facts, stamp)?.map(|_| true))
    }
}
