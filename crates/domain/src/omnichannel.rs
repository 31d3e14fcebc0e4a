//! What decisions of the omnichannel half ask, find and change.

use crate::agents::account::{Account, EmailAddress};
use crate::channels::channel::Channel;
use crate::decision::Change;
use crate::decision::right::{Right, SignInStanding};
use crate::files::uploading::{UploadFacts, UploadQuestion};
use crate::ids::{ChannelId, DashboardUserId, EndpointId, RoomId, TagId, UserKey};
use crate::people::user::UserId;
use crate::service::customer_room::{Candidate, CustomerRoom, ServiceFacts, WorkingUser};
use crate::service::settings::Settings;
use crate::time::Timestamp;
use crate::webhooks::notice::{CustomerProperty, Info, Tag};

/// What a rule wants to know of the omnichannel half of an app.
#[derive(Debug, Clone, Default)]
pub struct OmniQuestion {
    /// The right that the decision rests on; nobody else changes its owner meanwhile.
    pub by: Option<Right>,
    /// What the rooms are to their customers.
    pub finds_service: bool,
    /// The app's settings.
    pub finds_settings: bool,
    /// Also the users that speak for the agents found, candidates among them: somebody who comes
    /// into a room is pushed what is said from then on.
    pub finds_speakers: bool,
    /// Also everybody who is in the rooms, with all that is known of them.
    pub finds_people: bool,
    /// All channels of the app; nobody else makes or changes one meanwhile.
    pub finds_channels: bool,
    /// Agents who are there to take customers.
    pub finds_candidates: bool,
    /// Agents who are away are candidates, too.
    pub ignores_availability: bool,
    /// Nobody else assigns agents of the app by itself until the decision is written.
    pub locks_allocation: bool,
    /// These dashboard users.
    pub dashboard_users: Vec<DashboardUserId>,
    /// These dashboard users with all that is kept; nobody else changes them meanwhile.
    pub accounts: Vec<DashboardUserId>,
    /// How many admins the app has; nobody else deletes or demotes one meanwhile.
    pub counts_admins: bool,
    /// Who signs in with this address, in whichever app, and how many work in this one.
    pub email: Option<EmailAddress>,
    /// These channels.
    pub channels: Vec<ChannelId>,
    /// The newest room of this customer of a channel; nobody else opens one meanwhile.
    pub customer: Option<(ChannelId, UserId)>,
    /// Also the hash of their secret, which they came through the widget with (D-0070).
    pub finds_visitor_secret: bool,
    /// Whether this nonce is good.
    pub nonce: Option<String>,
    /// Whether this file may be kept; nobody else adds one to the app meanwhile.
    pub upload: Option<UploadQuestion>,
    /// What is known about this customer in every room; nobody else changes it meanwhile.
    pub properties_of: Option<UserKey>,
}

/// What the store found of the omnichannel half.
#[derive(Default)]
pub struct OmniFacts {
    /// What became of the sign-in that the decision rests on.
    pub standing: Option<SignInStanding>,
    /// What the rooms are to their customers.
    pub services: Vec<ServiceFacts>,
    /// The app's settings.
    pub settings: Settings,
    /// Agents who are there to take customers.
    pub candidates: Vec<Candidate>,
    /// The dashboard users asked for.
    pub dashboard_users: Vec<Candidate>,
    /// The accounts asked for.
    pub accounts: Vec<Account>,
    /// Who signs in with the address asked for.
    pub email_of: Option<DashboardUserId>,
    /// How many of them are admins, if they are counted.
    pub admins: usize,
    /// How many work in the app, if an address was asked for.
    pub workers: usize,
    /// The channels asked for.
    pub channels: Vec<Channel>,
    /// The newest room of the customer asked for.
    pub customer_room: Option<CustomerRoom>,
    /// The hash of their secret, if it was asked for and they have one.
    pub visitor_secret: Option<String>,
    /// Until when the nonce asked for is good.
    pub nonce_until: Option<Timestamp>,
    /// What is known about the file asked for.
    pub upload: UploadFacts,
    /// What is known about the customer asked for; nothing without such a customer in the app.
    pub properties: Option<Vec<CustomerProperty>>,
}

impl std::fmt::Debug for OmniFacts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // It holds keys.
        f.write_str("OmniFacts")
    }
}

/// A change of the omnichannel half. No `Debug`: it may hold keys.
#[derive(Clone)]
pub enum OmniChange {
    /// A customer's room as it shall be, with its newest session.
    PutCustomerRoom(CustomerRoom),
    /// An agent serves a room.
    AddAgent {
        /// The room.
        room: RoomId,
        /// Who.
        agent: DashboardUserId,
        /// Since when.
        at: Timestamp,
    },
    /// An agent does not serve a room any more.
    RemoveAgent {
        /// The room.
        room: RoomId,
        /// Who.
        agent: DashboardUserId,
    },
    /// A dashboard user as it shall be; it may be new.
    PutDashboardUser(WorkingUser),
    /// A password's new hash.
    SetPassword {
        /// Whose.
        user: DashboardUserId,
        /// The hash.
        hash: String,
    },
    /// Somebody signs in.
    AddSignIn {
        /// The hash of the token.
        hash: String,
        /// Who.
        user: DashboardUserId,
        /// Until when it is good.
        until: Timestamp,
    },
    /// A token is good no more.
    EndSignIn {
        /// The hash of the token.
        hash: String,
    },
    /// No token of theirs is good any more.
    EndSignIns {
        /// Whose.
        user: DashboardUserId,
    },
    /// A channel as it shall be; it may be new.
    PutChannel(Channel),
    /// A setting of the app, or none.
    SetSetting {
        /// Its name.
        name: String,
        /// Its value.
        value: Option<String>,
    },
    /// A custom button's label; the button may be new. Where it leads is an endpoint's matter.
    PutButton {
        /// Which: also the integer of its endpoint.
        button: EndpointId,
        /// What stands on it.
        label: String,
    },
    /// A custom button is there no more.
    RemoveButton {
        /// Which.
        button: EndpointId,
    },
    /// A tag on a room; the tag may be new in the app.
    AddTag {
        /// The room.
        room: RoomId,
        /// The tag.
        tag: Tag,
    },
    /// A tag is taken off a room.
    RemoveTag {
        /// The room.
        room: RoomId,
        /// Which.
        tag: TagId,
    },
    /// Something known about the customer in a room.
    PutInfo {
        /// The room.
        room: RoomId,
        /// What.
        info: Info,
    },
    /// Something known about a customer in every room.
    PutProperty {
        /// Whom.
        customer: UserKey,
        /// What.
        property: CustomerProperty,
    },
    /// What a visitor of the widget shows from now on.
    SetVisitorSecret {
        /// Through which channel they come.
        channel: ChannelId,
        /// Who.
        user: UserId,
        /// The hash of their secret.
        hash: String,
    },
    /// A nonce that may be used once.
    AddNonce {
        /// The nonce.
        nonce: String,
        /// Until when.
        until: Timestamp,
    },
    /// It was used.
    UseNonce {
        /// The nonce.
        nonce: String,
    },
}

impl From<OmniChange> for Change {
    fn from(change: OmniChange) -> Self {
        Self::Omni(change)
    }
}
