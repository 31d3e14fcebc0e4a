//! An app's settings, by name.

use std::collections::BTreeMap;

use crate::limits;
use crate::support::automation::office_hours::OfficeHours;

/// The stored values of an app's settings. A setting without a stored value has its default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings(BTreeMap<String, String>);

impl Settings {
    /// Whether a customer who returns after the resolution of their session gets a new room.
    pub const IS_SESSIONAL: &str = "is_sessional";
    /// Whether the server assigns waiting customers to agents automatically.
    pub const ALLOCATES: &str = "is_agent_allocation_enabled";
    /// Whether agents may take over customers whom no agent serves.
    pub const TAKEOVER: &str = "is_agent_takeover_enabled";
    /// Whether the bot receives every message of customers, even while an agent is assigned.
    pub const FORCES_BOT: &str = "is_force_send_bot";
    /// Maximum number of customers per agent, unless the agent has an own limit.
    pub const AGENT_CUSTOMERS_MAX: &str = "agent_customers_max";
    /// Maximum number of agents in one room.
    pub const ROOM_AGENTS_MAX: &str = "room_agents_max";
    /// Seconds that an agent may be away before their customers wait again.
    pub const OFFLINE_GRACE_S: &str = "agent_offline_grace_seconds";

    /// Proof of identity that the widget requires of visitors: `none`, `secret` or `identity_token`
    /// (D-0070).
    pub const VISITOR_PROOF: &str = "visitor_proof";
    /// Whether clients that know the app's id may register users with a password (D-0071).
    pub const REGISTRATION: &str = "registration";
    /// Data about the app's users that clients may list: `names`, `off` or `all`.
    pub const USER_LIST: &str = "user_list";
    /// Clients that may see the presence of agents and customers: `shared_rooms` for those that
    /// share a room with them, or `all`.
    pub const AGENT_AND_CUSTOMER_PRESENCE: &str = "agent_and_customer_presence";
    /// Clients that may open rooms with agents and customers: `shared_rooms` for those that share a
    /// room with them already, or `all`.
    pub const AGENT_AND_CUSTOMER_ROOMS: &str = "agent_and_customer_rooms";

    /// Whether messages in lists include the `extras` of their senders.
    pub const SHOWS_SENDER_EXTRAS: &str = "shows_sender_extras";

    /// Seconds after which a waiting customer is shown in amber.
    pub const WAITING_AMBER_S: &str = "waiting_amber_seconds";
    /// Seconds after which a waiting customer is shown in red.
    pub const WAITING_RED_S: &str = "waiting_red_seconds";

    /// Resolved conversations that agents see: `served`, or `all` of their channels (D-0090).
    pub const WHO_SEES_RESOLVED: &str = "who_sees_resolved";

    /// Minutes without a message after which a conversation is resolved automatically; never if it
    /// is not set.
    pub const IDLE_RESOLVE_MINUTES: &str = "idle_resolve_minutes";

    /// Whether customers are asked for a rating when a person resolves their conversation.
    pub const ASKS_RATING: &str = "is_rating_asked";
    /// Text of the rating question.
    pub const RATING_QUESTION: &str = "rating_question";
    /// Answer for the best rating.
    pub const RATING_GOOD: &str = "rating_good";
    /// Answer for the middle rating.
    pub const RATING_OKAY: &str = "rating_okay";
    /// Answer for the worst rating.
    pub const RATING_BAD: &str = "rating_bad";

    /// Time zone of the office: a name, or an offset like `+07:00`.
    pub const TIMEZONE: &str = "timezone";
    /// The office hours, in the form of [`OfficeHours::stored`].
    pub const OFFICE_HOURS: &str = "office_hours";
    /// Appearance, texts and fields of the widget, as JSON.
    pub const WIDGET: &str = "widget";
    /// Origins whose pages may embed the widget, separated by blanks; empty for all.
    pub const WIDGET_ORIGINS: &str = "widget_origins";
    /// Names of the settings in the API's list of configurations, in display order.
    pub const NAMES: [&str; 12] = [
        Self::IS_SESSIONAL,
        Self::ALLOCATES,
        Self::TAKEOVER,
        Self::FORCES_BOT,
        Self::AGENT_CUSTOMERS_MAX,
        Self::ROOM_AGENTS_MAX,
        Self::OFFLINE_GRACE_S,
        Self::VISITOR_PROOF,
        Self::REGISTRATION,
        Self::USER_LIST,
        Self::AGENT_AND_CUSTOMER_PRESENCE,
        Self::AGENT_AND_CUSTOMER_ROOMS,
    ];

    /// Settings with a fixed set of values. The first value is the default.
    pub const CHOICES: [(&str, &[&str]); 5] = [
        (Self::VISITOR_PROOF, &["none", "secret", "identity_token"]),
        (Self::REGISTRATION, &["open", "identity_token"]),
        (Self::USER_LIST, &["names", "off", "all"]),
        (Self::AGENT_AND_CUSTOMER_PRESENCE, &["shared_rooms", "all"]),
        (Self::AGENT_AND_CUSTOMER_ROOMS, &["shared_rooms", "all"]),
    ];

    /// Creates the settings from stored names and values.
    pub fn from_stored(stored: impl IntoIterator<Item = (String, String)>) -> Self {
        Self(stored.into_iter().collect())
    }

    /// Returns the stored value of a setting; `None` if it has its default.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Returns all values that were set.
    pub fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Removes one value.
    pub fn without(mut self, name: &str) -> Self {
        self.0.remove(name);
        self
    }

    /// Sets one value.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.0.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Whether a boolean setting is on. Without a stored value it is off, except takeover:
    /// otherwise no agent could serve customers in an app without settings.
    pub fn is_on(&self, name: &str) -> bool {
        self.get(name).map_or(name == Self::TAKEOVER, |value| value == "true")
    }

    fn number(&self, name: &str, default: u32) -> u32 {
        self.get(name).and_then(|text| text.parse().ok()).unwrap_or(default)
    }

    /// Returns the value of a setting in [`Settings::CHOICES`], or its default.
    pub fn choice(&self, name: &str) -> &str {
        let words = Self::words(name);
        self.get(name).filter(|set| words.contains(set)).unwrap_or(words[0])
    }

    /// Returns the allowed values of a setting in [`Settings::CHOICES`].
    pub fn words(name: &str) -> &'static [&'static str] {
        Self::CHOICES.iter().find(|(of, _)| *of == name).map_or(&[""], |it| it.1)
    }

    /// Returns the value of [`Settings::VISITOR_PROOF`].
    pub fn visitor_proof(&self) -> VisitorProof {
        match self.choice(Self::VISITOR_PROOF) {
            "secret" => VisitorProof::Secret,
            "identity_token" => VisitorProof::IdentityToken,
            _ => VisitorProof::None,
        }
    }

    /// Whether [`Settings::REGISTRATION`] allows clients without an identity token to register
    /// users.
    pub fn registers_strangers(&self) -> bool {
        self.choice(Self::REGISTRATION) == "open"
    }

    /// Returns the value of [`Settings::USER_LIST`].
    pub fn user_list(&self) -> UserListSetting {
        match self.choice(Self::USER_LIST) {
            "off" => UserListSetting::Off,
            "all" => UserListSetting::All,
            _ => UserListSetting::Names,
        }
    }

    /// Whether the value of a setting is `all`: [`Settings::AGENT_AND_CUSTOMER_PRESENCE`] or
    /// [`Settings::AGENT_AND_CUSTOMER_ROOMS`].
    pub fn is_for_all(&self, name: &str) -> bool {
        self.choice(name) == "all"
    }

    /// Returns the value of [`Settings::OFFICE_HOURS`].
    pub fn office_hours(&self) -> OfficeHours {
        self.get(Self::OFFICE_HOURS).map(OfficeHours::from_stored).unwrap_or_default()
    }

    /// Returns the origins of [`Settings::WIDGET_ORIGINS`].
    pub fn widget_origins(&self) -> impl Iterator<Item = &str> {
        self.get(Self::WIDGET_ORIGINS).unwrap_or_default().split_ascii_whitespace()
    }

    /// Whether pages of an origin may embed the widget.
    pub fn is_widget_open_to(&self, origin: &str) -> bool {
        let mut origins = self.widget_origins().peekable();
        origins.peek().is_none() || origins.any(|it| it == origin)
    }

    /// Returns the value of [`Settings::AGENT_CUSTOMERS_MAX`].
    pub fn agent_customers_max(&self) -> u32 {
        self.number(Self::AGENT_CUSTOMERS_MAX, 10)
    }

    /// Returns the maximum number of agents per room, [`Settings::ROOM_AGENTS_MAX`].
    pub fn room_agents_max(&self) -> u32 {
        self.number(Self::ROOM_AGENTS_MAX, 10)
    }

    /// Returns the values of [`Settings::WAITING_AMBER_S`] and [`Settings::WAITING_RED_S`].
    pub fn waiting_s(&self) -> (u32, u32) {
        let amber = self.number(Self::WAITING_AMBER_S, limits::WAITING_AMBER_S);
        (amber, self.number(Self::WAITING_RED_S, limits::WAITING_RED_S))
    }

    /// Whether agents see all resolved conversations of their channels, by
    /// [`Settings::WHO_SEES_RESOLVED`].
    pub fn shows_all_resolved(&self) -> bool {
        self.get(Self::WHO_SEES_RESOLVED) == Some("all")
    }

    /// Returns the value of [`Settings::IDLE_RESOLVE_MINUTES`]; `None` for never.
    pub fn idle_resolve_minutes(&self) -> Option<u32> {
        self.get(Self::IDLE_RESOLVE_MINUTES)?.parse().ok().filter(|minutes| *minutes > 0)
    }

    /// Returns the value of [`Settings::OFFLINE_GRACE_S`].
    pub fn offline_grace_s(&self) -> u32 {
        self.number(Self::OFFLINE_GRACE_S, 60)
    }
}

/// Proof that a visitor of the widget must show (D-0070).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VisitorProof {
    /// No proof: the visitor's id alone gives access to the chat. Published widgets depend on this.
    None,
    /// The secret that the visitor received on the first visit, or an identity token issued by the
    /// app's own server.
    Secret,
    /// An identity token issued by the app's own server, also on the first visit.
    IdentityToken,
}

/// Data about the app's users that clients may list (D-0071).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserListSetting {
    /// Clients may not list users.
    Off,
    /// Ids, names and pictures.
    Names,
    /// All profile data, including extras.
    All,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_choice_counts_as_the_default() {
        let with = |word: &str| Settings::default().with(Settings::VISITOR_PROOF, word);
        assert_eq!(Settings::default().visitor_proof(), VisitorProof::None);
        assert_eq!(with("secret").visitor_proof(), VisitorProof::Secret);
        assert_eq!(with("nonsense").visitor_proof(), VisitorProof::None);
        assert_eq!(with("nonsense").choice(Settings::VISITOR_PROOF), "none");
    }

    #[test]
    fn the_widget_is_open_to_all_origins_unless_some_are_set() {
        let shop = "https://shop.example.com";
        assert!(Settings::default().is_widget_open_to(shop));
        let named = |origins: &str| Settings::default().with(Settings::WIDGET_ORIGINS, origins);
        assert!(named("").is_widget_open_to(shop));
        assert!(named("https://a.example https://shop.example.com").is_widget_open_to(shop));
        assert!(!named("https://a.example").is_widget_open_to(shop));
        assert!(!named("https://shop.example.com.evil.example").is_widget_open_to(shop));
    }

    #[test]
    fn missing_settings_have_their_default() {
        let settings = Settings::default();
        assert!(!settings.is_on(Settings::IS_SESSIONAL) && !settings.is_on(Settings::ALLOCATES));
        assert!(settings.is_on(Settings::TAKEOVER), "an agent who signs in can serve");
        assert!(!settings.clone().with(Settings::TAKEOVER, "false").is_on(Settings::TAKEOVER));
        assert_eq!(settings.agent_customers_max(), 10);
        let set = [(Settings::IS_SESSIONAL, "true"), (Settings::AGENT_CUSTOMERS_MAX, "3")];
        let set = set.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let settings = Settings::from_stored(set);
        assert!(settings.is_on(Settings::IS_SESSIONAL));
        assert_eq!(settings.agent_customers_max(), 3);
        assert_eq!(settings.get("other"), None);
    }
}
