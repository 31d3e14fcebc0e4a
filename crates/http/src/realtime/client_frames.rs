//! Handles the frames that clients send on `/realtime`.

use std::sync::Arc;

use confab_app::services::Services;
use confab_domain::ids::{RoomId, UserKey};
use confab_domain::messages::room_event::EphemeralEvent;
use confab_domain::people::user::{User, UserId};
use confab_domain::rooms::room::{RoomKind, RoomRef};
use confab_domain::rooms::seeing;
use confab_domain::support::settings::Settings;
use confab_queries::visibility;
use confab_realtime::hub::{Address, EphemeralSignal, Listener};
use confab_runtime::failures::chain;
use confab_store::{Store, StoreError};
use confab_wire::realtime::frames::{self, ClientFrame};

/// Handles a frame that a client sent. Returns the frame to answer with, if any.
pub(super) async fn take(
    services: &Services,
    user: &Arc<User>,
    listener: &Listener,
    text: &str,
) -> Option<String> {
    let frame = match ClientFrame::read(text) {
        Ok(frame) => frame,
        Err(why) => return Some(frames::error(&why)),
    };
    match done(services, user, listener, frame).await {
        Ok(answer) => answer,
        Err(error) => {
            tracing::warn!(
                app.id = user.app.0,
                error = %chain(&error),
                "failed to handle a client frame"
            );
            Some(frames::error("Try again later."))
        }
    }
}

async fn done(
    services: &Services,
    user: &Arc<User>,
    listener: &Listener,
    frame: ClientFrame,
) -> Result<Option<String>, StoreError> {
    let not_yours = || Ok(Some(frames::error("You are not a participant of this room.")));
    let by = user.clone();
    match frame {
        ClientFrame::Ping => return Ok(Some(frames::pong())),
        ClientFrame::Typing { room, is_typing } => {
            let Some(room) = own_room(services.store(), user, &room).await? else {
                return not_yours();
            };
            services.realtime().hub.pass(EphemeralSignal::Event(EphemeralEvent::Typing {
                room,
                by,
                is_typing,
            }));
        }
        ClientFrame::Custom { room, data } => {
            let Some(room) = own_room(services.store(), user, &room).await? else {
                return not_yours();
            };
            services.realtime().hub.pass(EphemeralSignal::Event(EphemeralEvent::Custom {
                room,
                by,
                data,
            }));
        }
        ClientFrame::Watch(watched) => match watched_by(services.store(), user, watched).await? {
            Some(watched) if listener.listen(Address::Presence(watched)) => {}
            Some(_) => {
                return Ok(Some(frames::error(
                    "This connection has too many subscriptions. End some first.",
                )));
            }
            None => return Ok(Some(frames::error("This user does not exist."))),
        },
        ClientFrame::Unwatch(watched) => {
            if let Some(watched) = watched_by(services.store(), user, watched).await? {
                listener.ignore(Address::Presence(watched));
            }
        }
        ClientFrame::Follow(channel) => {
            let room = services.store().room(user.app, &RoomRef::Unique(channel)).await?;
            let room = room.filter(|room| room.kind == RoomKind::Public);
            match room.filter(|room| seeing::may_see(room, user.realm, false)) {
                Some(room) if listener.listen(Address::Channel(room.id)) => {}
                Some(_) => {
                    return Ok(Some(frames::error(
                        "This connection has too many subscriptions. End some first.",
                    )));
                }
                None => return Ok(Some(frames::error("This channel does not exist."))),
            }
        }
        ClientFrame::Unfollow(channel) => {
            if let Some(room) = services.store().room(user.app, &RoomRef::Unique(channel)).await? {
                listener.ignore(Address::Channel(room.id));
            }
        }
    }
    Ok(None)
}

/// Returns the user with this id to whose presence the caller subscribes, if the caller may see
/// that user.
async fn watched_by(
    store: &Store,
    user: &User,
    watched: UserId,
) -> Result<Option<UserKey>, StoreError> {
    let meant = store.meant_by(user, &[watched]).await?;
    let setting = Settings::AGENT_AND_CUSTOMER_PRESENCE;
    let shown = visibility::only_shown(store, user, meant, setting).await?.pop();
    Ok(shown.map(|(watched, _)| watched))
}

/// Returns the room's id, if the user is a participant of the room.
async fn own_room(
    store: &Store,
    user: &User,
    room: &RoomRef,
) -> Result<Option<RoomId>, StoreError> {
    let Some(room) = store.room(user.app, room).await? else { return Ok(None) };
    let audience = store.audience(room.id).await?;
    Ok(audience.users.contains(&user.key).then_some(room.id))
}
