//! Over HTTP: who serves whom, and how that ends.
