//! Audit entries, and their actors and targets.

use std::sync::Arc;

use crate::agents::agent::Agent;
use crate::audit::deed::AuditAction;
use crate::audit::differences::{Differences, shown};
use crate::ids::{AgentId, AuditId};
use crate::json_text::JsonText;
use crate::time::Timestamp;

/// The originator of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actor {
    /// A signed-in agent.
    Person(AgentId),
    /// An API client that authenticated with the app's secret key.
    SecretKey,
    /// The operator, on the command line.
    CommandLine,
    /// The server itself.
    Server,
}

impl Actor {
    /// Returns the actor's kind as stored and in the public API.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Person(_) => "person",
            Self::SecretKey => "secret_key",
            Self::CommandLine => "command_line",
            Self::Server => "server",
        }
    }
}

/// An entry of the audit log: one change and its originator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    pub id: AuditId,
    pub at: Timestamp,
    pub actor: Actor,
    pub deed: AuditAction,
    pub target: AuditTarget,
    /// JSON object of the values before the change; `None` if there are none.
    pub before: Option<JsonText>,
    pub after: Option<JsonText>,
    /// IP address of the request, if there was one.
    pub address: Option<Arc<str>>,
}

impl AuditEntry {
    /// Creates the entry of a change that the operator made with a command, outside of the server
    /// process.
    pub fn by_command_line(
        (id, at): (AuditId, Timestamp),
        deed: AuditAction,
        target: AuditTarget,
        differences: Differences,
    ) -> Self {
        Self::new((id, at), (Actor::CommandLine, None), deed, target, differences)
    }

    pub(crate) fn new(
        (id, at): (AuditId, Timestamp),
        (actor, address): (Actor, Option<Arc<str>>),
        deed: AuditAction,
        target: AuditTarget,
        differences: Differences,
    ) -> Self {
        let (before, after) = differences.into_json();
        Self { id, at, actor, deed, target, before, after, address }
    }
}

/// The object that an audited change affects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditTarget {
    /// Kind of the object, such as `agent` or `channel`.
    pub kind: &'static str,
    /// Id of the object in API calls; empty for the app itself and for several objects.
    pub id: String,
    /// Name of the object at the time of the change. `None` for customers, whose names may have to
    /// be erased.
    pub name: Option<String>,
}

impl AuditTarget {
    pub fn new(kind: &'static str, id: impl ToString, name: &str) -> Self {
        Self { kind, id: id.to_string(), name: Some(shown(name)) }
    }

    pub fn nameless(kind: &'static str, id: impl ToString) -> Self {
        Self { kind, id: id.to_string(), name: None }
    }

    /// Creates the target of an agent.
    pub fn agent(agent: &Agent) -> Self {
        Self::new("agent", agent.id, &agent.name)
    }
}
