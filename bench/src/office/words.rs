//! Generated texts and names, identical in every run. Some words are more frequent than others.

/// A deterministic sequence of pseudorandom numbers.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    /// Returns the next number, less than `below`.
    pub(super) fn roll(&mut self, below: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % below.max(1) as u64) as usize
    }
}

const SYLLABLES: [&str; 20] = [
    "ba", "ki", "ro", "san", "te", "mu", "lin", "da", "po", "ge", "nya", "hu", "ser", "wi", "ta",
    "jo", "pem", "ra", "lo", "si",
];

/// Number of distinct words.
const WORDS: usize = 8_000;

/// Returns the word with this index. Low indexes have short words.
pub(super) fn word(place: usize) -> String {
    let mut rest = place % WORDS;
    let mut word = String::new();
    loop {
        word.push_str(SYLLABLES[rest % SYLLABLES.len()]);
        rest /= SYLLABLES.len();
        if rest == 0 {
            return word;
        }
    }
}

/// Returns a message text that ends with an order number. Words with low indexes are more frequent.
pub(super) fn sentence(dice: &mut Dice, order: usize) -> String {
    let mut words: Vec<_> = (0..4 + dice.roll(8))
        .map(|_| {
            let most = 1 + dice.roll(WORDS);
            word(dice.roll(most))
        })
        .collect();
    words.push(format!("order {order}"));
    words.join(" ")
}

pub(super) fn name(place: usize) -> String {
    let capital = |word: String| {
        let (first, rest) = word.split_at(1);
        first.to_uppercase() + rest
    };
    format!("{} {}", capital(word(place % 4_001 + 21)), capital(word(place / 7 + 401)))
}
