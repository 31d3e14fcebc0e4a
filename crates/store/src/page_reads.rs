//! The messages of pages that name them.

use std::sync::Arc;

use confab_domain::messages::message::Said;

use crate::error::StoreError;
use crate::pages::{MessageKey, PageEntry};
use crate::store::Store;

impl Store {
    /// The first of these messages, in this order: at least one, and as many as are read at a time.
    /// A message that was deleted since its page was found is there without what it said, so that
    /// the page keeps its length.
    pub async fn messages(&self, keys: &[MessageKey]) -> Result<Vec<Arc<Said>>, StoreError> {
        match self {
            Self::Sqlite(engine) => {
                let keys = keys.to_vec();
                engine.read_long(move |reads| reads.messages(&keys)).await
            }
            Self::Postgres(engine) => engine.messages(keys).await,
        }
    }

    /// All messages of a page, for pages that are short.
    pub async fn loaded(&self, page: Vec<PageEntry>) -> Result<Vec<Arc<Said>>, StoreError> {
        let mut loaded = Vec::with_capacity(page.len());
        let mut entries = page.into_iter().peekable();
        while let Some(entry) = entries.next() {
            let mut keys = match entry {
                PageEntry::Loaded(said) => {
                    loaded.push(said);
                    continue;
                }
                PageEntry::Deferred(key) => vec![key],
            };
            while let Some(PageEntry::Deferred(key)) =
                entries.next_if(|next| matches!(next, PageEntry::Deferred(_)))
            {
                keys.push(key);
            }
            while !keys.is_empty() {
                let some = self.messages(&keys).await?;
                keys.drain(..some.len().min(keys.len()));
                loaded.extend(some);
            }
        }
        Ok(loaded)
    }
}
