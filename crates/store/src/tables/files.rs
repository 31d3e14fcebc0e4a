//! Uploaded files, and uploaded bytes per app and user (design/sign-in-and-limits).

use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::stamp::Stamp;
use confab_domain::files::removing::{self, FileReferences};
use confab_domain::files::stored_file::StoredFile;
use confab_domain::ids::{AppId, MessageId, UserKey};

use crate::error::{Read, WriteError};
use crate::sql::{Ask, Row, ValueRow, prepared, statements, values};
use crate::store::Store;

/// A file that may no longer be referenced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreferencedFile {
    pub hash: String,
    pub app: AppId,
    /// Last message that was searched for references; neither it nor any earlier message references
    /// the file.
    pub looked_up_to: MessageId,
}

/// The content of a message as one string: text, payload and extras.
#[derive(Debug, Clone)]
pub struct Content {
    pub id: MessageId,
    pub content: String,
}

/// Contents of the next messages in the order of ids. PostgreSQL has an index on the sum `id + 0`.
macro_rules! contents_after {
    ($id:literal) => {
        concat!(
            "SELECT id, text, coalesce(payload, ''), coalesce(extras, '') FROM messages WHERE ",
            $id,
            " > $1 ORDER BY ",
            $id,
            " LIMIT $2"
        )
    };
}

prepared! {
    HAS_FILE = "SELECT size FROM files WHERE hash = $1 AND app = $2";
    // User 0 and day 0 hold the total of an app.
    UPLOADED = "SELECT bytes FROM upload_usage WHERE app = $1 AND user_key = $2 AND day = $3";
    ADD_FILE = "INSERT INTO files (hash, app, name, media_type, size, uploaded_by, created_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (hash, app) DO NOTHING";
    COUNT_UPLOAD = "INSERT INTO upload_usage (app, user_key, day, bytes) VALUES ($1, $2, $3, $4) \
        ON CONFLICT (app, user_key, day) DO UPDATE SET bytes = upload_usage.bytes + excluded.bytes";
    DOUBT_FILE = "INSERT INTO doubted_files (hash, app, looked_up_to) \
        SELECT hash, app, 0 FROM files WHERE hash = $1 AND app = $2 \
        ON CONFLICT (hash, app) DO UPDATE SET looked_up_to = 0";
    TRUST_FILE = "DELETE FROM doubted_files WHERE hash = $1 AND app = $2";
    LOOK_ON_FOR_FILE = "UPDATE doubted_files SET looked_up_to = $3 \
        WHERE hash = $1 AND app = $2 AND looked_up_to < $3";
    REMOVE_FILE = "DELETE FROM files WHERE hash = $1 AND app = $2 AND EXISTS (SELECT 1 \
        FROM doubted_files d WHERE d.hash = $1 AND d.app = $2)";
    UNCOUNT_UPLOAD = "UPDATE upload_usage SET bytes = bytes - $2 \
        WHERE app = $1 AND user_key = 0 AND day = 0 AND bytes >= $2";
    FORGET_UPLOADED = "DELETE FROM upload_usage WHERE day > 0 AND day < $1";
}

statements! {
    FILE = "SELECT hash, app, name, media_type, size, uploaded_by, created_at FROM files \
        WHERE hash = $1 AND app = $2";
    FIRST_DOUBTED = "SELECT hash, app, looked_up_to FROM doubted_files \
        ORDER BY app, hash LIMIT 1";
    SQLITE_CONTENTS_AFTER = contents_after!("id");
    POSTGRES_CONTENTS_AFTER = contents_after!("(id + 0)");
    NAMED_BY_USER = "SELECT id FROM users WHERE app = $1 AND avatar_url LIKE $2 LIMIT 1";
    NAMED_BY_ROOM = "SELECT id FROM rooms WHERE app = $1 AND avatar_url LIKE $2 LIMIT 1";
    NAMED_BY_AGENT = "SELECT id FROM dashboard_users WHERE app = $1 AND avatar_url LIKE $2 LIMIT 1";
    NAMED_BY_REPLY = "SELECT id FROM canned_replies WHERE app = $1 AND reply LIKE $2 LIMIT 1";
    NAMED_BY_CHANNEL = "SELECT id FROM channels WHERE app = $1 AND logo_url LIKE $2 LIMIT 1";
    NAMED_BY_SETTING = "SELECT app FROM settings WHERE app = $1 AND value LIKE $2 LIMIT 1";
    UPLOADED_BY_APP = "SELECT a.code, u.bytes FROM upload_usage u JOIN apps a ON a.id = u.app \
        WHERE u.user_key = 0 AND u.day = 0";
}

fn row(row: &ValueRow) -> Read<StoredFile> {
    Ok(StoredFile {
        hash: row.text(0)?,
        app: AppId(row.number(1)?),
        name: row.text(2)?,
        media_type: row.text(3)?,
        size: row.number(4)? as u64,
        uploaded_by: UserKey(row.number(5)?),
        created_at: row.time(6)?,
    })
}

/// Inserts a file, unless it already exists, and marks it as referenced.
pub(crate) fn add(file: &StoredFile) -> Vec<Ask> {
    let StoredFile { hash, app, name, media_type, size, uploaded_by, created_at } = file;
    let size = *size as i64;
    let row = values![hash, app.0, name, media_type, size, uploaded_by.0, *created_at];
    vec![Ask::new(&ADD_FILE, row), trust(*app, hash)]
}

/// Marks a file as possibly unreferenced. The search for references starts at the first message.
pub(crate) fn doubt(app: AppId, hash: &str) -> Vec<Ask> {
    vec![Ask::new(&DOUBT_FILE, values![hash, app.0])]
}

/// Marks a file as referenced.
pub(crate) fn trust(app: AppId, hash: &str) -> Ask {
    Ask::new(&TRUST_FILE, values![hash, app.0])
}

/// Records that no message up to this one references the file.
pub(crate) fn check_uploads(app: AppId, hash: &str, up_to: MessageId) -> Vec<Ask> {
    vec![Ask::new(&LOOK_ON_FOR_FILE, values![hash, app.0, up_to.0])]
}

/// Deletes a file that is still marked as unreferenced, and reduces its app's total by its size.
pub(crate) fn remove(app: AppId, hash: &str, size: u64) -> Vec<Ask> {
    vec![
        Ask::new(&REMOVE_FILE, values![hash, app.0]),
        Ask::new(&UNCOUNT_UPLOAD, values![app.0, size as i64]),
        trust(app, hash),
    ]
}

/// Adds uploaded bytes to the app's total and to the user's counter for the day.
pub(crate) fn count_upload(app: AppId, user: UserKey, day: i64, bytes: u64) -> Vec<Ask> {
    let bytes = bytes as i64;
    vec![
        Ask::new(&COUNT_UPLOAD, values![app.0, 0_i64, 0_i64, bytes]),
        Ask::new(&COUNT_UPLOAD, values![app.0, user.0, day, bytes]),
    ]
}

/// Deletes the upload counters of users for days before this one.
pub(crate) fn purge_uploads(before_day: i64) -> Vec<Ask> {
    vec![Ask::new(&FORGET_UPLOADED, values![before_day])]
}

impl Store {
    /// Returns a file of the app.
    pub async fn file(&self, app: AppId, hash: &str) -> Read<Option<StoredFile>> {
        Ok(self.query_now(Ask::new(&FILE, values![hash, app.0]), row).await?.pop())
    }

    /// Returns a file that may no longer be referenced.
    pub async fn first_doubted_file(&self) -> Read<Option<UnreferencedFile>> {
        let read = |row: &ValueRow| {
            let (hash, app) = (row.text(0)?, AppId(row.number(1)?));
            Ok(UnreferencedFile { hash, app, looked_up_to: MessageId(row.number(2)?) })
        };
        Ok(self.asked(Ask::new(&FIRST_DOUBTED, values![]), read).await?.pop())
    }

    /// Returns the contents of the next messages of all apps, in the order of ids. The content of
    /// deleted messages is empty.
    pub async fn contents_after(&self, after: MessageId, size: usize) -> Read<Vec<Content>> {
        let read = |row: &ValueRow| {
            let content = [row.text(1)?, row.text(2)?, row.text(3)?].join(" ");
            Ok(Content { id: MessageId(row.number(0)?), content })
        };
        let sql = match self {
            Self::Sqlite(_) => &SQLITE_CONTENTS_AFTER,
            Self::Postgres(_) => &POSTGRES_CONTENTS_AFTER,
        };
        self.asked(Ask::new(sql, values![after.0, size as i64]), read).await
    }

    /// Whether the app references a file outside of messages: as a picture, in a canned reply or in
    /// a setting.
    pub async fn is_file_named_elsewhere(&self, app: AppId, name: &str) -> Read<bool> {
        let pattern = format!("%{name}%");
        for sql in [
            &NAMED_BY_USER,
            &NAMED_BY_ROOM,
            &NAMED_BY_AGENT,
            &NAMED_BY_REPLY,
            &NAMED_BY_CHANNEL,
            &NAMED_BY_SETTING,
        ] {
            let ask = Ask::new(sql, values![app.0, &pattern]);
            if !self.asked(ask, |_| Ok(())).await?.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Records the result of a search for references to a file.
    pub async fn settle(
        &self,
        file: UnreferencedFile,
        found: FileReferences,
    ) -> Result<(), WriteError> {
        let UnreferencedFile { app, hash, .. } = file;
        let rule = move |_: &Facts, _: &Stamp<'_>| Ok(removing::settle(app, &hash, found));
        self.decide(app, Question::default(), rule).await
    }

    /// Returns the total number of uploaded bytes of each app that has uploads, by app code.
    pub async fn uploaded_by_app(&self) -> Read<Vec<(String, u64)>> {
        let read = |row: &ValueRow| Ok((row.text(0)?, row.number(1)? as u64));
        self.asked(Ask::new(&UPLOADED_BY_APP, values![]), read).await
    }
}
