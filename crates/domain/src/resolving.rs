//! Resolving: a session comes to its end.

use crate::decision::{Decision, Facts, Question, Stamp};
use crate::ids::RoomId;
use crate::notice::{DashboardProfile, Notice, NoticeKind, Resolved, Session};
use crate::refusal::Refusal;
use crate::serving::{Desk, Served, Serving};
use crate::{allocating, notice};

/// What the room is told, whoever resolves: public widgets look for exactly this text (wire facts
/// 5.6).
const SAID: &str = "admin marked this conversation as resolved";

/// What `resolve` wants to know.
pub fn question(desk: &Desk<'_>, room: RoomId) -> Question {
    let mut question = allocating::question(desk, room, &[]);
    if let Some((_, kinds)) = &mut question.endpoints {
        kinds.push(NoticeKind::Resolved);
    }
    question
}

/// Resolves the open session of a room: once for each, whoever asks. An agent must serve the room
/// or be allowed to take it.
pub fn resolve(
    desk: &Desk<'_>,
    facts: &Facts,
    room: RoomId,
    by: &DashboardProfile,
    notes: Option<&str>,
    stamp: &Stamp<'_>,
) -> Result<Decision<Served<Session>>, Refusal> {
    let mut serving = Serving::of(desk, facts, room, stamp)?;
    serving.must_be_open_to_role(&by.user)?;
    if !serving.now.is_open() {
        return Err(Refusal::SessionResolved(room.to_string()));
    }
    serving.note(SAID.to_owned())?;
    let agents: Vec<_> = serving.agents.iter().map(|agent| agent.user.id).collect();
    let last_message = serving.last_message();
    if let Some(session) = &mut serving.now.session {
        session.resolved_at = Some(stamp.now);
        session.notes = notes.map(str::to_owned).or(session.notes.take());
        session.last_message = last_message.unwrap_or(session.last_message);
    }
    serving.now.waits_since = None;
    serving.now.is_handled_by_bot = false;
    agents.into_iter().for_each(|agent| serving.leave(agent));
    let session = serving.now.session.clone();
    let session = session.ok_or(Refusal::SessionResolved(room.to_string()))?;
    let notice = resolved(&serving, desk, by, &session);
    serving.tell(notice);
    serving.end(session)
}

fn resolved(
    serving: &Serving<'_>,
    desk: &Desk<'_>,
    by: &DashboardProfile,
    session: &Session,
) -> notice::Notice {
    Notice::Resolved(Resolved {
        app: desk.app.code.clone(),
        channel: serving.channel(),
        customer: serving.before.customer.clone(),
        infos: serving.before.infos.clone(),
        resolved_by: by.user.clone(),
        is_resolver_available: by.is_available,
        session: session.clone(),
    })
}
