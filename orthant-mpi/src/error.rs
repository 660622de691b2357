//! What is refused, and by whom: the same on all ranks.
//!
//! Two kinds of misfortune. Input that is refused becomes the same [`Error`] on *every* rank
//! ([`Ranks::agree`]), so that a program can say so and go on. A bug, a panic on one rank, ends the job if the
//! program wants it ([`abort_on_panic`]): MPI has no way to call other ranks out of a receive.

use std::cell::Cell;
#[cfg(any(feature = "las", feature = "arrow"))]
use std::path::Path;
use std::{fmt, panic};

use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Root};

use crate::Ranks;

/// Why all ranks were refused: the lowest rank that had a reason, and that reason. All ranks get the same.
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
    /// What it said.
    pub cause: Cause,
}

/// What a rank refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// A point or box that is not one.
    Point {
        /// Its global id.
        id: u64,
        /// What is wrong with it.
        what: String,
    },
    /// An argument: not valid, or not the same on all ranks.
    Argument {
        /// Which, and what is wrong with it.
        what: String,
    },
    /// A file that cannot be read, or is not what it should be.
    Input {
        /// The path, and what is wrong with it.
        what: String,
    },
    /// More than the budget of the rank.
    Budget {
        /// What it would take, in bytes.
        bytes: u64,
        /// What it may take.
        budget: u64,
    },
    /// More memory than there is.
    Memory {
        /// What it would take, in bytes.
        bytes: u64,
    },
    /// More points on one rank than `u32` can number.
    TooMany {
        /// How many there would be.
        points: u64,
    },
    /// What the program itself refuses, in its own words.
    Other {
        /// Those.
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

    /// What orthant refuses of points with these ids.
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

    /// As it is told to the others: a kind, two numbers, words.
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
    /// The value if the result is `Ok` on all ranks, else the reason of the lowest rank that has one.
    ///
    /// Every collective call of this crate ends so; a program does the same with what it does by itself on one
    /// rank, such as reading a file, before it goes on to what all must reach. A reduction of 8 bytes.
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
        // Of nothing, some libraries refuse the address.
        if len > 0 {
            root.broadcast_into(&mut words[..]);
        }
        Err(Error {
            rank: first as usize,
            cause: Cause::heard(numbers, String::from_utf8_lossy(&words).into_owned()),
        })
    }

    /// Refuses an argument that a rank gives otherwise than rank 0: no answer would come of it, or a hang.
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

    /// The same of words, such as the name of a type.
    pub(crate) fn same_words(&self, what: impl fmt::Display, words: &str) -> Result<(), Error> {
        let bytes: Vec<u64> = words.bytes().map(u64::from).collect();
        self.same(what, &bytes)
    }
}

thread_local! {
    /// Whether a panic on this thread is caught, and becomes an error.
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// What a library makes of a file. Some panic where a file was altered: then this rank refuses it, and so do all.
#[cfg(any(feature = "las", feature = "arrow"))]
pub(crate) fn catch<T>(path: &Path, read: impl FnOnce() -> Result<T, Cause>) -> Result<T, Cause> {
    IS_CAUGHT.set(true);
    // What it worked on is dropped with it.
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
/// Without it a panic unwinds, drops mpi's `Universe`, and waits in `MPI_Finalize` for ranks that wait for this
/// one: the job hangs until its time is up. It is the program's choice, since the hook also sees panics that are
/// caught later (but for those that this crate catches, of decoders of damaged files); `panic = "abort"` in its profile does
/// as well. To be called after MPI was initialized.
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
