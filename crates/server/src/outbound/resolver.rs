//! From names to addresses. What comes out is not trusted: the guard vets it.

use std::net::IpAddr;
use std::sync::Arc;

use tokio::sync::Semaphore;

/// The system resolves in threads, and a dead name server holds each of them for seconds.
const LOOKUPS_MAX: usize = 128;

/// Where addresses come from.
#[derive(Clone)]
pub struct Resolver(NameSource);

#[derive(Clone)]
enum NameSource {
    /// As every program of this machine resolves names.
    System(Arc<Semaphore>),
    /// A function in place of a name server.
    Script(Arc<dyn Fn(&str) -> Scripted + Send + Sync>),
}

/// What a scripted resolver says about a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scripted {
    /// The name has these addresses.
    Addresses(Vec<IpAddr>),
    /// The name server says no.
    Fails(&'static str),
    /// The name server says nothing.
    Silent,
}

impl Resolver {
    /// The one for servers.
    pub fn system() -> Self {
        Self(NameSource::System(Arc::new(Semaphore::new(LOOKUPS_MAX))))
    }

    /// One for tests.
    pub fn scripted(script: impl Fn(&str) -> Scripted + Send + Sync + 'static) -> Self {
        Self(NameSource::Script(Arc::new(script)))
    }

    /// Every address of a name. The error is for the log of attempts. The caller bounds the time.
    pub(super) async fn resolve(&self, name: &str) -> Result<Vec<IpAddr>, String> {
        match &self.0 {
            NameSource::System(lookups) => look_up(lookups.clone(), name.to_owned()).await,
            NameSource::Script(script) => match script(name) {
                Scripted::Addresses(addresses) => Ok(addresses),
                Scripted::Fails(problem) => Err(problem.to_owned()),
                Scripted::Silent => std::future::pending().await,
            },
        }
    }
}

/// The permit is held until the thread is done, not only until the caller has lost patience.
async fn look_up(lookups: Arc<Semaphore>, name: String) -> Result<Vec<IpAddr>, String> {
    let permit = lookups.acquire_owned().await.map_err(|error| error.to_string())?;
    let lookup = tokio::spawn(async move {
        let found = tokio::net::lookup_host((name, 0)).await;
        drop(permit);
        found.map(|found| found.map(|address| address.ip()).collect::<Vec<_>>())
    });
    let found = lookup.await.map_err(|error| error.to_string())?;
    let mut addresses = found.map_err(|error| error.to_string())?;
    addresses.dedup();
    Ok(addresses)
}
