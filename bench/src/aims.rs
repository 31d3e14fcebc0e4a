//! The aims of a run and whether they are met, for the table at its end.

/// All measured figures that have an aim, in the order in which they were measured.
#[derive(Default)]
pub(crate) struct Aims(Vec<Judged>);

struct Judged {
    what: String,
    measured: f64,
    aim: String,
    is_met: bool,
}

impl Aims {
    /// Adds a figure that must be at least `aim`.
    pub(crate) fn at_least(&mut self, what: impl Into<String>, measured: f64, aim: f64) {
        self.note(what.into(), measured, format!("at least {aim}"), measured >= aim);
    }

    /// Adds a figure that must be at most `aim`.
    pub(crate) fn at_most(&mut self, what: impl Into<String>, measured: f64, aim: f64) {
        self.note(what.into(), measured, format!("at most {aim}"), measured <= aim);
    }

    fn note(&mut self, what: String, measured: f64, aim: String, is_met: bool) {
        self.0.push(Judged { what, measured, aim, is_met });
    }

    /// Prints a Markdown table, missed aims first.
    pub(crate) fn print(mut self) {
        self.0.sort_by_key(|it| it.is_met);
        let met = self.0.iter().filter(|it| it.is_met).count();
        println!(
            "\n| {met} of {} aims are met | measured | aim | |\n|---|---|---|---|",
            self.0.len()
        );
        for Judged { what, measured, aim, is_met } in self.0 {
            let verdict = if is_met { "met" } else { "**missed**" };
            println!("| {what} | {measured:.2} | {aim} | {verdict} |");
        }
    }
}
