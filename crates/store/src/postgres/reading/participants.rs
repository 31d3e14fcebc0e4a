//! Positions of participants in rooms, and unread counts, each read by one statement.

use std::collections::HashMap;

use confab_domain::ids::{AppId, RoomId, UserKey};
use confab_domain::people::user::UserId;
use confab_domain::rooms::room::RoomRef;
use confab_domain::rooms::room_view::{Mark, Participant};
use tokio_postgres::Row;

use crate::error::Read;
use crate::postgres::Engine;
use crate::postgres::connections::connection::Params;
use crate::postgres::connections::lists::params;
use crate::sql::{Row as _, as_offset, on_shards, statements};
use crate::tables::participants::ParticipantListing;
use crate::tables::users::{self, USERS_NAMED, user_columns};

/// Id of the newest undeleted message up to the position of a participant `p`.
macro_rules! newest_up_to {
    ($number:literal) => {
        concat!(
            "(SELECT id FROM messages WHERE room = p.room",
            on_shards!(" AND room = ANY ($1)"),
            " AND is_deleted = 0 AND number <= ",
            $number,
            " ORDER BY number DESC LIMIT 1)"
        )
    };
}

/// At most `$2` participants of each of the rooms, after skipping `$3`. On Citus, which rejects a
/// subquery per room, a window function numbers the participants.
macro_rules! who_is_in {
    ($order:literal) => {
        concat!(
            "SELECT ",
            user_columns!("u."),
            ", p.room, p.read_number, ",
            newest_up_to!("p.read_number"),
            ", p.received_number, ",
            newest_up_to!("p.received_number"),
            " FROM ",
            on_shards!(
                concat!(
                    "(SELECT *, row_number() OVER (PARTITION BY room ORDER BY ",
                    $order,
                    ") AS place FROM participants WHERE room = ANY ($1)) p"
                ),
                concat!(
                    "unnest($1::bigint[]) asked (id) CROSS JOIN LATERAL ( \
                     SELECT * FROM participants WHERE room = asked.id ORDER BY ",
                    $order,
                    " LIMIT $2 OFFSET $3) p"
                )
            ),
            " JOIN users u ON u.id = p.user_key",
            on_shards!(" WHERE p.place > $3 AND p.place - $2 <= $3"),
            " ORDER BY p.room, p.",
            $order
        )
    };
}

statements! {
    // Of several users with the same id in one room, choose as rules do (`Facts::found_user_in`).
    UNREAD = concat!("SELECT DISTINCT ON (p.room) p.room, r.last_number - p.read_number - \
        (SELECT count(*) FROM deletions d WHERE d.room = p.room AND d.number > p.read_number",
        on_shards!(" AND d.room = ANY ($2)"), ") - (SELECT count(*) FROM hidden_messages h \
        WHERE h.room = p.room AND h.user_key = p.user_key AND h.number > p.read_number",
        on_shards!(" AND h.room = ANY ($2)"), ") \
        FROM participants p JOIN rooms r ON r.id = p.room JOIN users u ON u.id = p.user_key \
        WHERE p.user_key = ANY ($1) AND p.room = ANY ($2)", on_shards!(" AND r.id = ANY ($2)"), " \
        ORDER BY p.room, (r.customer IS NOT DISTINCT FROM p.user_key) DESC, \
        (u.realm = 0) DESC, p.user_key DESC");
    UNREAD_IN_ALL = "SELECT coalesce(sum(r.last_number - p.read_number - \
        (SELECT count(*) FROM deletions d WHERE d.room = p.room AND d.number > p.read_number) - \
        (SELECT count(*) FROM hidden_messages h \
        WHERE h.room = p.room AND h.user_key = p.user_key AND h.number > p.read_number)), \
        0)::bigint FROM participants p JOIN rooms r ON r.id = p.room WHERE p.user_key = $1";
    UNREAD_ROOMS = "SELECT count(*) FROM participants p JOIN rooms r ON r.id = p.room \
        WHERE p.user_key = $1 AND r.last_number - p.read_number > \
        (SELECT count(*) FROM deletions d WHERE d.room = p.room AND d.number > p.read_number) + \
        (SELECT count(*) FROM hidden_messages h \
        WHERE h.room = p.room AND h.user_key = p.user_key AND h.number > p.read_number)";
    // A position at a deleted message is shown as the newest message before it.
    WHO_IS_IN = who_is_in!("user_key");
    WHO_IS_IN_FROM_LAST = who_is_in!("user_key DESC");
}

const COUNTING_UNREAD: &str = "counting unread messages";

impl Engine {
    pub(crate) async fn unread(
        &self,
        app: AppId,
        user: &UserId,
        rooms: &[RoomRef],
    ) -> Read<Option<Vec<(RoomId, u64)>>> {
        let text = USERS_NAMED.postgres();
        let named = self.readers.query("reading users", text, &[&app.0, &user.as_str()]).await?;
        let keys = named.iter().map(|row| row.number(0)).collect::<Read<Vec<i64>>>()?;
        if keys.is_empty() {
            return Ok(None);
        }
        let rooms = self.room_ids(app, rooms).await?;
        let ids: Vec<i64> = rooms.iter().map(|room| room.0).collect();
        let text = UNREAD.postgres();
        let rows = self.readers.query(COUNTING_UNREAD, text, &[&keys, &ids]).await?;
        let mut counts = Vec::with_capacity(rows.len());
        for row in &rows {
            counts.push((RoomId(row.number(0)?), row.number(1)?.max(0) as u64));
        }
        counts.sort_by_key(|(room, _)| rooms.iter().position(|asked| asked == room));
        Ok(Some(counts))
    }

    pub(crate) async fn unread_in_all(&self, user: UserKey) -> Read<u64> {
        let text = UNREAD_IN_ALL.postgres();
        let rows = self.list(COUNTING_UNREAD, text, params![user.0]).await?;
        let total = rows[0].number(0)?;
        Ok(total.max(0) as u64)
    }

    pub(crate) async fn unread_rooms(&self, user: UserKey) -> Read<u64> {
        let text = UNREAD_ROOMS.postgres();
        let rows = self.list(COUNTING_UNREAD, text, params![user.0]).await?;
        Ok(rows[0].number(0)? as u64)
    }

    pub(crate) async fn who_is_in(
        &self,
        room: RoomId,
        which: ParticipantListing,
    ) -> Read<Vec<Participant>> {
        let mut people = self.people_in(&[room.0], which).await?;
        Ok(people.remove(&room.0).unwrap_or_default())
    }

    pub(crate) async fn people_in(
        &self,
        rooms: &[i64],
        which: ParticipantListing,
    ) -> Read<HashMap<i64, Vec<Participant>>> {
        let text = match which.is_from_last {
            true => WHO_IS_IN_FROM_LAST.postgres(),
            false => WHO_IS_IN.postgres(),
        };
        let (size, skipped) = (which.size as i64, as_offset(which.skipped));
        let params: Params<'_> = &[&rooms, &size, &skipped];
        let found = self.readers.query("reading participants", text, params).await?;
        let mut people: HashMap<i64, Vec<Participant>> = HashMap::new();
        for row in &found {
            let participant = read_participant(row)?;
            people.entry(row.number(users::COLUMNS)?).or_default().push(participant);
        }
        Ok(people)
    }
}

fn read_participant(row: &Row) -> Read<Participant> {
    let mark = |column: usize| -> Read<Mark> {
        let number = row.number(column)? as u64;
        Ok(Mark { number, id: row.maybe_number(column + 1)?.unwrap_or(0) })
    };
    let (read, received) = (mark(users::COLUMNS + 1)?, mark(users::COLUMNS + 3)?);
    // A read message also counts as received.
    let received = if read.number > received.number { read } else { received };
    Ok(Participant { user: users::row(row)?, read, received })
}
