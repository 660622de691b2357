//! Errors, which are the same on all ranks.
//!
//! Refused input becomes the same [`Error`] on *every* rank ([`Ranks::agree`]), so that a program can report it and go on. A bug, a panic on one
//! rank, ends the job if the program wants it ([`abort_on_panic`]): MPI has no way to interrupt a receive on other ranks.

use std::cell::Cell;
#[cfg(any(feature = "las", feature = "arrow"))]
use std::path::Path;
use std::{fmt, panic};

use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Root};

use crate::Ranks;

/// The reason of the lowest rank that refused. All ranks get the same error.
///
/// ```
/// use orthant_mpi::{Cause, Error};
/// let error = Error { rank: 2, cause: Cause::Point { id: 625, what: "NaN on axis 0".into() } };
/// assert_eq!(error.to_string(), "rank 2: point 625: NaN on axis 0");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The lowest rank that refused.
    pub rank: usize,
    /// The reason.
    pub cause: Cause,
}

/// A reason to refuse.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// An invalid point or box.
    Point {
        /// The global id of the point.
        id: u64,
        /// The fault.
        what: String,
    },
    /// An argument that is invalid or differs between ranks.
    Argument {
        /// The argument, and its fault.
        what: String,
    },
    /// A file that cannot be read or has unexpected contents.
    Input {
        /// The path, and the fault.
        what: String,
    },
    /// A call that takes more than the budget of the rank.
    Budget {
        /// The bytes that it would take.
        bytes: u64,
        /// The budget in bytes.
        budget: u64,
    },
    /// A call that takes more memory than there is.
    Memory {
        /// The bytes that it would take.
        bytes: u64,
    },
    /// More points on one rank than `u32` can number.
    TooMany {
        /// The number of points.
        points: u64,
    },
    /// A reason of the program itself, in its own words.
    Other {
        /// The words.
        what: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {}: {}", self.rank, self.cause)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Point { id, what } => write!(f, "point {id}: {what}"),
            Self::Argument { what } | Self::Input { what } | Self::Other { what } => {
                f.write_str(what)
            }
            Self::Budget { bytes, budget } => {
                write!(f, "{bytes} bytes are needed, the budget is {budget}")
            }
            Self::Memory { bytes } => write!(f, "no memory for {bytes} bytes"),
            Self::TooMany { points } => write!(
                f,
                "{points} points on one rank: more than 32 bits can number"
            ),
        }
    }
}

impl std::error::Error for Error {}

impl Cause {
    pub(crate) fn argument(what: impl fmt::Display) -> Self {
        let what = what.to_string();
        Self::Argument { what }
    }

    /// Converts an error of orthant about points with these ids.
    pub(crate) fn of(error: orthant::Error, ids: &[u64]) -> Self {
        match error {
            orthant::Error::Item { index, error } => Self::Point {
                id: ids.get(index).copied().unwrap_or(index as u64),
                what: error.to_string(),
            },
            orthant::Error::RegionOutOfRange {
                region,
                axis,
                value,
            } => Self::Point {
                id: ids.get(region).copied().unwrap_or(region as u64),
                what: format!("{value} on axis {axis} lies outside the grid"),
            },
            error => Self::argument(error),
        }
    }

    /// Returns the form that is sent to the other ranks: a kind, two numbers and words.
    fn told(&self) -> ([u64; 3], &str) {
        match self {
            Self::Point { id, what } => ([0, *id, 0], what),
            Self::Argument { what } => ([1, 0, 0], what),
            Self::Input { what } => ([2, 0, 0], what),
            Self::Budget { bytes, budget } => ([3, *bytes, *budget], ""),
            Self::Memory { bytes } => ([4, *bytes, 0], ""),
            Self::TooMany { points } => ([5, *points, 0], ""),
            Self::Other { what } => ([6, 0, 0], what),
        }
    }

    fn heard([kind, first, second]: [u64; 3], what: String) -> Self {
        match kind {
            0 => Self::Point { id: first, what },
            1 => Self::Argument { what },
            2 => Self::Input { what },
            3 => Self::Budget {
                bytes: first,
                budget: second,
            },
            4 => Self::Memory { bytes: first },
            5 => Self::TooMany { points: first },
            _ => Self::Other { what },
        }
    }
}

impl Ranks {
    /// Returns the value if the result is `Ok` on all ranks, and otherwise the reason of the lowest rank that has one.
    ///
    /// Every collective call of this crate ends this way. A program does the same with work that a rank does by itself, such as reading a file,
    /// before the next collective call. It takes a reduction of 8 bytes.
    ///
    /// # Errors
    ///
    /// If the result is an error on any rank.
    pub fn agree<T>(&self, result: Result<T, Cause>) -> Result<T, Error> {
        let mine = match &result {
            Ok(_) => u64::MAX,
            Err(_) => self.rank() as u64,
        };
        let first = self.least(&[mine])[0];
        let cause = match result {
            Ok(value) if first == u64::MAX => return Ok(value),
            Ok(_) => Cause::Memory { bytes: 0 },
            Err(cause) => cause,
        };
        let (mut numbers, words) = cause.told();
        let mut words = words.as_bytes().to_vec();
        let root = self.communicator().process_at_rank(first as i32);
        root.broadcast_into(&mut numbers[..]);
        let mut len = words.len() as u64;
        root.broadcast_into(&mut len);
        words.resize(len as usize, 0);
        // Some libraries refuse the address of an empty slice.
        if len > 0 {
            root.broadcast_into(&mut words[..]);
        }
        Err(Error {
            rank: first as usize,
            cause: Cause::heard(numbers, String::from_utf8_lossy(&words).into_owned()),
        })
    }

    /// Refuses an argument that differs from that of rank 0, since the call would give no answer or hang.
    pub(crate) fn same(&self, what: impl fmt::Display, numbers: &[u64]) -> Result<(), Error> {
        let first = self.communicator().process_at_rank(0);
        let mut len = numbers.len() as u64;
        first.broadcast_into(&mut len);
        let mut theirs = numbers.to_vec();
        theirs.resize(len as usize, 0);
        if len > 0 {
            first.broadcast_into(&mut theirs[..]);
        }
        self.agree(if theirs == numbers {
            Ok(())
        } else {
            Err(Cause::argument(format_args!(
                "{what}: not the same as on rank 0"
            )))
        })
    }

    /// Refuses words, such as the name of a type, that differ from those of rank 0.
    pub(crate) fn same_words(&self, what: impl fmt::Display, words: &str) -> Result<(), Error> {
        let bytes: Vec<u64> = words.bytes().map(u64::from).collect();
        self.same(what, &bytes)
    }
}

thread_local! {
    /// True while a panic on this thread is caught and becomes an error.
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Runs a library's reader of a file. Some readers panic if a file was altered: then this rank refuses it, and so do all.
#[cfg(any(feature = "las", feature = "arrow"))]
pub(crate) fn catch<T>(path: &Path, read: impl FnOnce() -> Result<T, Cause>) -> Result<T, Cause> {
    IS_CAUGHT.set(true);
    // Everything that it worked on is dropped with it.
    let result = panic::catch_unwind(panic::AssertUnwindSafe(read));
    IS_CAUGHT.set(false);
    result.unwrap_or_else(|_| {
        let path = path.display();
        let what = format!("{path}: damaged: its decoder panicked");
        Err(Cause::Input { what })
    })
}

/// Makes a panic on any thread of this process end all processes, with status 101.
///
/// Otherwise a panic unwinds, drops mpi's `Universe`, and waits in `MPI_Finalize` for ranks that wait for this one: the job hangs until its time
/// is up. The program decides, since the hook also sees panics that are caught later (except those in decoders of damaged files, which this
/// crate catches). `panic = "abort"` in the program's profile has the same effect. Call this after MPI was initialized.
pub fn abort_on_panic() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if IS_CAUGHT.get() {
            return;
        }
        let world = SimpleCommunicator::world();
        eprintln!(
            "rank {} of {} panicked, and ends the job:",
            world.rank(),
            world.size()
        );
        before(info);
        world.abort(101)
    }));
}
