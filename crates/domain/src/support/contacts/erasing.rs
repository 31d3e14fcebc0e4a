//! Erasure of a customer and their messages, as privacy laws require, and the audit entry for the
//! export of their data (design/support).
//!
//! An erasure runs in steps to keep transactions small: messages in batches, then each room, and
//! the customer last. An interrupted erasure can be repeated.

use crate::app::App;
use crate::audit::deed::AuditAction;
use crate::audit::differences::Differences;
use crate::audit::entry::AuditTarget;
use crate::decision::change::{Change, FileChange, RoomChange, SupportChange, UserChange};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::{OmnichannelQuestion, Question};
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::{AppId, RoomId, UserKey};
use crate::messages::deleting;
use crate::messages::message::MessageRef;
use crate::messages::unique_id::UniqueId;
use crate::people::user::User;
use crate::refusal::Refusal;
use crate::rooms::room::{Room, RoomRef};
use crate::support::assignment::allocating;

/// Name that replaces the names of erased customers and of their rooms.
pub const ERASED: &str = "Erased";

/// Empties those of these messages that exist, and marks the files that they reference as possibly
/// unused. Connected clients are notified; no webhook is sent.
pub struct EraseMessages {
    pub ids: Vec<UniqueId>,
    /// Hashes of the files.
    pub files: Vec<String>,
}

impl Rule for EraseMessages {
    type Outcome = ();

    fn question(&self, app: &App) -> Question {
        deleting::question(&self.ids, &deleting::system_user(app))
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<()>, Refusal> {
        let is_there = |id: &&UniqueId| {
            let posted = facts.message(&MessageRef::Unique((*id).clone()));
            posted.is_some_and(|posted| !posted.message.is_deleted)
        };
        let ids: Vec<_> = self.ids.iter().filter(is_there).cloned().collect();
        let by = deleting::system_user(&context.app);
        let deleted = deleting::delete(facts, &ids, &by, true, stamp)?;
        Ok(deleted.map(drop).also(doubted(context.app.id, &self.files)))
    }
}

/// Returns the changes that mark files as possibly unused.
fn doubted(app: AppId, files: &[String]) -> impl Iterator<Item = Change> + use<'_> {
    files.iter().map(move |hash| FileChange::Doubt { app, hash: hash.clone() }.into())
}

/// Erases the data of a customer's room.
pub struct EraseRoom {
    pub room: RoomId,
    /// Hashes of the files that the room names.
    pub files: Vec<String>,
}

impl Rule for EraseRoom {
    type Outcome = ();

    fn question(&self, app: &App) -> Question {
        allocating::question_of(app, self.room, None)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<()>, Refusal> {
        let room = &facts.room(&RoomRef::Id(self.room))?.room;
        let room = Room {
            name: ERASED.to_owned(),
            avatar_url: String::new(),
            options: String::new(),
            updated_at: stamp.now,
            ..(**room).clone()
        };
        let erased = SupportChange::EraseRoom { room: self.room };
        let erased = Decision::new(vec![RoomChange::Update(room).into(), erased.into()], ());
        Ok(erased.also(doubted(context.app.id, &self.files)))
    }
}

/// Erases a customer's name, id, picture, properties, devices, token and visitor secret. If the
/// same person writes again, they become a new customer.
pub struct EraseContact {
    pub customer: User,
    /// Random token that replaces the customer's. No client receives it.
    pub new_token: String,
    /// Hashes of the files that the customer's data names.
    pub files: Vec<String>,
}

impl Rule for EraseContact {
    type Outcome = User;

    fn question(&self, _: &App) -> Question {
        contact_question(self.customer.key)
    }

    fn decide(
        &self,
        context: &Context,
        _: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<User>, Refusal> {
        let before = &self.customer;
        let user = User {
            username: ERASED.to_owned(),
            avatar_url: String::new(),
            extras: None,
            updated_at: stamp.now,
            ..before.clone()
        };
        let changes = vec![
            UserChange::Update { user: user.clone(), password_hash: None }.into(),
            UserChange::SetToken { user: user.key, token: self.new_token.clone() }.into(),
            UserChange::Erase { user: before.clone() }.into(),
            on_record(context, stamp, AuditAction::ContactErased, user.key),
        ];
        Ok(Decision::new(changes, user).also(doubted(context.app.id, &self.files)))
    }
}

/// Records the export of a customer's data in the audit log.
pub struct ExportContact {
    pub customer: UserKey,
}

impl Rule for ExportContact {
    type Outcome = ();

    fn question(&self, _: &App) -> Question {
        contact_question(self.customer)
    }

    fn decide(
        &self,
        context: &Context,
        _: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<()>, Refusal> {
        let entry = on_record(context, stamp, AuditAction::ContactExported, self.customer);
        Ok(Decision::new(vec![entry], ()))
    }
}

fn contact_question(customer: UserKey) -> Question {
    let omni =
        OmnichannelQuestion { properties_of: Some(customer), ..OmnichannelQuestion::default() };
    Question { omni: Some(omni), ..Question::default() }
}

/// Returns the audit entry. It omits the customer's name, which must not survive the erasure.
fn on_record(context: &Context, stamp: &Stamp<'_>, deed: AuditAction, customer: UserKey) -> Change {
    let target = AuditTarget::nameless("contact", customer);
    context.audited(stamp, deed, target, Differences::default())
}
