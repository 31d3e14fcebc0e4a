//! The rules of Confab: what may happen to rooms, people and messages, and what follows from it.
//!
//! Called by `wire` (which builds these types from public JSON), by `store` (which loads facts and
//! applies changes) and by `server` (which parses a request into a rule and hands it to the store).
//! Everything here is a plain value or a pure function: no I/O, no async, no clock, no randomness,
//! no JSON library. A rule may be run twice on the same facts and gives the same decision.
//!
//! # Glossary
//!
//! These words are the law inside; the words of the public API live in `wire` only.
//!
//! | word | meaning | on the wire |
//! |---|---|---|
//! | App | one customer of this server, strictly apart from all others | app, `app_code` |
//! | User | somebody who can be in a room | user, `email`, `user_id` |
//! | UserId | the name the app gave its user | `user_id`, `email` |
//! | Realm | whose user it is: the app's own, or the customer of a channel | not shown |
//! | UserKey | the integer this server gave the user | `id` |
//! | System | the user of each app that speaks system events | `System` |
//! | Agent | whoever signs in to work here, in whatever role | agent, admin, supervisor |
//! | AgentProfile | what outsiders are shown of an agent | agent, `candidate_agent` |
//! | AgentRecord | all that is kept of an agent but the password | agent |
//! | Account | an agent with the sign-ins and the password's hash | agent |
//! | Candidate | an agent who may be assigned, with how many they serve | `candidate_agent` |
//! | Sign-in | a token of an agent, and until when it is good | `authentication_token` |
//! | Right | what an agent may do by a sign-in and a role; each decision asks again | |
//! | Division | a group of agents, by which allocation services find them | `user_roles` |
//! | Speaker | the user that speaks for an agent in rooms | `sdk_email` |
//! | Room | where messages are; single, group or channel | room, topic, channel |
//! | Participant | a user's place in a room, with how far they have read | participant |
//! | Message | one thing said in a room | comment |
//! | Number | the dense count of a message in its room, from 1 | not shown |
//! | Unique id | the string that names a message in its app | `unique_temp_id`, `unique_id` |
//! | Customer | the user whom a room of a channel serves | customer, `from`, `email` |
//! | Visitor | who comes through a channel, before they are its customer | |
//! | Session | a stretch of a customer's room, until it is resolved | service, conversation |
//! | Rating | what a customer says about a session after its end | `rating` |
//! | CannedReply | a text that agents have at hand, under a shortcut | chat template |
//! | OfficeHours | when an office is open, in the time of its place | `office_hours` |
//! | AutoReplies | what customers are told by itself, inside and outside of them | configs |
//! | Draft | what a caller asks to post, checked but not yet decided | request fields |
//! | Rule | a verb as a value: its question and its decision | |
//! | Context | what a rule knows beside its facts: the app, how public JSON is written | |
//! | Question | what a rule wants to know | |
//! | Facts | what the store found for a question | |
//! | Decision | the changes a rule wants, the outcome for the caller, who hears of it | |
//! | Refusal | why a rule said no | error body |
//! | Stamp | the time of a decision, and new ids for it | |
//! | Change | one thing that is written | |
//! | CommitEvent | what was committed and concerns those who are connected | frames |
//! | CommitListener | who hears of commits, in their order | |
//! | RoomEvent | what those in a room are shown | |
//! | Notice | what outsiders are told when something happens | webhook body |
//! | Endpoint | where an app wants to be told of a kind of notice | webhook URL |
//! | DeliveryPolicy | how an endpoint wants to be called: timeout, how many at once | |
//! | Fan-out | a notice becomes one delivery for each endpoint | |
//! | Delivery | one notice on its way to one endpoint: a row of the outbox | delivery |
//! | Lane | deliveries that keep their order, of a room or of a person | `webhook-sequence` |
//! | Bucket | a part of all lanes, leased by one node | |
//! | Attempt | one request of a delivery, and what came back | attempt |
//! | Carrier | a way out: webhook, push, service (in `server`) | |
//! | Service | a messenger that customers write from, such as Telegram | `source` |
//! | ServiceAccount | what a channel is to its service, and what opens it there | `bot_token` |
//! | Identity | an id by which a service knows a customer | |
//! | Part | one request that what is said to a customer takes (in `wire`) | |
//! | RetrySchedule | when a delivery is tried again, and when it is given up | |
//! | CircuitBreaker | how an endpoint that fails is left in peace, and probed | |
//! | Parked | a delivery that failed for so long that it no longer holds up its lane | `parked` |
//! | Receipt | up to where somebody received or read | `delivered`, `read` |
//! | Presence | whether somebody is connected | online |
//! | Moved… | what is carried from one server to another, by that server's names | export file |

pub mod field_problem;
pub mod ids;
pub mod json_text;
pub mod limits;
pub mod name;
pub mod refusal;
pub mod time;

pub mod app;
pub mod people;

pub mod rooms;

pub mod messages;

pub mod agents;
pub mod audit;
pub mod changing_keys;
pub mod key_step;

pub mod service;

pub mod channels;

pub mod webhooks;

pub mod push;

pub mod files;

pub mod moving;

pub mod decision;

#[cfg(test)]
mod example;
