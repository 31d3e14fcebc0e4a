//! Requests and connections that take memory, time or disk space from others.

mod early_answers;
mod forged_hooks;
mod half_requests;
mod mqtt_sessions;
mod pages;
mod quotas;
mod searches;
mod silent_connections;
mod uploads;
