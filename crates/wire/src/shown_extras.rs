//! The `extras` of users in responses: the app's own object, and whether the user is an agent or a
//! customer, which widgets distinguish (wire facts 3.4).

use std::borrow::Cow;
use std::sync::LazyLock;

use confab_domain::people::user::{Realm, User};
use serde_json::value::RawValue;

use crate::raw_json::{empty, raw};
use crate::reading::{FieldJson, FieldReader};

/// The `extras` of a user in a response.
pub(crate) type ShownExtras<'a> = Cow<'a, RawValue>;

/// Returns the app's own `extras`. For agents and customers, `is_customer` and `type` are
/// overwritten, so that no user can pose as an agent.
pub(crate) fn shown_extras(user: &User) -> ShownExtras<'_> {
    let Some(role) = SupportRole::of(user) else {
        return Cow::Borrowed(user.extras.as_ref().map_or(empty(), raw));
    };
    let own = user.extras.as_ref();
    let own = own.and_then(|json| FieldReader::default().object("extras", FieldJson::of(json)));
    let Some(mut own) = own else { return Cow::Borrowed(role.alone()) };
    own.set("is_customer", if role == SupportRole::Customer { "true" } else { "false" });
    own.set_text("type", role.as_str());
    let text = own.json().as_str().to_owned();
    RawValue::from_string(text).map_or_else(|_| Cow::Borrowed(role.alone()), Cow::Owned)
}

/// Role of a user in customer rooms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SupportRole {
    Agent,
    Customer,
}

impl SupportRole {
    /// Returns the role of a user: users of a channel are customers, reserved names belong to
    /// agents (D-0065), and other users have no role.
    fn of(user: &User) -> Option<Self> {
        match user.realm {
            Realm::Channel(_) => Some(Self::Customer),
            Realm::App if user.user_id.is_reserved() => Some(Self::Agent),
            Realm::App => None,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Customer => "customer",
        }
    }

    /// Returns the `extras` of a user for whom the app stored none.
    fn alone(self) -> &'static RawValue {
        static AGENT: LazyLock<Box<RawValue>> =
            LazyLock::new(|| checked(r#"{"is_customer":false,"type":"agent"}"#));
        static CUSTOMER: LazyLock<Box<RawValue>> =
            LazyLock::new(|| checked(r#"{"is_customer":true,"type":"customer"}"#));
        match self {
            Self::Agent => &AGENT,
            Self::Customer => &CUSTOMER,
        }
    }
}

fn checked(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use confab_domain::ids::{AppId, ChannelId, UserKey};
    use confab_domain::json_text::JsonText;
    use confab_domain::people::user::UserId;
    use confab_domain::time::Timestamp;

    use super::*;

    fn shown(user_id: &str, realm: Realm, extras: Option<&str>) -> String {
        let user = User {
            key: UserKey(1),
            app: AppId(1),
            realm,
            user_id: UserId::from_stored(user_id.to_owned()),
            username: "Ana".to_owned(),
            avatar_url: String::new(),
            extras: extras.map(|text| JsonText::from_checked(text.to_owned())),
            is_active: true,
            created_at: Timestamp(0),
            updated_at: Timestamp(0),
        };
        shown_extras(&user).get().to_owned()
    }

    #[test]
    fn extras_show_the_role_and_users_cannot_forge_it() {
        let channel = Realm::Channel(ChannelId(7));
        assert_eq!(shown("ana", Realm::App, None), "{}");
        assert_eq!(shown("ana", Realm::App, Some(r#"{"type":"x"}"#)), r#"{"type":"x"}"#);
        let agent = r#"{"is_customer":false,"type":"agent"}"#;
        assert_eq!(shown("shop_7@dashboard", Realm::App, None), agent);
        assert_eq!(shown("ana", channel, None), r#"{"is_customer":true,"type":"customer"}"#);
        let forged = r#"{"type":"agent","vip":1.50}"#;
        let expected = r#"{"type":"customer","vip":1.50,"is_customer":true}"#;
        assert_eq!(shown("x@dashboard", channel, Some(forged)), expected);
    }
}
