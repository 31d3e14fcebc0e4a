//! The check of the right that a decision requires (D-0067).

use crate::agents::right::Right;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::refusal::Refusal;
use crate::time::Timestamp;

impl Question {
    /// Adds a check of this right to the question, which locks the agent who holds the right.
    pub fn on_right(mut self, by: Option<Right>) -> Self {
        if let Some(by) = by {
            self.omni.get_or_insert_default().by = Some(by);
        }
        self
    }

    /// Returns a refusal if the right that the question requires has ended. The store calls it
    /// before every rule.
    pub fn check_right(&self, facts: &Facts, now: Timestamp) -> Result<(), Refusal> {
        let Some(by) = self.omni.as_ref().and_then(|omni| omni.by.as_ref()) else { return Ok(()) };
        let standing = facts.omni.standing.filter(|it| it.until > now);
        let standing = standing.ok_or(Refusal::SignedOut)?;
        match standing.role {
            role if !by.roles.contains(&role) => Err(Refusal::WrongRole(by.roles)),
            role if role != by.role => Err(Refusal::RoleChanged),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::right::Right;
    use crate::agents::right::SignInState;
    use crate::agents::role::Role;
    use crate::ids::AgentId;

    const NOW: Timestamp = Timestamp(1_000);

    fn check(by: Option<Right>, sign_in: Option<SignInState>) -> Result<(), Refusal> {
        let mut facts = Facts::default();
        facts.omni.standing = sign_in;
        Question::default().on_right(by).check_right(&facts, NOW)
    }

    fn right(roles: &'static [Role], role: Role) -> Option<Right> {
        Some(Right { user: AgentId(9), sign_in: "planted".to_owned(), roles, role })
    }

    fn admins() -> Option<Right> {
        right(&[Role::Admin], Role::Admin)
    }

    fn sign_in(role: Role, until: i64) -> Option<SignInState> {
        Some(SignInState { role, until: Timestamp(until) })
    }

    #[test]
    fn a_right_is_valid_while_the_sign_in_and_the_role_are() {
        assert_eq!(check(admins(), sign_in(Role::Admin, 1_001)), Ok(()));
        assert_eq!(check(admins(), sign_in(Role::Admin, 1_000)), Err(Refusal::SignedOut));
        assert_eq!(check(admins(), None), Err(Refusal::SignedOut));
        let demoted = check(admins(), sign_in(Role::Agent, 1_001));
        assert_eq!(demoted, Err(Refusal::WrongRole(&[Role::Admin])));
        assert_eq!(check(None, None), Ok(()), "the app itself needs no right");
    }

    #[test]
    fn a_right_ends_when_the_role_changes_even_if_every_role_is_permitted() {
        for (was, is) in [(Role::Supervisor, Role::Agent), (Role::Agent, Role::Supervisor)] {
            let checked = check(right(&Role::ALL, was), sign_in(is, 1_001));
            assert_eq!(checked, Err(Refusal::RoleChanged));
            assert_eq!(check(right(&Role::ALL, was), sign_in(was, 1_001)), Ok(()));
        }
    }

    #[test]
    fn debug_output_of_a_right_omits_the_token_hash() {
        assert_eq!(format!("{:?}", admins()), "Some(Right(9 as [Admin]))");
    }
}
