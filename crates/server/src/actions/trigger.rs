//! Tells the app's endpoints, and whoever listens, of something that did not happen.

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::Decision;
use confab_domain::ids::{DeliveryId, RoomId};
use confab_domain::rooms::room::RoomRef;
use confab_domain::webhooks::fan_out::{self, Place};
use confab_domain::webhooks::notice_kind::NoticeKind;
use confab_store::WriteError;
use confab_wire::webhooks;

use super::example;
use crate::services::Services;

/// What a trigger brought about.
pub(crate) struct Triggered {
    pub(crate) deliveries: Vec<DeliveryId>,
    pub(crate) listeners: usize,
}

/// Makes an example and its deliveries, as a real notice would be, in a real room if one is given.
pub(crate) async fn trigger(
    services: &Services,
    app: &Arc<App>,
    kind: NoticeKind,
    room: Option<RoomId>,
    depth_before: u32,
) -> Result<Triggered, WriteError> {
    let place = Place { app: app.id, lane: example::lane(app, kind, room), depth_before };
    let rooms: Vec<_> = room.map(RoomRef::Id).into_iter().collect();
    let endpoints = Some((place.lane, vec![kind]));
    let question = Question { rooms: rooms.clone(), endpoints, ..Question::default() };
    let its_app = app.clone();
    let told = services
        .store()
        .decide(app.id, question, move |facts, stamp| {
            rooms.iter().try_for_each(|room| facts.room(room).map(drop))?;
            let notice = example::notice(&its_app, kind, room, stamp)?;
            let told = fan_out::tell(facts, stamp, place, &[notice], webhooks::body)?;
            Ok(Decision::new(told.changes(), told))
        })
        .await?;
    let listeners = services.publish(app, &told.heard);
    services.wake_delivery();
    let deliveries = told.deliveries.iter().map(|delivery| delivery.id).collect();
    Ok(Triggered { deliveries, listeners })
}
