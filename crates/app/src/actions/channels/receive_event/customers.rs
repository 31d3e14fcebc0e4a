//! The customers of events: found by any of their ids, or created.

use confab_delivery::channels::calling::StepAnswer;
use confab_domain::channels::identity::Identity;
use confab_domain::channels::receiving_events::IdentifyCustomer;
use confab_domain::ids::RoomId;
use confab_domain::limits;
use confab_domain::people::user::UserId;
use confab_domain::support::conversations::initiating::{
    AdmitVisitor, AdmittedCustomer, NewCustomerIds, Visitor,
};
use confab_providers::{self as providers, Contact, CustomerProfile, DraftContent, ExternalId};
use confab_runtime::ids;

use super::{COURTESY, EventFailure, Handling};

impl Handling<'_> {
    /// Returns the customer and their room, creating both if necessary. An existing customer is
    /// identified by any of the contact's ids.
    pub(super) async fn admit(
        &self,
        by: &Contact,
        content: Option<&DraftContent>,
    ) -> Result<AdmittedCustomer, EventFailure> {
        let linked = self.linked;
        let (user_id, unknown) = self.identified(by).await?;
        let draft = content.map(|content| self.draft(user_id.clone(), content.clone()));
        let name = by.name.clone().or_else(|| by.username.clone());
        let is_new = unknown.len() == by.ids.len();
        let profile = if is_new && name.is_none() { self.profile(by).await } else { None };
        let (asked, avatar_url) = profile.map(|it| (it.name, it.picture_url)).unzip();
        let visitor = Visitor {
            user_id,
            name: name.or(asked),
            avatar_url: avatar_url.flatten(),
            extras: None,
            room_extras: None,
            infos: Vec::new(),
            brand: None,
        };
        let new = NewCustomerIds { token: ids::secret(), unique_id: ids::room_unique_id() };
        let channel = linked.channel.clone();
        let admit = AdmitVisitor { channel, visitor, new, draft, identities: unknown };
        Ok(self.decide(admit).await?)
    }

    /// Asks the provider for the profile of a new customer. Without an answer they are admitted
    /// without a name.
    async fn profile(&self, by: &Contact) -> Option<CustomerProfile> {
        let linked = self.linked;
        let mut steps = providers::profile(linked.provider, by, &linked.credentials);
        let step = steps.pop().filter(|_| !linked.is_printed())?;
        self.yield_slot.now();
        let answer = StepAnswer::of(&linked.call(&step, COURTESY).await);
        let profile = match answer.status? {
            200 => providers::read_profile(linked.provider, &answer.body)?,
            _ => return None,
        };
        let is_kept = |url: &String| {
            url.starts_with("https://") && url.chars().count() <= limits::URL_CHARS_MAX
        };
        Some(CustomerProfile { picture_url: profile.picture_url.filter(is_kept), ..profile })
    }

    /// Returns the user that any of the contact's ids identifies, and the ids that are not stored
    /// yet.
    pub(super) async fn identified(
        &self,
        by: &Contact,
    ) -> Result<(UserId, Vec<Identity>), EventFailure> {
        let (store, channel) = (self.services.store(), self.linked.channel.id);
        let (mut known, mut unknown) = (None, Vec::new());
        for id in &by.ids {
            match store.user_id_of(channel, &id.value).await? {
                Some(user_id) => known = known.or(Some(user_id)),
                None => unknown.push(identity(id)),
            }
        }
        let new = || UserId::parse("user_id", &by.user_id);
        let user_id = known.map_or_else(new, Ok);
        Ok((user_id.map_err(|it| EventFailure::Never(it.to_string()))?, unknown))
    }

    /// Returns the customer's newest room.
    pub(super) async fn room_of(&self, by: &Contact) -> Result<Option<RoomId>, EventFailure> {
        let (store, linked) = (self.services.store(), self.linked);
        let (user_id, _) = self.identified(by).await?;
        let room = store.room_of_customer(linked.app.id, linked.channel.id, &user_id).await?;
        Ok(room.map(|it| it.room))
    }

    /// Stores the new ids of the customer whom one of the old ids identifies.
    pub(super) async fn move_ids(
        &self,
        old: &[ExternalId],
        new: &[ExternalId],
    ) -> Result<(), EventFailure> {
        let (store, linked) = (self.services.store(), self.linked);
        for id in old {
            let Some(user_id) = store.user_id_of(linked.channel.id, &id.value).await? else {
                continue;
            };
            let room = store.room_of_customer(linked.app.id, linked.channel.id, &user_id).await?;
            let Some(room) = room else { continue };
            let (channel, customer) = (linked.channel.id, room.customer);
            let identities = new.iter().map(identity).collect();
            let rule = IdentifyCustomer { channel, customer, identities };
            self.decide(rule).await?;
            break;
        }
        Ok(())
    }
}

fn identity(id: &ExternalId) -> Identity {
    Identity { kind: id.kind.as_str().to_owned(), external_id: id.value.clone() }
}
