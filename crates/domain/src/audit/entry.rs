//! An entry of the audit, and how rules make one.

use std::sync::Arc;

use crate::agents::agent::Agent;
use crate::audit::deed::Deed;
use crate::audit::differences::{Differences, shown};
use crate::ids::{AgentId, AuditId};
use crate::json_text::JsonText;
use crate::time::Timestamp;

/// Who wants something done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actor {
    /// Somebody who signed in.
    Person(AgentId),
    /// Whoever holds the app's secret key.
    SecretKey,
    /// The operator, in a shell.
    CommandLine,
    /// The server by itself.
    Server,
}

impl Actor {
    /// As it is kept and shown.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Person(_) => "person",
            Self::SecretKey => "secret_key",
            Self::CommandLine => "command_line",
            Self::Server => "server",
        }
    }
}

/// Something that somebody changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    pub id: AuditId,
    pub at: Timestamp,
    pub actor: Actor,
    pub deed: Deed,
    pub target: Target,
    /// A JSON object of what differs.
    pub before: Option<JsonText>,
    pub after: Option<JsonText>,
    /// From where it was asked for, if it was a request.
    pub address: Option<Arc<str>>,
}

impl AuditEntry {
    /// What the operator did in a shell, beside the servers.
    pub fn by_command_line(
        (id, at): (AuditId, Timestamp),
        deed: Deed,
        target: Target,
        differences: Differences,
    ) -> Self {
        Self::new((id, at), (Actor::CommandLine, None), deed, target, differences)
    }

    pub(crate) fn new(
        (id, at): (AuditId, Timestamp),
        (actor, address): (Actor, Option<Arc<str>>),
        deed: Deed,
        target: Target,
        differences: Differences,
    ) -> Self {
        let (before, after) = differences.into_json();
        Self { id, at, actor, deed, target, before, after, address }
    }
}

/// What was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// `agent`, `channel` and so on.
    pub kind: &'static str,
    /// By what it is named in calls; empty if it is the app or several.
    pub id: String,
    /// What it was called; nothing for customers, whose names may have to be forgotten.
    pub name: Option<String>,
}

impl Target {
    pub fn new(kind: &'static str, id: impl ToString, name: &str) -> Self {
        Self { kind, id: id.to_string(), name: Some(shown(name)) }
    }

    pub fn nameless(kind: &'static str, id: impl ToString) -> Self {
        Self { kind, id: id.to_string(), name: None }
    }

    /// Somebody who works in the app.
    pub fn agent(agent: &Agent) -> Self {
        Self::new("agent", agent.id, &agent.name)
    }
}
