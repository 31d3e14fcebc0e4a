//! An app's switches and numbers for its omnichannel half, by name.

use std::collections::BTreeMap;

use crate::limits;
use crate::support::office_hours::OfficeHours;

/// Everything that was set, as it was set. What was not set has its default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings(BTreeMap<String, String>);

impl Settings {
    /// A resolved customer who writes again gets a new room.
    pub const IS_SESSIONAL: &str = "is_sessional";
    /// The server itself assigns agents.
    pub const ALLOCATES: &str = "is_agent_allocation_enabled";
    /// Agents may take customers that nobody serves.
    pub const TAKEOVER: &str = "is_agent_takeover_enabled";
    /// The bot hears of every message, also while an agent serves.
    pub const FORCES_BOT: &str = "is_force_send_bot";
    /// Customers that one agent serves at most, unless the agent has a number of their own.
    pub const AGENT_CUSTOMERS_MAX: &str = "agent_customers_max";
    /// Agents of one room at most.
    pub const ROOM_AGENTS_MAX: &str = "room_agents_max";
    /// How long an agent may be away before their customers wait again.
    pub const OFFLINE_GRACE_S: &str = "agent_offline_grace_seconds";

    /// What a visitor of the widget shows before they get the chat of their id (D-0070).
    pub const VISITOR_PROOF: &str = "visitor_proof";
    /// Whether somebody who knows the app's id may register with a password (D-0071).
    pub const REGISTRATION: &str = "registration";
    /// What clients are shown of the app's users.
    pub const USER_LIST: &str = "user_list";
    /// Who is shown whether agents and customers are there.
    pub const AGENT_AND_CUSTOMER_PRESENCE: &str = "agent_and_customer_presence";
    /// Who may open rooms with agents and customers.
    pub const AGENT_AND_CUSTOMER_ROOMS: &str = "agent_and_customer_rooms";

    /// Whether loaded messages include the `extras` of their senders (D-0204).
    pub const SHOWS_SENDER_EXTRAS: &str = "shows_sender_extras";

    /// After how many seconds a waiting customer is shown in amber, and in red (D-0128).
    pub const WAITING_AMBER_S: &str = "waiting_amber_seconds";
    pub const WAITING_RED_S: &str = "waiting_red_seconds";

    /// Which resolved conversations agents see: `served`, or `all` of their channels (D-0133).
    pub const WHO_SEES_RESOLVED: &str = "who_sees_resolved";

    /// After how many minutes without a message a conversation is resolved by itself; never if
    /// nothing is set (D-0147).
    pub const IDLE_RESOLVE_MINUTES: &str = "idle_resolve_minutes";

    /// Customers are asked how it was when a person resolves their conversation (D-0136).
    pub const ASKS_RATING: &str = "is_rating_asked";
    /// What they are asked, and the three answers.
    pub const RATING_QUESTION: &str = "rating_question";
    pub const RATING_GOOD: &str = "rating_good";
    pub const RATING_OKAY: &str = "rating_okay";
    pub const RATING_BAD: &str = "rating_bad";

    /// The time zone of the office: a name, or an offset like `+07:00`.
    pub const TIMEZONE: &str = "timezone";
    /// When the office is open.
    pub const OFFICE_HOURS: &str = "office_hours";
    /// How the widget looks, what it says and asks for, as JSON (D-0131).
    pub const WIDGET: &str = "widget";
    /// The origins whose pages may show the widget, with blanks between; all if there are none.
    pub const WIDGET_ORIGINS: &str = "widget_origins";
    /// Every name that the list of configurations shows, in reading order.
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

    /// Settings that are one of a few words; the first word is the default.
    pub const CHOICES: [(&str, &[&str]); 5] = [
        (Self::VISITOR_PROOF, &["none", "secret", "identity_token"]),
        (Self::REGISTRATION, &["open", "identity_token"]),
        (Self::USER_LIST, &["names", "off", "all"]),
        (Self::AGENT_AND_CUSTOMER_PRESENCE, &["shared_rooms", "all"]),
        (Self::AGENT_AND_CUSTOMER_ROOMS, &["shared_rooms", "all"]),
    ];

    /// Takes what the store has.
    pub fn from_stored(stored: impl IntoIterator<Item = (String, String)>) -> Self {
        Self(stored.into_iter().collect())
    }

    /// What was set under a name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Everything that was set.
    pub fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The same with one thing not set.
    pub fn without(mut self, name: &str) -> Self {
        self.0.remove(name);
        self
    }

    /// The same with one thing set.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.0.insert(name.to_owned(), value.to_owned());
        self
    }

    /// A switch. What was not set is off, but for taking customers over: else nobody could serve
    /// in an app where nothing was set (D-0092).
    pub fn is_on(&self, name: &str) -> bool {
        self.get(name).map_or(name == Self::TAKEOVER, |value| value == "true")
    }

    fn number(&self, name: &str, default: u32) -> u32 {
        self.get(name).and_then(|text| text.parse().ok()).unwrap_or(default)
    }

    /// The word that a setting of [`Settings::CHOICES`] is set to.
    pub fn choice(&self, name: &str) -> &str {
        let words = Self::words(name);
        self.get(name).filter(|set| words.contains(set)).unwrap_or(words[0])
    }

    /// The words that a setting of [`Settings::CHOICES`] may be.
    pub fn words(name: &str) -> &'static [&'static str] {
        Self::CHOICES.iter().find(|(of, _)| *of == name).map_or(&[""], |it| it.1)
    }

    /// See [`Settings::VISITOR_PROOF`].
    pub fn visitor_proof(&self) -> VisitorProof {
        match self.choice(Self::VISITOR_PROOF) {
            "secret" => VisitorProof::Secret,
            "identity_token" => VisitorProof::IdentityToken,
            _ => VisitorProof::None,
        }
    }

    /// See [`Settings::REGISTRATION`].
    pub fn registers_strangers(&self) -> bool {
        self.choice(Self::REGISTRATION) == "open"
    }

    /// See [`Settings::USER_LIST`].
    pub fn user_list(&self) -> UserListSetting {
        match self.choice(Self::USER_LIST) {
            "off" => UserListSetting::Off,
            "all" => UserListSetting::All,
            _ => UserListSetting::Names,
        }
    }

    /// Whether one of the two settings about agents and customers lets everybody in.
    pub fn is_for_all(&self, name: &str) -> bool {
        self.choice(name) == "all"
    }

    /// See [`Settings::OFFICE_HOURS`].
    pub fn office_hours(&self) -> OfficeHours {
        self.get(Self::OFFICE_HOURS).map(OfficeHours::from_stored).unwrap_or_default()
    }

    /// See [`Settings::WIDGET_ORIGINS`].
    pub fn widget_origins(&self) -> impl Iterator<Item = &str> {
        self.get(Self::WIDGET_ORIGINS).unwrap_or_default().split_ascii_whitespace()
    }

    /// Whether pages of an origin may show the widget.
    pub fn is_widget_open_to(&self, origin: &str) -> bool {
        let mut origins = self.widget_origins().peekable();
        origins.peek().is_none() || origins.any(|it| it == origin)
    }

    /// See [`Settings::AGENT_CUSTOMERS_MAX`].
    pub fn agent_customers_max(&self) -> u32 {
        self.number(Self::AGENT_CUSTOMERS_MAX, 10)
    }

    /// See [`Settings::ROOM_AGENTS_MAX`].
    pub fn room_agents_max(&self) -> u32 {
        self.number(Self::ROOM_AGENTS_MAX, 10)
    }

    /// See [`Settings::WAITING_AMBER_S`].
    pub fn waiting_s(&self) -> (u32, u32) {
        let amber = self.number(Self::WAITING_AMBER_S, limits::WAITING_AMBER_S);
        (amber, self.number(Self::WAITING_RED_S, limits::WAITING_RED_S))
    }

    /// See [`Settings::WHO_SEES_RESOLVED`].
    pub fn shows_all_resolved(&self) -> bool {
        self.get(Self::WHO_SEES_RESOLVED) == Some("all")
    }

    /// See [`Settings::IDLE_RESOLVE_MINUTES`].
    pub fn idle_resolve_minutes(&self) -> Option<u32> {
        self.get(Self::IDLE_RESOLVE_MINUTES)?.parse().ok().filter(|minutes| *minutes > 0)
    }

    /// See [`Settings::OFFLINE_GRACE_S`].
    pub fn offline_grace_s(&self) -> u32 {
        self.number(Self::OFFLINE_GRACE_S, 60)
    }
}

/// What a visitor of the widget must show (D-0070).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VisitorProof {
    /// Nothing: whoever knows an id gets its chat, which is what published widgets need.
    None,
    /// The secret that the first visit was given, or an identity token of the app's server.
    Secret,
    /// An identity token of the app's server, from the first visit on.
    IdentityToken,
}

/// What clients are shown of the app's users (D-0071).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserListSetting {
    /// Nobody.
    Off,
    /// Ids, names and pictures.
    Names,
    /// Also whatever the app keeps about them.
    All,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_one_of_its_words_or_the_default() {
        let with = |word: &str| Settings::default().with(Settings::VISITOR_PROOF, word);
        assert_eq!(Settings::default().visitor_proof(), VisitorProof::None);
        assert_eq!(with("secret").visitor_proof(), VisitorProof::Secret);
        assert_eq!(with("nonsense").visitor_proof(), VisitorProof::None);
        assert_eq!(with("nonsense").choice(Settings::VISITOR_PROOF), "none");
    }

    #[test]
    fn the_widget_is_open_to_every_page_until_origins_are_named() {
        let shop = "https://shop.example.com";
        assert!(Settings::default().is_widget_open_to(shop));
        let named = |origins: &str| Settings::default().with(Settings::WIDGET_ORIGINS, origins);
        assert!(named("").is_widget_open_to(shop));
        assert!(named("https://a.example https://shop.example.com").is_widget_open_to(shop));
        assert!(!named("https://a.example").is_widget_open_to(shop));
        assert!(!named("https://shop.example.com.evil.example").is_widget_open_to(shop));
    }

    #[test]
    fn what_was_not_set_has_its_default() {
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
