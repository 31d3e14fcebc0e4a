//! System events that the server posts about a customer's conversation, in a form that clients can
//! translate (design/message-api).

use crate::agents::agent::Person;

/// A system event about a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationEvent {
    pub what: ConversationEventKind,
    /// The agent who joined or left.
    pub agent: Option<Person>,
    /// The agent who caused the event; `None` if the app or the server did.
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
    /// Returns the public name.
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
    /// Returns the English text of the event. The text of a resolution never names the agent,
    /// because public widgets search for exactly this text (wire facts 5.6).
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
