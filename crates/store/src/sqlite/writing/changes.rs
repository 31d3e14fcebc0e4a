//! Applies the changes of a decision within the writer's transaction.

use confab_domain::decision::change::{Change, MessageChange, WebhookChange};
use confab_domain::ids::AppId;
use confab_domain::json_text::JsonText;
use confab_domain::messages::message::Message;
use rusqlite::{Connection, Result, params};

use super::deliveries;
use crate::secrets::sealer::Sealer;
use crate::sqlite::connections::values;
use crate::tables::customer_rooms;
use crate::tables::messages::{SQLITE_INSERT_CLIENT_ID, SQLITE_INSERT_MESSAGE};
use crate::tables::writes::writes;

pub(crate) fn apply(db: &Connection, app: AppId, change: &Change, sealer: &Sealer) -> Result<()> {
    match change {
        Change::Message(MessageChange::Insert { posted, room }) => {
            insert_message(db, app, &posted.message)?;
            let touch = room.customer.map(|_| customer_rooms::touch(room.id));
            touch.iter().try_for_each(|ask| values::execute(db, ask))
        }
        Change::Webhook(WebhookChange::InsertDelivery(delivery)) => {
            deliveries::insert(db, delivery, sealer)
        }
        Change::Webhook(WebhookChange::RecordAttempt { delivery, attempt, progress, .. }) => {
            deliveries::record(db, *delivery, attempt, progress)
        }
        Change::Webhook(WebhookChange::Replay { delivery, at, mark, .. }) => {
            deliveries::replay(db, [delivery.0, at.0, *mark])
        }
        other => writes(app, other, sealer).iter().try_for_each(|ask| values::execute(db, ask)),
    }
}

fn insert_message(db: &Connection, app: AppId, message: &Message) -> Result<()> {
    let client_id = message.client_unique_id.as_ref().map(|id| id.as_str());
    if let Some(unique_id) = client_id {
        let row = params![app.0, unique_id, message.id.0];
        db.prepare_cached(SQLITE_INSERT_CLIENT_ID.sqlite())?.execute(row)?;
    }
    db.prepare_cached(SQLITE_INSERT_MESSAGE.sqlite())?
        .execute(params![
            message.id.0,
            message.room.0,
            message.number as i64,
            message.before.map(|before| before.0),
            message.sender.0,
            message.kind.as_str(),
            message.text,
            message.payload.as_ref().map(JsonText::as_str),
            message.extras.as_ref().map(JsonText::as_str),
            client_id,
            message.posted_at.0,
        ])
        .map(drop)
}
