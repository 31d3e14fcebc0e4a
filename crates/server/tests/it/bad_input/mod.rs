//! Bad input gets a clear 4xx response in the error format of the API (design/message-api) and
//! changes nothing; no input causes a 5xx.

mod any_json;
mod bodies;
mod fields;
mod queries;
mod routes;
