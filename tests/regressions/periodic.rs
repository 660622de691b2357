//! Periodic boxes: the answer does not depend on who asks.
