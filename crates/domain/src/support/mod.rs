//! Customer support: customers' rooms from the first message to the resolution.

pub mod annotations;
pub mod assignment;
pub mod automation;
pub mod configuring;
pub mod contacts;
pub mod conversations;
pub mod settings;
