//! Bucket leases: the nodes that send deliveries share the buckets (D-0014).
//!
//! Every statement may be repeated, so a lost connection costs only time. Leases are timed by the
//! database's clock.

use confab_domain::limits;

use crate::error::StoreError;
use crate::postgres::Engine;
use crate::postgres::connections::connection::Params;
use crate::reading::listing::LeasedBuckets;
use crate::sql::{Row, statements};

statements! {
    SAY_SENDER = "INSERT INTO senders (holder, seen_until) \
        VALUES ($1, now() + make_interval(secs => $2)) \
        ON CONFLICT (holder) DO UPDATE SET seen_until = excluded.seen_until";
    COUNT_SENDERS = "SELECT count(*) FROM senders WHERE seen_until > now()";
    FORGET_SENDERS = "DELETE FROM senders WHERE holder = $1 \
        OR seen_until < now() - interval '1 hour'";
    GIVE_BUCKETS = "UPDATE buckets SET holder = NULL \
        WHERE holder = $1 AND bucket = ANY ($2)";
    KEEP_BUCKETS = "UPDATE buckets SET held_until = now() + make_interval(secs => $2) \
        WHERE holder = $1 RETURNING bucket";
    TAKE_BUCKETS = "UPDATE buckets b \
        SET holder = $1, held_until = now() + make_interval(secs => $2) \
        FROM (SELECT bucket FROM buckets WHERE holder IS NULL OR held_until < now() \
        ORDER BY bucket FOR UPDATE SKIP LOCKED) free WHERE b.bucket = free.bucket \
        RETURNING b.bucket";
}

impl Engine {
    /// Implements [`crate::Store::hold_buckets`].
    pub(crate) async fn hold_buckets(
        &self,
        sender: &str,
        given: &[i64],
    ) -> Result<LeasedBuckets, StoreError> {
        let (doing, lease_s) = ("renewing bucket leases", limits::BUCKET_LEASE_S as f64);
        let lease: Params<'_> = &[&sender, &lease_s];
        self.readers.query(doing, SAY_SENDER.postgres(), lease).await?;
        if !given.is_empty() {
            let given = given.to_vec();
            let text = GIVE_BUCKETS.postgres();
            self.readers.query(doing, text, &[&sender, &given]).await?;
        }
        let mut buckets = Vec::new();
        let kept = self.readers.query(doing, KEEP_BUCKETS.postgres(), lease).await?;
        let text = COUNT_SENDERS.postgres();
        let senders = self.readers.query(doing, text, &[]).await?;
        let senders = senders[0].number(0)?.max(1) as usize;
        // Buckets that were just yielded are for other nodes.
        let taken = if given.is_empty() {
            self.readers.query(doing, TAKE_BUCKETS.postgres(), lease).await?
        } else {
            Vec::new()
        };
        for row in kept.iter().chain(&taken) {
            buckets.push(row.number(0)?);
        }
        buckets.sort_unstable();
        buckets.dedup();
        Ok(LeasedBuckets { buckets, senders })
    }

    /// Implements [`crate::Store::give_up_buckets`].
    pub(crate) async fn give_up_buckets(&self, sender: &str) -> Result<(), StoreError> {
        let doing = "releasing bucket leases";
        let all: Vec<i64> = (0..confab_domain::webhooks::delivery::BUCKETS).collect();
        let text = GIVE_BUCKETS.postgres();
        self.readers.query(doing, text, &[&sender, &all]).await?;
        let text = FORGET_SENDERS.postgres();
        self.readers.query(doing, text, &[&sender]).await.map(drop)
    }
}
