//! Public JSON for admins and supervisors: statistics and the board.

pub mod analytics;
pub mod analytics_csv;
pub mod board;
pub mod period;
