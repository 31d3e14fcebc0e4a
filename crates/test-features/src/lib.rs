//! Has no code; see the manifest.
