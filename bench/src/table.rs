//! The table: medians, and shares of the ceilings.

use crate::wrk::{Load, Seen};

/// What a figure is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) stage: &'static str,
    pub(crate) load: Load,
    pub(crate) connections: usize,
}

#[derive(Default)]
pub(crate) struct Table {
    runs: Vec<(Cell, Seen)>,
    idle: Vec<(&'static str, f64, f64)>,
    loaded: Vec<(&'static str, f64)>,
}

impl Table {
    pub(crate) fn add(&mut self, cell: Cell, seen: Seen) {
        self.runs.push((cell, seen));
    }

    pub(crate) fn idle(&mut self, stage: &'static str, resident_mb: f64, first_message_ms: f64) {
        self.idle.push((stage, resident_mb, first_message_ms));
    }

    pub(crate) fn loaded(&mut self, stage: &'static str, resident_mb: f64) {
        self.loaded.push((stage, resident_mb));
    }

    fn median_seen(&self, cell: Cell) -> Option<Seen> {
        let of = |part: fn(&Seen) -> f64| {
            median(self.runs.iter().filter(|(at, _)| *at == cell).map(|(_, seen)| part(seen)))
        };
        Some(Seen {
            per_second: of(|seen| seen.per_second)?,
            p50_ms: of(|seen| seen.p50_ms)?,
            p99_ms: of(|seen| seen.p99_ms)?,
            cpu_us: of(|seen| seen.cpu_us)?,
        })
    }

    /// Prints Markdown: it goes into docs/performance.md as it is.
    pub(crate) fn print(&self, stored: usize) {
        println!(
            "| what | messages stored | connections | requests/s | p50 ms | p99 ms | CPU µs | share |"
        );
        println!("|---|---|---|---|---|---|---|---|");
        let mut cells: Vec<Cell> = Vec::new();
        for (cell, _) in &self.runs {
            if !cells.contains(cell) {
                cells.push(*cell);
            }
        }
        let order = |stage: &str| STAGES.iter().position(|known| *known == stage);
        cells.sort_by_key(|cell| (order(cell.stage), cell.connections));
        for cell in cells {
            let Some(seen) = self.median_seen(cell) else { continue };
            let stage = match cell.stage {
                "start" => "1 M and more".to_owned(),
                "postgres" => "PostgreSQL, 1 M and more".to_owned(),
                _ => format!("{} M and more", stored / 1_000_000),
            };
            println!(
                "| {} | {stage} | {} | {:.0} | {} | {} | {} | {} |",
                cell.load.name(),
                cell.connections,
                seen.per_second,
                known(seen.p50_ms, 2),
                known(seen.p99_ms, 2),
                known(seen.cpu_us, 1),
                self.share(cell, seen)
            );
        }
        println!();
        for stage in STAGES {
            let of = |part: fn(&(&'static str, f64, f64)) -> f64| {
                median(self.idle.iter().filter(|(at, _, _)| *at == stage).map(part))
            };
            let loaded = self.loaded.iter().find(|(at, _)| *at == stage).map(|(_, mb)| *mb);
            if let (Some(mb), Some(ms), Some(loaded)) = (of(|i| i.1), of(|i| i.2), loaded) {
                println!(
                    "(f) {stage}: {mb:.0} MB after the first message, {loaded:.0} MB after the \
                     load, {ms:.0} ms from start to first accepted message"
                );
            }
        }
    }

    /// Posts as a share of the durable ceiling or of pgbench, pages of the HTTP ceiling.
    fn share(&self, cell: Cell, seen: Seen) -> String {
        let ceilings: &[(Load, &str)] = match (cell.stage, cell.load) {
            ("postgres", Load::PostSpread | Load::PostOneRoom) => {
                &[(Load::HttpCeiling, "(a)"), (Load::BareInserts, "(g)"), (Load::OneByOne, "(h)")]
            }
            (_, Load::PostSpread | Load::PostOneRoom) => &[(Load::DurableCeiling, "(b)")],
            (_, Load::FirstPage | Load::DeepPage) => &[(Load::HttpCeiling, "(a)")],
            _ => &[],
        };
        let share = |(load, name): &(Load, &str)| {
            let top = self.median_seen(Cell { load: *load, ..cell })?;
            Some(format!("{:.2} of {name}", seen.per_second / top.per_second))
        };
        ceilings.iter().filter_map(share).collect::<Vec<_>>().join(", ")
    }
}

const STAGES: [&str; 3] = ["start", "filled", "postgres"];

/// A number, or nothing if it was not measured.
fn known(value: f64, digits: usize) -> String {
    if value.is_nan() { String::new() } else { format!("{value:.digits$}") }
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len().checked_sub(1)? / 2).copied()
}
