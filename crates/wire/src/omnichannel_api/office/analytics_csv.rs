//! The statistics as CSV (RFC 4180) in UTF-8.

use super::analytics::{AnalyticsPoint, AnalyticsRow, Numbers, RatingCounts, Took};

const POINTS: &str = "at,opened,resolved,messages_in,messages_out,first_reply_median_s,\
    resolve_median_s,rating_count,rating_average\r\n";
const ROWS: &str = "id,name,opened,resolved,messages_in,messages_out,first_reply_count,\
    first_reply_median_s,first_reply_p90_s,resolve_count,resolve_median_s,resolve_p90_s,\
    rating_count,rating_average\r\n";

/// Returns the statistics of days or hours as CSV.
pub fn points_csv(points: &[AnalyticsPoint]) -> String {
    let mut csv = POINTS.to_owned();
    for it in points {
        let AnalyticsPoint { at, opened, resolved, messages_in, messages_out, .. } = it;
        let first_reply = maybe(it.first_reply_median_s);
        let resolve = maybe(it.resolve_median_s);
        csv.push_str(&format!(
            "{at},{opened},{resolved},{messages_in},{messages_out},{first_reply},{resolve},{}\r\n",
            rated(&it.rating)
        ));
    }
    csv
}

/// Returns the statistics of agents or channels as CSV.
pub fn rows_csv(rows: &[AnalyticsRow]) -> String {
    let mut csv = ROWS.to_owned();
    for AnalyticsRow { id, name, numbers } in rows {
        let Numbers { opened, resolved, messages_in, messages_out, .. } = numbers;
        let (first_reply, resolve) = (took(&numbers.first_reply_s), took(&numbers.resolve_s));
        let (name, rated) = (quoted(name), rated(&numbers.rating));
        csv.push_str(&format!("{id},{name},{opened},{resolved},{messages_in},{messages_out},"));
        csv.push_str(&format!("{first_reply},{resolve},{rated}\r\n"));
    }
    csv
}

fn took(took: &Took) -> String {
    format!("{},{},{}", took.count, maybe(took.median), maybe(took.p90))
}

fn rated(rated: &RatingCounts) -> String {
    let average = rated.average.map(|it| format!("{it:.2}")).unwrap_or_default();
    format!("{},{average}", rated.count)
}

fn maybe(number: Option<i64>) -> String {
    number.map(|number| number.to_string()).unwrap_or_default()
}

/// Quotes a user-supplied text for CSV. A text that spreadsheets would evaluate as a formula gets a
/// leading apostrophe.
fn quoted(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let shown = if is_formula { format!("'{text}") } else { text.to_owned() };
    format!("\"{}\"", shown.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_and_never_formulas() {
        assert_eq!(quoted("Ana, \"A\""), "\"Ana, \"\"A\"\"\"");
        assert_eq!(quoted("=1+1"), "\"'=1+1\"");
        assert_eq!(quoted("@x"), "\"'@x\"");
    }
}
