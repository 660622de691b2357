//! Builds over points that are hard to divide: who can build, how long it takes, and who answers correctly. The rows are questions
//! of the job `hard`.

use crate::jobs::{Options, hard};
use crate::table::Summary;

/// Our builds may take this many times as long as that of the uniform set.
const LIMIT: f64 = 2.0;

pub(crate) fn run(options: &Options) -> Summary {
    let (mut summary, times, set) = hard::builds(options);
    println!("\nat most {times:.2} times uniform's build, of {set}; limit {LIMIT}");
    if times > LIMIT {
        summary.fault(format!(
            "the build of {set} takes {times:.2} times the uniform set's"
        ));
    }
    summary
}
