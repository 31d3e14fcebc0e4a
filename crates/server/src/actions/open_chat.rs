//! Somebody opens the widget.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::channel::Channel;
use confab_domain::greeting::{self, Greeted, New, Nonces, Visitor};
use confab_domain::limits;
use confab_domain::time::Timestamp;
use confab_store::WriteError;

use super::desk::OwnedDesk;
use super::say::say;
use crate::identity_tokens::{self, Claims};
use crate::services::Services;
use crate::{clock, ids};

/// The visitor has a room, and gets a token that makes them its customer, once.
pub(crate) async fn open_chat(
    services: &Services,
    app: &Arc<App>,
    channel: &Channel,
    visitor: Visitor,
    nonce: String,
) -> Result<(Greeted, String), WriteError> {
    let desk = OwnedDesk::new(services, app, 0);
    let now = clock::now();
    let nonces = Nonces { used: nonce, new: ids::secret(), new_until: good_until(now) };
    let claims = Claims {
        iss: app.code.as_str().to_owned(),
        iat: now.unix_seconds(),
        exp: good_until(now).unix_seconds(),
        nbf: now.unix_seconds(),
        nce: nonces.new.clone(),
        prn: visitor.user_id.as_str().to_owned(),
        chn: Some(channel.id.0),
        name: None,
        avatar_url: None,
    };
    let mut greeted = greet(services, &desk, channel, &visitor, nonces).await?;
    if greeted.customer_room.extras != visitor.room_extras {
        let question = greeting::learn_question(greeted.customer_room.room);
        let (its_desk, room) = (desk.clone(), greeted.customer_room.room);
        let learned = say(services, app.id, question, move |facts, stamp| {
            greeting::learn(&its_desk.desk(), facts, room, &visitor, stamp)
        })
        .await?;
        greeted.customer_room = desk.announce(services, learned);
    }
    Ok((greeted, identity_tokens::token(app, &claims)))
}

/// Until when something made now is good.
pub(super) fn good_until(now: Timestamp) -> Timestamp {
    Timestamp(now.0 + limits::NONCE_GOOD_S * 1_000_000)
}

async fn greet(
    services: &Services,
    desk: &OwnedDesk,
    channel: &Channel,
    visitor: &Visitor,
    nonces: Nonces,
) -> Result<Greeted, WriteError> {
    let question = greeting::question(channel, visitor, Some(&nonces));
    let (its_desk, channel, visitor) = (desk.clone(), channel.clone(), visitor.clone());
    let new = New { token: ids::secret(), unique_id: ids::room_unique_id() };
    say(services, desk.app().id, question, move |facts, stamp| {
        let desk = its_desk.desk();
        greeting::greet_stranger(&desk, facts, &channel, &visitor, &new, &nonces, stamp)
    })
    .await
}
