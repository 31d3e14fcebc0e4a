//! What those see who run an office: public JSON.

pub mod analytics;
pub mod analytics_csv;
pub mod board;
pub mod period;
