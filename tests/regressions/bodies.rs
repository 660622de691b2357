//! Bodies, and bounds that cannot be trusted.
