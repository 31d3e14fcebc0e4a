//! Role sets as types, by which a handler declares the agents who may make its call.

use confab_domain::agents::role::Role;

/// The agents who may make a call.
pub(crate) trait Access: Send + Sync + 'static {
    const ROLES: &'static [Role];
}

pub(crate) enum Admins {}

impl Access for Admins {
    const ROLES: &'static [Role] = &[Role::Admin];
}

/// Agents with the same rights in every room of their app as the app itself.
pub(crate) enum Office {}

impl Access for Office {
    const ROLES: &'static [Role] = &[Role::Admin, Role::Supervisor];
}

/// Agents who are neither admins nor supervisors.
pub(crate) enum Agents {}

impl Access for Agents {
    const ROLES: &'static [Role] = &[Role::Agent];
}

pub(crate) enum Everyone {}

impl Access for Everyone {
    const ROLES: &'static [Role] = &Role::ALL;
}
