//! Groups: only private chats are served, so an event from a group only leaves a hint for admins.

use confab_domain::channels::receiving_events::RecordAccountHint;

use super::{EventFailure, Handling};
use crate::channels::linked::GROUP_NOTE;

const IN_GROUP: &str = "The account is in a group or a public channel. Only private chats are \
                         served; messages from elsewhere are not received.";

impl Handling<'_> {
    pub(super) async fn record_group_hint(&self) -> Result<(), EventFailure> {
        if self.linked.account.setting(GROUP_NOTE).is_empty() {
            let (channel, value) = (self.linked.channel.id, IN_GROUP.to_owned());
            let rule = RecordAccountHint { channel, name: GROUP_NOTE, value };
            self.services.decide(&self.linked.app, rule).await?;
        }
        Ok(())
    }
}
