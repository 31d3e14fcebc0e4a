//! The table: medians, and ratios to the ceilings.

use crate::aims::Aims;
use crate::wrk::{Load, WrkResult};

/// The store under measurement: its engine, with few messages or filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    Sqlite,
    SqliteFilled,
    Postgres,
    PostgresFilled,
}

const STAGES: [Stage; 4] =
    [Stage::Sqlite, Stage::SqliteFilled, Stage::Postgres, Stage::PostgresFilled];

impl Stage {
    pub(crate) fn engine(self) -> &'static str {
        if self.is_postgres() { "PostgreSQL" } else { "SQLite" }
    }

    pub(crate) fn is_postgres(self) -> bool {
        matches!(self, Self::Postgres | Self::PostgresFilled)
    }

    /// Returns the stage with few messages of the same engine, if this stage is filled.
    fn before(self) -> Option<Self> {
        match self {
            Self::SqliteFilled => Some(Self::Sqlite),
            Self::PostgresFilled => Some(Self::Postgres),
            Self::Sqlite | Self::Postgres => None,
        }
    }

    /// Returns the engine's name with the number of stored messages in millions.
    pub(crate) fn name(self, stored: usize) -> String {
        let millions = if self.before().is_some() { stored / 1_000_000 } else { 1 };
        format!("{}, {millions} M", self.engine())
    }
}

/// The key of a measured figure in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) stage: Stage,
    pub(crate) load: Load,
    pub(crate) connections: usize,
}

#[derive(Default)]
pub(crate) struct Table {
    runs: Vec<(Cell, WrkResult)>,
    idle: Vec<(Stage, f64, f64)>,
    loaded: Vec<(Stage, f64)>,
}

impl Table {
    pub(crate) fn add(&mut self, cell: Cell, seen: WrkResult) {
        self.runs.push((cell, seen));
    }

    pub(crate) fn idle(&mut self, stage: Stage, resident_mb: f64, first_message_ms: f64) {
        self.idle.push((stage, resident_mb, first_message_ms));
    }

    pub(crate) fn loaded(&mut self, stage: Stage, resident_mb: f64) {
        self.loaded.push((stage, resident_mb));
    }

    fn median_seen(&self, cell: Cell) -> Option<WrkResult> {
        let of = |part: fn(&WrkResult) -> f64| {
            median(self.runs.iter().filter(|(at, _)| *at == cell).map(|(_, seen)| part(seen)))
        };
        Some(WrkResult {
            per_second: of(|seen| seen.per_second)?,
            p50_ms: of(|seen| seen.p50_ms)?,
            p99_ms: of(|seen| seen.p99_ms)?,
            cpu_us: of(|seen| seen.cpu_us)?,
        })
    }

    /// Prints Markdown for docs/performance.md.
    pub(crate) fn print(&self, stored: usize) {
        println!(
            "| what | messages stored | connections | requests/s | p50 ms | p99 ms | CPU µs | share |"
        );
        println!("|---|---|---|---|---|---|---|---|");
        for cell in self.cells() {
            let Some(seen) = self.median_seen(cell) else { continue };
            let stage = cell.stage.name(stored);
            println!(
                "| {} | {stage} | {} | {:.0} | {} | {} | {} | {} |",
                cell.load.name(),
                cell.connections,
                seen.per_second,
                known(seen.p50_ms, 2),
                known(seen.p99_ms, 2),
                known(seen.cpu_us, 1),
                self.share(cell)
            );
        }
        println!();
        for stage in STAGES {
            let of = |part: fn(&(Stage, f64, f64)) -> f64| {
                median(self.idle.iter().filter(|(at, _, _)| *at == stage).map(part))
            };
            let loaded = self.loaded.iter().find(|(at, _)| *at == stage).map(|(_, mb)| *mb);
            if let (Some(mb), Some(ms), Some(loaded)) = (of(|i| i.1), of(|i| i.2), loaded) {
                println!(
                    "(f) {}: {mb:.0} MB after the first message, {loaded:.0} MB after the \
                     load, {ms:.0} ms from start to first accepted message",
                    stage.name(stored)
                );
            }
        }
    }

    /// Compares the medians with the aims.
    pub(crate) fn judge(&self, stored: usize, aims: &mut Aims) {
        for cell in self.cells() {
            let Some(seen) = self.median_seen(cell) else { continue };
            let stage = cell.stage.name(stored);
            let what = format!("{}, {stage}, {}", cell.load.name(), cell.connections);
            let is_post = matches!(cell.load, Load::PostSpread | Load::PostOneRoom);
            let aimed = match (cell.stage.is_postgres(), cell.load) {
                (true, Load::PostSpread) => Some((Load::BareInserts, 0.7)),
                (true, Load::PostOneRoom) => Some((Load::BareInserts, 0.8)),
                (true, Load::FirstPage) => Some((Load::HttpCeiling, 0.4)),
                (false, Load::PostSpread | Load::PostOneRoom) => Some((Load::DurableCeiling, 0.85)),
                (false, Load::FirstPage) => Some((Load::HttpCeiling, 0.7)),
                _ => None,
            };
            if let Some((ceiling, aim)) = aimed
                && let Some(share) = self.share_of(cell, ceiling)
            {
                aims.at_least(format!("{what}: share of {}", ceiling.name()), share, aim);
            }
            if let Some(before) = cell.stage.before()
                && let Some(ceiling) = ceilings(cell).first().map(|(load, _)| *load)
                && let Some(share) = self.share_of(cell, ceiling)
                && let Some(with_few) = self.share_of(Cell { stage: before, ..cell }, ceiling)
            {
                // Two medians of equal measurements differ by up to a tenth.
                aims.at_least(format!("{what}: relative to that with 1 M"), share / with_few, 0.9);
            }
            if is_post && !cell.stage.is_postgres() {
                aims.at_most(format!("{what}: p99 / p50"), seen.p99_ms / seen.p50_ms, 4.0);
            }
            if cell.load == Load::DeepPage
                && let Some(first) = self.median_seen(Cell { load: Load::FirstPage, ..cell })
            {
                aims.at_most(
                    format!("{what}: CPU relative to the first"),
                    seen.cpu_us / first.cpu_us,
                    1.3,
                );
            }
        }
        for (stage, aim) in STAGES.into_iter().zip([30.0, 100.0, 30.0, 100.0]) {
            let resident = self.idle.iter().filter(|(at, ..)| *at == stage).map(|it| it.1);
            if let Some(mb) = median(resident) {
                let stage = stage.name(stored);
                aims.at_most(format!("memory after the first message, {stage}, MB"), mb, aim);
            }
        }
    }

    /// Returns the measured cells, in the order of the table.
    fn cells(&self) -> Vec<Cell> {
        let mut cells: Vec<Cell> = Vec::new();
        for (cell, _) in &self.runs {
            if !cells.contains(cell) {
                cells.push(*cell);
            }
        }
        cells.sort_by_key(|cell| (cell.stage, cell.connections));
        cells
    }

    /// Returns the ratios to the ceilings. Posts are compared with the durable ceiling on SQLite,
    /// and with the HTTP ceiling and pgbench on PostgreSQL; pages with the HTTP ceiling.
    fn share(&self, cell: Cell) -> String {
        let share = |(load, name): &(Load, &str)| {
            Some(format!("{:.2} of {name}", self.share_of(cell, *load)?))
        };
        ceilings(cell).iter().filter_map(share).collect::<Vec<_>>().join(", ")
    }

    fn share_of(&self, cell: Cell, ceiling: Load) -> Option<f64> {
        let top = self.median_seen(Cell { load: ceiling, ..cell })?;
        Some(self.median_seen(cell)?.per_second / top.per_second)
    }
}

/// Returns the ceilings to which a cell is compared, with their letters in the table.
fn ceilings(cell: Cell) -> &'static [(Load, &'static str)] {
    match (cell.stage.is_postgres(), cell.load) {
        (true, Load::PostSpread | Load::PostOneRoom) => {
            &[(Load::HttpCeiling, "(a)"), (Load::BareInserts, "(g)"), (Load::OneByOne, "(h)")]
        }
        (false, Load::PostSpread | Load::PostOneRoom) => &[(Load::DurableCeiling, "(b)")],
        (_, Load::FirstPage | Load::DeepPage) => &[(Load::HttpCeiling, "(a)")],
        _ => &[],
    }
}

/// Formats a number. Returns an empty string for NaN, which means that it was not measured.
fn known(value: f64, digits: usize) -> String {
    if value.is_nan() { String::new() } else { format!("{value:.digits$}") }
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len().checked_sub(1)? / 2).copied()
}
