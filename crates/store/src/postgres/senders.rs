//! Who sends what: nodes share the buckets of deliveries, each for as long as it says that it is
//! there (D-0014).
//!
//! Every statement can be run again without harm, so a lost connection costs nothing but time. The
//! database's clock counts, not the nodes'.

use confab_domain::limits;

use super::{Engine, Params, rows};
use crate::error::StoreError;
use crate::listing::Held;
use crate::statements as sql;

impl Engine {
    /// See [`crate::Store::hold_buckets`].
    pub(crate) async fn hold_buckets(
        &self,
        sender: &str,
        given: &[i64],
    ) -> Result<Held, StoreError> {
        let (doing, lease_s) = ("sharing deliveries", limits::BUCKET_LEASE_S as f64);
        let lease: Params<'_> = &[&sender, &lease_s];
        self.readers.query(doing, sql::POSTGRES_SAY_SENDER.postgres(), lease).await?;
        if !given.is_empty() {
            let given = given.to_vec();
            let text = sql::POSTGRES_GIVE_BUCKETS.postgres();
            self.readers.query(doing, text, &[&sender, &given]).await?;
        }
        let mut buckets = Vec::new();
        let kept = self.readers.query(doing, sql::POSTGRES_KEEP_BUCKETS.postgres(), lease).await?;
        let text = sql::POSTGRES_COUNT_SENDERS.postgres();
        let senders = self.readers.query(doing, text, &[]).await?;
        let senders = rows::get::<i64>(&senders[0], 0)?.max(1) as usize;
        // What was just given away is for the others.
        let taken = if given.is_empty() {
            self.readers.query(doing, sql::POSTGRES_TAKE_BUCKETS.postgres(), lease).await?
        } else {
            Vec::new()
        };
        for row in kept.iter().chain(&taken) {
            buckets.push(rows::get(row, 0)?);
        }
        buckets.sort_unstable();
        buckets.dedup();
        Ok(Held { buckets, senders })
    }

    /// See [`crate::Store::give_up_buckets`].
    pub(crate) async fn give_up_buckets(&self, sender: &str) -> Result<(), StoreError> {
        let doing = "giving up deliveries";
        let all: Vec<i64> = (0..confab_domain::webhooks::delivery::BUCKETS).collect();
        let text = sql::POSTGRES_GIVE_BUCKETS.postgres();
        self.readers.query(doing, text, &[&sender, &all]).await?;
        let text = sql::POSTGRES_FORGET_SENDERS.postgres();
        self.readers.query(doing, text, &[&sender]).await.map(drop)
    }
}
