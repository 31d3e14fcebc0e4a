//! What a room is told of its conversation by the server itself, in a form that can be translated
//! (D-0115).

use crate::agents::agent::Person;

/// Something that happened to a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationEvent {
    pub what: ConversationEventKind,
    /// Who came or left.
    pub agent: Option<Person>,
    /// By whose decision; nobody's if the app or the server decided.
    pub by: Option<Person>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConversationEventKind {
    AgentJoined,
    AgentLeft,
    Resolved,
    Reopened,
}

impl ConversationEventKind {
    /// Its public name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AgentJoined => "agent_joined",
            Self::AgentLeft => "agent_left",
            Self::Resolved => "resolved",
            Self::Reopened => "reopened",
        }
    }
}

impl ConversationEvent {
    /// The text that it is shown by. Public widgets look for that of the end, whoever brought it
    /// about (wire facts 5.6).
    pub fn text(&self) -> String {
        let name = |person: &Option<Person>| match person {
            Some(person) => person.name.clone(),
            None => "admin".to_owned(),
        };
        match self.what {
            ConversationEventKind::AgentJoined => {
                format!("{} joined this conversation", name(&self.agent))
            }
            ConversationEventKind::AgentLeft => {
                format!("{} left this conversation", name(&self.agent))
            }
            ConversationEventKind::Resolved => {
                "admin marked this conversation as resolved".to_owned()
            }
            ConversationEventKind::Reopened => {
                format!("{} reopened this conversation", name(&self.by))
            }
        }
    }
}
