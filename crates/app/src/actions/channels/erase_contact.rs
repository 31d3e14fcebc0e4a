//! Erases a customer with all their messages, attributes and their identity (design/support).

use confab_domain::app::App;
use confab_domain::decision::principal::Principal;
use confab_domain::ids::{MessageId, RoomId};
use confab_domain::limits;
use confab_domain::messages::message::Message;
use confab_domain::people::user::User;
use confab_domain::rooms::room::RoomRef;
use confab_domain::support::contacts::erasing::{EraseContact, EraseMessages, EraseRoom};
use confab_runtime::ids;
use confab_store::WriteError;

use crate::decide::Decisions;

/// Erases the customer. The user is erased last, so that an interrupted erasure can be repeated.
/// Messages that were posted in the meantime are erased afterwards.
pub async fn erase_contact(
    decisions: &Decisions,
    by: &Principal,
    customer: User,
) -> Result<User, WriteError> {
    let rooms = decisions.store().all_rooms_of_contact(by.app.id, customer.key).await?;
    let mut rooms: Vec<_> = rooms.into_iter().map(|room| (room, MessageId(0))).collect();
    erase_rooms(decisions, by, &mut rooms).await?;
    let extras = customer.extras.as_ref().map_or("", |it| it.as_str());
    let files = named_files(&[&customer.avatar_url, extras], &by.app);
    let rule = EraseContact { customer, new_token: ids::secret(), files };
    let erased = decisions.decide(by, rule).await?;
    erase_rooms(decisions, by, &mut rooms).await?;
    Ok(erased)
}

/// Erases the messages of rooms from the given positions, and advances the positions.
async fn erase_rooms(
    decisions: &Decisions,
    by: &Principal,
    rooms: &mut [(RoomId, MessageId)],
) -> Result<(), WriteError> {
    for (room, after) in rooms {
        *after = erase_messages(decisions, by, (*room, *after)).await?;
        let Some(found) = decisions.store().room(by.app.id, &RoomRef::Id(*room)).await? else {
            continue;
        };
        let files = named_files(&[&found.avatar_url, &found.options], &by.app);
        let rule = EraseRoom { room: *room, files };
        decisions.decide(by, rule).await?;
    }
    Ok(())
}

/// Erases the messages after a position. Returns the id of the last message.
async fn erase_messages(
    decisions: &Decisions,
    by: &Principal,
    (room, mut after): (RoomId, MessageId),
) -> Result<MessageId, WriteError> {
    let store = decisions.store();
    loop {
        let page = store.all_after(room, after, limits::ERASED_PER_COMMIT).await?;
        let Some(last) = page.last() else { return Ok(after) };
        after = last.key().id;
        let posted = store.loaded(page).await?;
        let left: Vec<_> =
            posted.iter().map(|it| &it.message).filter(|it| !it.is_deleted).collect();
        if left.is_empty() {
            continue;
        }
        let ids = left.iter().map(|it| it.unique_id()).collect();
        let mut files: Vec<_> = left.iter().flat_map(|it| files_of(it, &by.app)).collect();
        files.sort();
        files.dedup();
        let rule = EraseMessages { ids, files };
        decisions.decide(by, rule).await?;
    }
}

fn files_of(message: &Message, app: &App) -> Vec<String> {
    let json = [&message.payload, &message.extras].into_iter().flatten();
    let parts: Vec<_> = json.map(|it| it.as_str()).chain([message.text.as_str()]).collect();
    named_files(&parts, app)
}

/// Returns the hashes of the app's files whose URLs are in the texts.
fn named_files(texts: &[&str], app: &App) -> Vec<String> {
    let place = format!("/files/{}/", app.code.as_str());
    let hashes = |text: &&str| -> Vec<String> {
        // JSON may escape slashes.
        let text = text.replace("\\/", "/");
        let hash = |rest: &str| rest.get(..64).filter(|it| is_hash(it)).map(str::to_owned);
        text.split(&place).skip(1).filter_map(hash).collect()
    };
    texts.iter().flat_map(hashes).collect()
}

fn is_hash(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}
