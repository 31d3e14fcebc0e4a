//! Public JSON: who serves whom, and how that ends.
