//! Name resolution. The result is untrusted: the target guard vets each address.

use std::net::IpAddr;
use std::sync::Arc;

use tokio::sync::Semaphore;

/// Maximum number of concurrent lookups. The system resolves in threads, and an unresponsive name
/// server blocks each of them for seconds.
const LOOKUPS_MAX: usize = 128;

/// Resolves host names with the system's resolver, or with scripted answers in tests.
#[derive(Clone)]
pub struct Resolver(NameSource);

#[derive(Clone)]
enum NameSource {
    /// The system's resolver, with a limit on concurrent lookups.
    System(Arc<Semaphore>),
    /// A function that answers instead of a name server, for tests.
    Script(Arc<dyn Fn(&str) -> ScriptedAnswer + Send + Sync>),
}

/// The answer of a scripted resolver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScriptedAnswer {
    /// The addresses of the name.
    Addresses(Vec<IpAddr>),
    /// An error of the name server.
    Fails(&'static str),
    /// No answer, ever.
    Silent,
}

impl Resolver {
    /// Creates the resolver for servers.
    pub fn system() -> Self {
        Self(NameSource::System(Arc::new(Semaphore::new(LOOKUPS_MAX))))
    }

    /// Creates a resolver for tests.
    pub fn scripted(script: impl Fn(&str) -> ScriptedAnswer + Send + Sync + 'static) -> Self {
        Self(NameSource::Script(Arc::new(script)))
    }

    /// Returns all addresses of a name. The error is for the attempt log. The caller limits the
    /// time.
    pub(super) async fn resolve(&self, name: &str) -> Result<Vec<IpAddr>, String> {
        match &self.0 {
            NameSource::System(lookups) => resolve_name(lookups.clone(), name.to_owned()).await,
            NameSource::Script(script) => match script(name) {
                ScriptedAnswer::Addresses(addresses) => Ok(addresses),
                ScriptedAnswer::Fails(problem) => Err(problem.to_owned()),
                ScriptedAnswer::Silent => std::future::pending().await,
            },
        }
    }
}

/// Resolves a name. The permit is held until the lookup's thread has finished, even if the caller
/// has timed out.
async fn resolve_name(lookups: Arc<Semaphore>, name: String) -> Result<Vec<IpAddr>, String> {
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
