//! Routes: who serves whom, and how that ends. One file a route.
