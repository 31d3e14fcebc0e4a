//! Parts of writes that both engines share: the queue of decisions, their locks and facts.

pub(super) mod locks;
pub(super) mod omni_facts;
pub(super) mod readiness;
pub(super) mod waiting;
