//! Over HTTP: where customers write from, and the bot.
