//! Example notices, to try a receiver with.
//!
//! The people and the room of an example do not exist. They have the app's own integer, which is
//! no room's and no user's, so all examples of an app stay in one order and disturb nobody.

use confab_domain::app::App;
use confab_domain::decision::stamp::Stamp;
use confab_domain::ids::{AgentId, ChannelId, MessageId, RoomId, SessionId, UserKey};
use confab_domain::refusal::Refusal;
use confab_domain::webhooks::delivery::Lane;
use confab_domain::webhooks::notice::Notice;
use confab_domain::webhooks::notice_kind::NoticeKind;
use confab_wire::webhooks::examples::{self, ExampleIds};

/// What an example of this kind stays in order with: its room, or its dashboard user.
pub(super) fn lane(app: &App, kind: NoticeKind, room: Option<RoomId>) -> Lane {
    let no_room = Lane(app.id.0);
    match (kind, room) {
        (NoticeKind::LoggedOut | NoticeKind::EndpointState, _) | (_, None) => no_room,
        (_, Some(room)) => Lane(room.0),
    }
}

/// An example of this kind, with new messages in it.
pub(super) fn notice(
    app: &App,
    kind: NoticeKind,
    room: Option<RoomId>,
    stamp: &Stamp<'_>,
) -> Result<Notice, Refusal> {
    let ids = ExampleIds {
        app_code: app.code.clone(),
        app: app.id,
        channel: ChannelId(app.id.0),
        room: room.unwrap_or(RoomId(app.id.0)),
        customer: UserKey(app.id.0),
        agent: AgentId(app.id.0),
        session: SessionId(stamp.next_id()),
        first_message: MessageId(stamp.next_id()),
        message: MessageId(stamp.next_id()),
        now: stamp.now,
    };
    examples::example(kind, &ids).ok_or(Refusal::NoExample(kind.as_str()))
}
