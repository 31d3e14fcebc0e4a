//! Rewrites all sealed secrets: at the first start, when the key changes, and when it is lost.
//!
//! Rewriting follows the primary keys of each table in small commits, while servers write.
//! Rewritten rows are not selected again, so a repeated run completes an interrupted one.

use std::fs::File;
use std::sync::Arc;

use confab_domain::limits::SECRETS_PER_COMMIT;

use super::proving::{failed, known_keys, no_file, prove};
use super::statements as sql;
use crate::commands::command_database::CommandDatabase;
use crate::error::{CommandFailure, StoreError};
use crate::location::Location;
use crate::secrets::keys::{KeyFile, SecretKey};
use crate::secrets::sealer::{Sealer, SecretLocation, prefix, token_hash};
use crate::sql::{Ask, Row, SqlValue, Statement, ValueRow, values};
use crate::sqlite;

type ResealResult<T> = Result<T, StoreError>;

const DOING: &str = "encrypting the secrets";

/// Clear text that each key seals as its proof.
const PROOF: &str = "confab";

/// Maximum number of passes over all tables. Another pass is needed if a server wrote with the
/// previous key during the last one.
const PASSES_MAX: usize = 5;

/// Progress of rewriting a table.
#[derive(Debug, Clone, Copy)]
pub struct Rewritten {
    /// Name of the table.
    pub what: &'static str,
    /// Number of rows of the table that were rewritten so far.
    pub rows: u64,
}

/// Callback that receives progress reports.
type Report<'a> = &'a mut (dyn FnMut(Rewritten) + Send);

/// The sealed secrets of a database, for starting a server and for changing the key.
pub struct Secrets {
    database: CommandDatabase,
    sealer: Arc<Sealer>,
    made_file: bool,
    sealed_clear: bool,
}

impl Sealer {
    /// Opens the sealer of a database, after proving its keys and sealing all secrets in clear
    /// text.
    pub async fn open(location: &Location, file: Box<dyn KeyFile>) -> ResealResult<Arc<Self>> {
        Ok(Secrets::open(location, file, &mut |_| {}).await?.sealer)
    }
}

impl Secrets {
    /// Migrates the schema, proves that the keys belong to the database, and seals secrets that an
    /// older version stored in clear text. Creates the key file if there is none and no key is
    /// registered yet.
    pub async fn open(
        location: &Location,
        file: Box<dyn KeyFile>,
        report: Report<'_>,
    ) -> ResealResult<Self> {
        let database = CommandDatabase::open_to_seal(location).await?;
        let known = known_keys(&database).await?;
        let mut read = file.read().map_err(failed)?;
        let made_file = read.is_none() && known.is_empty();
        if made_file {
            file.make().map_err(failed)?;
            read = file.read().map_err(failed)?;
        }
        let keys = read.filter(|keys| !keys.is_empty());
        let keys = keys.ok_or_else(|| failed(no_file(&known, &*file)))?;
        let sealer = Arc::new(Sealer::new(file, keys));
        let mut secrets = Self { database, sealer, made_file, sealed_clear: false };
        if known.is_empty() {
            secrets.introduce(secrets.keys()[0].id()).await?;
        }
        secrets.prove_keys().await?;
        secrets.seal_what_is_clear(report).await?;
        Ok(secrets)
    }

    /// Opens the secrets before a server starts. If another process serves the folder, fails
    /// without changing anything.
    pub async fn open_to_serve(
        location: &Location,
        file: Box<dyn KeyFile>,
        report: Report<'_>,
    ) -> ResealResult<Self> {
        let _alone = alone(location)?;
        Self::open(location, file, report).await
    }

    /// Returns the sealer, for readers and writers.
    pub fn sealer(&self) -> Arc<Sealer> {
        self.sealer.clone()
    }

    /// Whether [`Self::open`] created the key file.
    pub fn made_file(&self) -> bool {
        self.made_file
    }

    /// Whether [`Self::open`] sealed secrets that an older version stored in clear text.
    pub fn sealed_clear(&self) -> bool {
        self.sealed_clear
    }

    fn keys(&self) -> Arc<[SecretKey]> {
        self.sealer.reread()
    }

    /// Writes all statements in one transaction.
    async fn write(&self, asks: &[Ask]) -> ResealResult<()> {
        self.database.write(DOING, asks).await.map(drop).map_err(CommandFailure::error)
    }

    /// Registers a key of the file as one that may seal secrets of this database.
    pub async fn introduce(&self, key_id: &str) -> ResealResult<()> {
        let keys = self.keys();
        let key = keys.iter().find(|key| key.id() == key_id);
        let key =
            key.ok_or_else(|| failed(format!("the key file does not contain the key {key_id}")))?;
        let proof = self.sealer.seal_with(key, SecretLocation::Proof, PROOF);
        self.write(&[Ask::new(&sql::ADD_KEY, values![key_id, proof])]).await
    }

    /// Proves that the file contains every registered key. Registers the file's first key, which
    /// seals from now on.
    async fn prove_keys(&self) -> ResealResult<()> {
        let known = known_keys(&self.database).await?;
        prove(&self.sealer, &known)?;
        let keys = self.keys();
        if !known.iter().any(|(id, _)| id == keys[0].id()) {
            self.introduce(keys[0].id()).await?;
        }
        Ok(())
    }

    async fn seal_what_is_clear(&mut self, report: Report<'_>) -> ResealResult<()> {
        if self.database.query(DOING, &sql::IN_CLEAR, Vec::new()).await?.is_empty() {
            return Ok(());
        }
        // Without an app there has never been a secret, so no old rows need to be erased.
        self.sealed_clear =
            !self.database.query(DOING, &sql::ANY_APP, Vec::new()).await?.is_empty();
        if self.sealed_clear {
            self.rewrite_all(&Work::SealClear, report).await?;
            self.database.purge_old_rows().await?;
        }
        self.write(&[Ask::new(&sql::ALL_SEALED, Vec::new())]).await
    }

    /// Seals all secrets again that are not sealed with the first key of the file.
    pub async fn reseal(&self, report: Report<'_>) -> ResealResult<()> {
        self.rewrite_all(&Work::Reseal, report).await
    }

    /// Returns the number of rows with secrets that are sealed with this key.
    pub async fn sealed_with(&self, key_id: &str) -> ResealResult<u64> {
        let mut rows = 0;
        let counts = [
            &sql::COUNT_APPS,
            &sql::COUNT_USERS,
            &sql::COUNT_CHANNELS,
            &sql::COUNT_CHANNEL_SECRETS,
            &sql::COUNT_DELIVERIES,
        ];
        for count in counts {
            let values = values![prefix(key_id)];
            let counted = self.database.query(DOING, count, values).await?;
            rows += counted.first().map_or(Ok(0), |row| row.number(0))?;
        }
        Ok(rows as u64)
    }

    /// Unregisters a key, which must no longer seal any secret.
    pub async fn delete_key(&self, key_id: &str) -> ResealResult<()> {
        self.write(&[Ask::new(&sql::REMOVE_KEY, values![key_id])]).await
    }

    /// Recovers from the loss of a key: replaces secrets that no key of the file opens by new ones,
    /// and deletes webhook deliveries whose body no key opens.
    pub async fn start_over(
        location: &Location,
        file: Box<dyn KeyFile>,
        new_secret: fn() -> String,
        report: Report<'_>,
    ) -> ResealResult<Self> {
        let _alone = alone(location)?;
        let database = CommandDatabase::open_to_seal(location).await?;
        file.make().map_err(failed)?;
        let keys = file.read().map_err(failed)?.filter(|keys| !keys.is_empty());
        let keys = keys.ok_or_else(|| failed(format!("{} contains no key", file.shown())))?;
        let sealer = Arc::new(Sealer::new(file, keys));
        let made_file = false;
        let secrets = Self { database, sealer, made_file, sealed_clear: false };
        if !secrets.database.query(DOING, &sql::IN_CLEAR, Vec::new()).await?.is_empty() {
            return Err(failed(
                "this data was written by an older version; start the server first to migrate it",
            ));
        }
        secrets.rewrite_all(&Work::Replace(new_secret), report).await?;
        secrets.write(&[Ask::new(&sql::REMOVE_KEYS, Vec::new())]).await?;
        secrets.introduce(secrets.keys()[0].id()).await?;
        Ok(secrets)
    }

    /// Rewrites all tables, repeatedly until no row needs it.
    async fn rewrite_all(&self, work: &Work, report: Report<'_>) -> ResealResult<()> {
        for _ in 0..PASSES_MAX {
            let mut met = 0;
            for table in Table::ALL {
                met += self.rewrite(table, work, report).await?;
            }
            if met == 0 {
                return Ok(());
            }
        }
        Err(failed(
            "a server still encrypts with the previous key; replace its key file with this one",
        ))
    }

    /// Rewrites the rows of a table that are not sealed with the first key. Returns their number.
    async fn rewrite(&self, table: Table, work: &Work, report: Report<'_>) -> ResealResult<u64> {
        let (mut after, mut met) = ((0, 0), 0);
        loop {
            let newest = prefix(self.sealer.keys_of_now()[0].id());
            let (page, values) = table.page(&self.database, after, &newest);
            let rows = self.database.query(DOING, page, values).await?;
            let Some(last) = rows.last() else { return Ok(met) };
            after = table.key(last)?;
            let writes: ResealResult<Vec<_>> =
                rows.iter().map(|row| self.rewritten(table, row, work)).collect();
            self.write(&writes?).await?;
            met += rows.len() as u64;
            report(Rewritten { what: table.name(), rows: met });
        }
    }

    /// Returns the statement that writes the resealed secrets of a row.
    fn rewritten(&self, table: Table, row: &ValueRow, work: &Work) -> ResealResult<Ask> {
        match table {
            Table::Apps => self.rewritten_app(row, work),
            Table::Users => self.rewritten_user(row, work),
            Table::Channels => {
                let (id, key) = (row.number(0)?, row.text(1)?);
                let new_key = self.resealed(work, SecretLocation::ChannelKey(id), &key)?;
                Ok(Ask::new(&sql::PUT_CHANNEL, values![id, new_key, key]))
            }
            Table::ChannelSecrets => {
                let (channel, name, sealed) = (row.number(0)?, row.text(1)?, row.text(2)?);
                let resealed =
                    self.resealed(work, SecretLocation::ChannelSecret(channel, &name), &sealed)?;
                Ok(Ask::new(&sql::PUT_CHANNEL_SECRET, values![channel, name, resealed, sealed]))
            }
            Table::Deliveries => self.rewritten_delivery(row, work),
        }
    }

    fn rewritten_app(&self, row: &ValueRow, work: &Work) -> ResealResult<Ask> {
        let (id, code) = (row.number(0)?, row.text(1)?);
        let (secret, key, other) = (row.text(2)?, row.text(3)?, row.maybe_text(4)?);
        let new_secret = self.resealed(work, SecretLocation::AppSecret(&code), &secret)?;
        let new_key = self.resealed(work, SecretLocation::AppKey(&code), &key)?;
        let new_other =
            other.as_ref().map(|other| self.resealed(work, SecretLocation::AppKey(&code), other));
        let (new_other, other) = (new_other.transpose()?, other.unwrap_or_default());
        let values = values![id, new_secret, new_key, new_other, secret, key, other];
        Ok(Ask::new(&sql::PUT_APP, values))
    }

    fn rewritten_user(&self, row: &ValueRow, work: &Work) -> ResealResult<Ask> {
        let (id, hash, sealed) = (row.number(0)?, row.text(1)?, row.maybe_text(2)?);
        let place = SecretLocation::UserToken(id);
        let token = match (sealed, work) {
            // Older versions stored the token itself in the column of its hash.
            (None, Work::SealClear) => hash.clone(),
            (sealed, work) => work.clear(&self.sealer, place, &sealed.unwrap_or_default())?,
        };
        let values = values![id, token_hash(&token), self.sealer.seal(place, &token), hash];
        Ok(Ask::new(&sql::PUT_USER, values))
    }

    /// Returns a stored secret, resealed with the first key of the file.
    fn resealed(
        &self,
        work: &Work,
        place: SecretLocation<'_>,
        stored: &str,
    ) -> ResealResult<String> {
        Ok(self.sealer.seal(place, &work.clear(&self.sealer, place, stored)?))
    }

    fn rewritten_delivery(&self, row: &ValueRow, work: &Work) -> ResealResult<Ask> {
        let (bucket, id, body) = (row.number(0)?, row.number(1)?, row.text(2)?);
        let (put, remove) = match self.database {
            CommandDatabase::Sqlite(_) => (&sql::SQLITE_PUT_DELIVERY, &sql::SQLITE_REMOVE_DELIVERY),
            CommandDatabase::Postgres(_) => {
                (&sql::POSTGRES_PUT_DELIVERY, &sql::POSTGRES_REMOVE_DELIVERY)
            }
        };
        match (self.sealer.open_body(id, body.clone()), work) {
            (Ok(clear), _) => {
                let sealed = self.sealer.seal(SecretLocation::DeliveryBody(id), &clear);
                Ok(Ask::new(put, values![bucket, id, sealed, body]))
            }
            // The body can no longer be read.
            (Err(_), Work::Replace(_)) => Ok(Ask::new(remove, values![bucket, id])),
            (Err(error), _) => Err(error),
        }
    }
}

/// Treatment of each secret in a run.
enum Work {
    /// Seal clear text of an older version. An interrupted run may have sealed some of it already.
    SealClear,
    /// Seal with the first key of the file.
    Reseal,
    /// Replace secrets that no key opens by new ones.
    Replace(fn() -> String),
}

impl Work {
    /// Returns the clear text of a stored secret, or its replacement.
    fn clear(
        &self,
        sealer: &Sealer,
        place: SecretLocation<'_>,
        stored: &str,
    ) -> ResealResult<String> {
        let is_ours = |key: &SecretKey| stored.starts_with(&prefix(key.id()));
        match self {
            Self::SealClear if !sealer.keys_of_now().iter().any(is_ours) => Ok(stored.to_owned()),
            Self::SealClear | Self::Reseal => sealer.open_text(place, stored),
            Self::Replace(new) => Ok(sealer.open_text(place, stored).unwrap_or_else(|_| new())),
        }
    }
}

/// A table with secrets.
#[derive(Clone, Copy)]
enum Table {
    Apps,
    Users,
    Channels,
    ChannelSecrets,
    Deliveries,
}

impl Table {
    const ALL: [Self; 5] =
        [Self::Apps, Self::Users, Self::Channels, Self::ChannelSecrets, Self::Deliveries];

    fn name(self) -> &'static str {
        match self {
            Self::Apps => "apps",
            Self::Users => "users",
            Self::Channels => "channels",
            Self::ChannelSecrets => "channel_secrets",
            Self::Deliveries => "deliveries",
        }
    }

    /// Returns the statement, with its values, for the next rows after this key that are not sealed
    /// with the key that `prefix` names.
    fn page(
        self,
        database: &CommandDatabase,
        (bucket, id): (i64, i64),
        prefix: &str,
    ) -> (&'static Statement, Vec<SqlValue>) {
        let mut values = values![id, prefix, SECRETS_PER_COMMIT as i64];
        let page = match (self, database) {
            (Self::Apps, _) => &sql::APPS,
            (Self::Users, _) => &sql::USERS,
            (Self::Channels, _) => &sql::CHANNELS,
            (Self::ChannelSecrets, _) => &sql::CHANNEL_SECRETS,
            (Self::Deliveries, database) => {
                values.push(bucket.into());
                match database {
                    CommandDatabase::Sqlite(_) => &sql::SQLITE_DELIVERIES,
                    CommandDatabase::Postgres(_) => &sql::POSTGRES_DELIVERIES,
                }
            }
        };
        (page, values)
    }

    /// Returns the sort key of a row: its bucket, if the table has buckets, and its id.
    fn key(self, row: &ValueRow) -> ResealResult<(i64, i64)> {
        match self {
            Self::Deliveries => Ok((row.number(0)?, row.number(1)?)),
            _ => Ok((0, row.number(0)?)),
        }
    }
}

/// Locks the data folder until the returned file is closed. Fails if a process serves the folder;
/// locks nothing on PostgreSQL.
fn alone(location: &Location) -> ResealResult<Option<File>> {
    match location {
        Location::Folder(path) => sqlite::maintenance::commands::alone(path).map(Some),
        Location::Postgres(_) => Ok(None),
    }
}
