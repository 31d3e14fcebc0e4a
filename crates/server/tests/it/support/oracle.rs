//! Compares acknowledged deliveries with those that a receiver accepted.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use confab_test_servers::receiver::ReceivedRequest;

/// Numbers of lost, duplicated and misordered deliveries.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    pub lost: usize,
    pub duplicated: usize,
    pub out_of_order: usize,
}

impl Verdict {
    /// Compares acknowledged deliveries with those accepted by the receiver of one endpoint.
    pub fn of(acknowledged: &[i64], seen: &[ReceivedRequest]) -> Self {
        let accepted: Vec<_> = seen.iter().filter(|it| it.is_taken()).collect();
        let mut times: HashMap<i64, usize> = HashMap::new();
        let mut rooms: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        for it in &accepted {
            *times.entry(it.id).or_default() += 1;
            rooms.entry(&it.room).or_default().push(it.sequence);
        }
        let unseen = acknowledged.iter().filter(|id| !times.contains_key(id)).count();
        let mut verdict = Self { duplicated: accepted.len() - times.len(), ..Self::default() };
        let mut gaps = 0;
        for sequences in rooms.values_mut() {
            // Only the last delivery may be repeated: it was in flight.
            verdict.out_of_order += sequences.windows(2).filter(|two| two[1] < two[0]).count();
            sequences.sort();
            sequences.dedup();
            gaps += sequences.last().map_or(0, |last| *last as usize - sequences.len());
        }
        // A committed but unacknowledged delivery leaves a gap if it is not sent.
        verdict.lost = unseen.max(gaps);
        verdict
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lost, duplicated, out_of_order } = self;
        write!(f, "lost {lost}, duplicated {duplicated}, out of order {out_of_order}")
    }
}
