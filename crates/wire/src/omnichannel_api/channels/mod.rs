//! Public JSON: where customers write from, and the bot.
