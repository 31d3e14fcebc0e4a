//! Uploaded files, and how much was uploaded (D-0079).

use confab_domain::files::stored_file::StoredFile;
use confab_domain::ids::{AppId, UserKey};

use crate::error::Read;
use crate::sql::{Ask, Row, ValueRow, prepared, statements, values};
use crate::store::Store;

prepared! {
    HAS_FILE = "SELECT size FROM files WHERE hash = $1 AND app = $2";
    // Of an app in all, its user and its day are 0 (D-0079).
    UPLOADED = "SELECT bytes FROM upload_usage WHERE app = $1 AND user_key = $2 AND day = $3";
    ADD_FILE = "INSERT INTO files (hash, app, name, media_type, size, uploaded_by, created_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (hash, app) DO NOTHING";
    COUNT_UPLOAD = "INSERT INTO upload_usage (app, user_key, day, bytes) VALUES ($1, $2, $3, $4) \
        ON CONFLICT (app, user_key, day) DO UPDATE SET bytes = upload_usage.bytes + excluded.bytes";
    FORGET_UPLOADED = "DELETE FROM upload_usage WHERE day > 0 AND day < $1";
}

statements! {
    FILE = "SELECT hash, app, name, media_type, size, uploaded_by, created_at FROM files \
        WHERE hash = $1 AND app = $2";
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

/// A file is there; it may have been before.
pub(crate) fn add(file: &StoredFile) -> Vec<Ask> {
    let StoredFile { hash, app, name, media_type, size, uploaded_by, created_at } = file;
    let size = *size as i64;
    let row = values![hash, app.0, name, media_type, size, uploaded_by.0, *created_at];
    vec![Ask::new(&ADD_FILE, row)]
}

/// Counts for the app in all, and for the user on a day.
pub(crate) fn count_upload(app: AppId, user: UserKey, day: i64, bytes: u64) -> Vec<Ask> {
    let bytes = bytes as i64;
    vec![
        Ask::new(&COUNT_UPLOAD, values![app.0, 0_i64, 0_i64, bytes]),
        Ask::new(&COUNT_UPLOAD, values![app.0, user.0, day, bytes]),
    ]
}

/// What users uploaded on days before this one is counted no more.
pub(crate) fn forget_uploads(before_day: i64) -> Vec<Ask> {
    vec![Ask::new(&FORGET_UPLOADED, values![before_day])]
}

impl Store {
    /// A file of the app.
    pub async fn file(&self, app: AppId, hash: &str) -> Read<Option<StoredFile>> {
        Ok(self.asked(Ask::new(&FILE, values![hash, app.0]), row).await?.pop())
    }

    /// Bytes of all files of each app that has any, by the app's code.
    pub async fn uploaded_by_app(&self) -> Read<Vec<(String, u64)>> {
        let read = |row: &ValueRow| Ok((row.text(0)?, row.number(1)? as u64));
        self.asked(Ask::new(&UPLOADED_BY_APP, values![]), read).await
    }
}
