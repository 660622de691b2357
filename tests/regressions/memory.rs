//! Answers that do not fit into memory.
