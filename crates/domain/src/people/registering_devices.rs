//! Rules that register and remove devices for pushes.
//!
//! The caller first checks whether the device is already registered, because no decision is needed
//! then.

use crate::app::App;
use crate::decision::change::UserChange;
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::Question;
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::UserKey;
use crate::people::device::Device;
use crate::refusal::Refusal;

/// Registers a device for pushes to a user.
pub struct PutDevice {
    pub user: UserKey,
    pub device: Device,
}

impl Rule for PutDevice {
    type Outcome = ();

    fn question(&self, _: &App) -> Question {
        Question::default()
    }

    fn decide(
        &self,
        _: &Context,
        _: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Self::Outcome>, Refusal> {
        let (user, device) = (self.user, self.device.clone());
        let put = UserChange::PutDevice { user, device, at: stamp.now };
        Ok(Decision::new(vec![put.into()], ()))
    }
}

/// Removes a device, so that it receives no further pushes for the user.
pub struct RemoveDevice {
    pub user: UserKey,
    /// Push token of the device.
    pub token: String,
}

impl Rule for RemoveDevice {
    type Outcome = ();

    fn question(&self, _: &App) -> Question {
        Question::default()
    }

    fn decide(
        &self,
        _: &Context,
        _: &Facts,
        _: &Stamp<'_>,
    ) -> Result<Decision<Self::Outcome>, Refusal> {
        let removed = UserChange::RemoveDevice { user: self.user, token: self.token.clone() };
        Ok(Decision::new(vec![removed.into()], ()))
    }
}
