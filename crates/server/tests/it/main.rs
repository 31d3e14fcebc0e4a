//! Tests of the whole server from outside: over HTTP within this process, and as the program
//! itself.
//!
//! [`support`] has the helpers: `TestServer` and `Confab` start a server, `Caller` makes calls.
//! Every test starts its own server in its own folder; nothing is shared.

mod support;

mod attacks;
mod bad_input;
mod channels;
mod clients;
mod contract;
mod dashboard;
mod database_faults;
mod delivery_faults;
mod document_validator;
mod documentation;
mod headers;
mod many_nodes;
mod messages;
mod omnichannel;
mod openapi;
mod operating;
mod operator;
mod packaging;
mod people_and_rooms;
mod push;
mod realtime;
mod rest_v2;
mod sdk;
mod sigkill;
mod tenancy;
mod tidy;
mod webhooks;
