//! Pushes to phones: what is said reaches those who are not connected (D-0051).

mod pushes;
mod refusals;
mod stage;
