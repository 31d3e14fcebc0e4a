//! Hashes and expiry times of one-time sign-in codes (design/sign-in-and-limits).

use confab_domain::agents::account::SignInCode;
use confab_domain::ids::AgentId;
use confab_domain::support::conversations::customer_room::AgentRecord;
use confab_domain::time::Timestamp;

use super::agents::{self, agent_columns};
use crate::error::Read;
use crate::sql::{Ask, Row, ValueRow, prepared, statements, values};
use crate::store::Store;

prepared! {
    SIGN_IN_CODES = "SELECT hash, good_until FROM sign_in_codes WHERE dashboard_user = $1";
    PUT_SIGN_IN_CODE = "INSERT INTO sign_in_codes (hash, dashboard_user, good_until) \
        VALUES ($1, $2, $3)";
    END_SIGN_IN_CODE = "DELETE FROM sign_in_codes WHERE hash = $1";
    END_SIGN_IN_CODES = "DELETE FROM sign_in_codes WHERE dashboard_user = $1";
}

statements! {
    AGENT_OF_CODE = concat!("SELECT ", agent_columns!(), " FROM sign_in_codes s \
        JOIN dashboard_users d ON d.id = s.dashboard_user JOIN users u ON u.id = d.id \
        WHERE s.hash = $1 AND s.good_until > $2 AND d.deleted_at IS NULL");
    ADD_SIGN_IN_CODE = "INSERT INTO sign_in_codes (hash, dashboard_user, good_until) \
        SELECT $2, id, $3 FROM dashboard_users WHERE email = $1 AND deleted_at IS NULL";
    END_SIGN_IN_CODES_OF_EMAIL = "DELETE FROM sign_in_codes WHERE dashboard_user IN \
        (SELECT id FROM dashboard_users WHERE email = $1)";
    FORGET_SIGN_IN_CODES = "DELETE FROM sign_in_codes WHERE good_until <= $1";
}

pub(crate) fn row(row: &ValueRow) -> Read<SignInCode> {
    Ok(SignInCode { hash: row.text(0)?, until: row.time(1)? })
}

pub(crate) fn add(hash: &str, agent: AgentId, until: Timestamp) -> Vec<Ask> {
    vec![Ask::new(&PUT_SIGN_IN_CODE, values![hash, agent.0, until])]
}

pub(crate) fn end(hash: &str) -> Vec<Ask> {
    vec![Ask::new(&END_SIGN_IN_CODE, values![hash])]
}

pub(crate) fn end_all(agent: AgentId) -> Ask {
    Ask::new(&END_SIGN_IN_CODES, values![agent.0])
}

impl Store {
    /// Returns the agent whom a code with this hash signs in, if the code is valid.
    pub async fn agent_of_code(&self, hash: &str, now: Timestamp) -> Read<Option<AgentRecord>> {
        let ask = Ask::new(&AGENT_OF_CODE, values![hash, now]);
        Ok(self.query_now(ask, |row| agents::row(row, self.sealer())).await?.pop())
    }
}
