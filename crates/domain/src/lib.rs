//! The rules of Confab: decisions about rooms, people, messages and customer support.
//!
//! `wire` parses public JSON into these types and writes responses from them, `store` loads facts
//! and applies changes, `http` turns requests into rules, and `app` hands them to the store. All of
//! it is plain values and pure functions: no I/O, async, clock, randomness or JSON library. A rule
//! may run twice on the same facts and returns the same decision.
//!
//! # Glossary
//!
//! The code uses these words only. The words of the public API appear in `wire` only.
//!
//! | Word | Meaning | Public API |
//! |---|---|---|
//! | App | tenant of this server, isolated from all others | app, `app_code` |
//! | User | anyone who can be in a room | user, `email`, `user_id` |
//! | UserId | name that the app gave its user | `user_id`, `email` |
//! | Realm | owner of a user's id: the app itself, or one channel | not shown |
//! | UserKey | integer that this server gave the user | `id` |
//! | System | the user that posts an app's system events | `System` |
//! | Agent | person who signs in to the dashboard, in any role | agent, admin, supervisor |
//! | Staff | all agents of an app | |
//! | AgentProfile | an agent as outside services see them | agent, `candidate_agent` |
//! | AgentRecord | all stored fields of an agent except the password | agent |
//! | Account | an agent with their sign-ins and password hash | agent |
//! | Candidate | assignable agent, with their number of conversations | `candidate_agent` |
//! | Sign-in | an agent's token and its expiry | `authentication_token` |
//! | Right | permission of an agent by sign-in and role; checked again by each decision | |
//! | Division | group of agents, by which allocation services select them | `user_roles` |
//! | Speaker | the user that posts for an agent in rooms | `sdk_email` |
//! | Room | where messages are: single, group or public | room, topic, channel |
//! | Participant | a user's membership in a room, with delivered and read positions | participant |
//! | Message | one message in a room | comment |
//! | Number | position of a message in its room, counted from 1 without gaps | not shown |
//! | Unique id | string that names a message in its app | `unique_temp_id`, `unique_id` |
//! | Support | customer service as a subject: conversations, assignment, contacts, automation | |
//! | Customer | the user whom a room of a channel serves | customer, `from`, `email` |
//! | Visitor | person who writes through a channel and has no room there yet | |
//! | Session | a customer's conversation from its start to its resolution | service, conversation |
//! | Rating | a customer's grade for a session, given after it ended | `rating` |
//! | CannedReply | text that agents insert by a shortcut | chat template |
//! | OfficeHours | opening hours of an office, in its time zone | `office_hours` |
//! | AutoReplies | automatic replies inside and outside office hours | configs |
//! | Draft | a validated request to post a message, not yet decided | request fields |
//! | Rule | a write as a value: the facts it needs and its decision | |
//! | Context | app, actor and renderers of public JSON, given to a rule with its facts | |
//! | Question | the facts that a rule needs | |
//! | Facts | the data that the store loaded for a question | |
//! | Decision | the changes and deliveries of a rule, and the outcome for its caller | |
//! | Refusal | reason why a rule rejected a request | error body |
//! | Stamp | time of a decision, and new ids for it | |
//! | Change | one write | |
//! | CommitEvent | a committed change that connected clients must see | frames |
//! | CommitListener | receiver of commit events, in commit order | |
//! | RoomEvent | an event as the participants of a room see it | |
//! | Event | something that happened, as outside services are notified of it | webhook body |
//! | Endpoint | URL to which an app wants one kind of event delivered | webhook URL |
//! | DeliveryPolicy | timeout and concurrency of an endpoint | |
//! | Fan-out | creation of one delivery per endpoint of an event | |
//! | Delivery | one event for one endpoint: a row of the outbox | delivery |
//! | Lane | deliveries of one room or person, sent in order | `webhook-sequence` |
//! | Bucket | a fixed share of all lanes, leased by one node | |
//! | Attempt | one request of a delivery and its result | attempt |
//! | Carrier | transport of a delivery: webhook, push or provider | |
//! | Provider | messaging platform through which customers write, such as Telegram | `source` |
//! | ProviderAccount | a channel's account at its provider, with its credentials | `bot_token` |
//! | Identity | id of a customer at a provider | |
//! | Part | one of the requests that send a message to a customer (in `providers`) | |
//! | RetrySchedule | times of the next attempts, and when to give up | |
//! | CircuitBreaker | pause and probe of a failing endpoint | |
//! | Parked | a delivery that failed for so long that it no longer blocks its lane | `parked` |
//! | Receipt | position up to which a user received or read | `delivered`, `read` |
//! | Presence | whether a user is connected | online |
//! | Moved… | a value of an export file, by the ids of the exporting server | export file |

pub mod field_problem;
pub mod ids;
pub mod json_check;
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

pub mod support;

pub mod channels;

pub mod webhooks;

pub mod push;

pub mod files;

pub mod moving;

pub mod decision;

#[cfg(test)]
mod example;
