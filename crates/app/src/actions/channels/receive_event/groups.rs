//! Groups: only private chats are served, so an event from a group only leaves a hint for admins.

use super::{EventFailure, Handling};
use crate::channels::linked::GROUP_NOTE;

const IN_GROUP: &str = "The account is in a group or a public channel. Only private chats are \
                         served; messages from elsewhere are not received.";

impl Handling<'_> {
    pub(super) async fn record_group_hint(&self) -> Result<(), EventFailure> {
        if self.linked.account.setting(GROUP_NOTE).is_empty() {
            self.linked
                .record_hint(self.services.decisions(), GROUP_NOTE, IN_GROUP.to_owned())
                .await?;
        }
        Ok(())
    }
}
