//! Bad input gets a clear 4xx in the shape of D-0006 and changes nothing; no input gives a 5xx.

mod any_json;
mod bodies;
mod fields;
mod queries;
mod routes;
