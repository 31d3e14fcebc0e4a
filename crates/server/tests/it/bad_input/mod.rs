//! Bad input gets a clear 4xx response in the form of D-0006 and changes nothing; no input causes a
//! 5xx.

mod any_json;
mod bodies;
mod fields;
mod queries;
mod routes;
