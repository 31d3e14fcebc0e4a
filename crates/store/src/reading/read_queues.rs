//! Queues for reads whose cost grows with the stored data, identical on both engines (D-0207).
//!
//! Each statement of a list needs a permit of the queue `lists`, which the engines request before
//! they run the statement. A search also needs a permit of the queue `searches` until its last
//! statement ends, and is aborted after `limits::SEARCH_MS_MAX`.

use std::sync::{Arc, OnceLock};

use confab_domain::limits;

use super::fair_queue::{FairQueue, Permit, QueueBounds, QueueFull, Reader};
use crate::error::{Read, StoreError, StoreProblem};

tokio::task_local! {
    static READER: ReaderScope;
}

/// The caller on whose behalf a request reads, once it is known. Clones are cheap and share the
/// caller.
#[derive(Clone, Default)]
pub struct ReaderScope(Arc<OnceLock<Reader>>);

impl ReaderScope {
    /// Attributes all later reads to this caller. Has no effect if a caller is already set.
    pub fn set(&self, reader: Reader) {
        let _ = self.0.set(reader);
    }

    /// Runs a future whose reads are attributed to the caller of this scope.
    pub async fn run<Answer>(self, running: impl Future<Output = Answer>) -> Answer {
        READER.scope(self, running).await
    }

    /// Returns the scope of the current task. Outside of any scope, reads are attributed to the
    /// server itself.
    pub fn current() -> Self {
        READER.try_with(Self::clone).unwrap_or_default()
    }

    fn reader(&self) -> Option<Reader> {
        self.0.get().copied()
    }
}

/// The queues of one store: for statements of lists, and for searches.
pub(crate) struct ReadQueues {
    lists: FairQueue,
    searches: FairQueue,
}

impl ReadQueues {
    /// Creates the queues of an engine that runs up to `lists_at_once` lists concurrently.
    pub(crate) fn new(lists_at_once: usize) -> Self {
        let part = |of: usize| (lists_at_once / of).max(1);
        let bounds = |running, running_of_app, running_of_caller| QueueBounds {
            running,
            running_of_app,
            running_of_caller,
            waiting_of_app: limits::LISTS_WAITING_OF_APP_MAX,
            waiting_of_caller: limits::LISTS_WAITING_OF_CALLER_MAX,
        };
        let lists = bounds(
            lists_at_once,
            part(limits::LISTS_OF_APP_SHARE),
            part(limits::LISTS_OF_CALLER_SHARE),
        );
        let searches = QueueBounds {
            waiting_of_caller: limits::SEARCHES_WAITING_OF_CALLER_MAX,
            ..bounds(
                part(limits::SEARCHES_SHARE),
                part(limits::SEARCHES_OF_APP_SHARE),
                limits::SEARCHES_OF_CALLER_MAX,
            )
        };
        Self { lists: FairQueue::new(lists), searches: FairQueue::new(searches) }
    }

    /// Waits until a statement of a list may run for the current caller.
    pub(crate) async fn list(&self) -> Read<Permit> {
        let reader = ReaderScope::current().reader();
        self.lists.enter(reader).await.map_err(|full| busy("waiting to read a list", full))
    }

    /// Waits until a search may run for the current caller.
    pub(crate) async fn search(&self) -> Read<Permit> {
        let reader = ReaderScope::current().reader();
        self.searches.enter(reader).await.map_err(|full| busy("waiting to search", full))
    }
}

fn busy(doing: &'static str, full: QueueFull) -> StoreError {
    StoreError { doing, trouble: StoreProblem::Busy, source: full.into() }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use confab_domain::ids::{AppId, UserKey};
    use confab_test_servers::postgres::shared;
    use futures_util::FutureExt;

    use super::*;
    use crate::location::Location;
    use crate::reading::fair_queue::ReadCaller;
    use crate::secrets::sealer::tests::{NoStamps, sealer};
    use crate::sql::{Ask, texts, values};
    use crate::store::Store;

    texts! {
        SQLITE_ENDLESS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
            SELECT count(*) FROM n";
        POSTGRES_ENDLESS = "SELECT count(*) FROM pg_sleep(1000000)";
        ONE = "SELECT CAST(1 AS BIGINT)";
    }

    async fn store(location: &Location) -> Store {
        let stamps = Arc::new(NoStamps);
        Store::open(location, stamps, Arc::new(sealer(&[1]).0)).await.expect("opens")
    }

    /// Runs a check on a store of each engine.
    async fn on_each_engine(check: impl AsyncFn(&Store)) {
        let folder = tempfile::tempdir().expect("a folder");
        check(&store(&Location::Folder(folder.path().to_owned())).await).await;
        let url = shared().new_schema();
        check(&store(&Location::database(&url).expect("a valid address")).await).await;
    }

    fn endless(store: &Store) -> Ask {
        let statement = match store {
            Store::Sqlite(_) => &SQLITE_ENDLESS,
            Store::Postgres(_) => &POSTGRES_ENDLESS,
        };
        Ask::new(statement, values![])
    }

    async fn for_user<Answer>(user: i64, running: impl Future<Output = Answer>) -> Answer {
        let scope = ReaderScope::default();
        scope.set(Reader { app: AppId(user / 100), caller: ReadCaller::User(UserKey(user)) });
        scope.run(running).await
    }

    async fn one(store: &Store) -> Read<u64> {
        store.counted(Ask::new(&ONE, values![])).await
    }

    #[tokio::test]
    async fn endless_lists_leave_permits_for_other_apps() {
        on_each_engine(async |store| {
            let users = 101..109;
            let lists = users.map(|user| for_user(user, store.counted(endless(store))));
            let mut lists: Vec<_> = lists.map(Box::pin).collect();
            for list in &mut lists {
                assert!(list.as_mut().now_or_never().is_none());
            }
            assert_eq!(for_user(201, one(store)).await.expect("read"), 1);
        })
        .await;
    }

    #[tokio::test]
    async fn a_list_of_a_dropped_caller_is_aborted_and_frees_its_permit() {
        on_each_engine(async |store| {
            {
                let mut list = pin!(for_user(101, store.counted(endless(store))));
                assert!(list.as_mut().now_or_never().is_none());
            }
            // The same caller has one permit, which the endless statement held.
            assert_eq!(for_user(101, one(store)).await.expect("read"), 1);
        })
        .await;
    }

    #[tokio::test]
    async fn a_search_that_takes_too_long_is_aborted_and_the_next_one_runs() {
        on_each_engine(async |store| {
            let search = store.search(store.counted(endless(store)));
            let ended = for_user(101, search).await.expect_err("the search is aborted");
            assert_eq!(ended.trouble, StoreProblem::TooSlow);
            assert_eq!(for_user(101, store.search(one(store))).await.expect("found"), 1);
        })
        .await;
    }

    #[tokio::test]
    async fn one_search_per_caller_runs_some_wait_and_more_are_rejected() {
        on_each_engine(async |store| {
            let search = |user| for_user(user, store.search(std::future::pending::<Read<u64>>()));
            let mut running = Box::pin(search(101));
            assert!(running.as_mut().now_or_never().is_none());
            let mut waiting: Vec<_> = Vec::new();
            for _ in 0..limits::SEARCHES_WAITING_OF_CALLER_MAX {
                let mut search = Box::pin(for_user(101, store.search(one(store))));
                assert!(search.as_mut().now_or_never().is_none());
                waiting.push(search);
            }
            let refused = search(101).now_or_never().expect("refused at once");
            assert_eq!(refused.expect_err("refused").trouble, StoreProblem::Busy);
            let other = for_user(201, store.search(one(store)));
            assert_eq!(other.await.expect("found"), 1, "another app is unaffected");
            drop(running);
            for search in waiting {
                assert_eq!(search.await.expect("found"), 1);
            }
        })
        .await;
    }
}
