//! Values that belong to points and move along with them: columns of plain old data.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;

use bytemuck::Pod;

use crate::ranks::by_rank;
use crate::{Error, Ranks};

/// Names a column of a [`Cloud`](crate::Cloud), from [`carry`](crate::Cloud::carry).
pub struct Column<T>(usize, PhantomData<fn() -> T>);

impl<T> Clone for Column<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Column<T> {}

impl<T> fmt::Debug for Column<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Column").field(&self.0).finish()
    }
}

/// A column of any type.
trait Carried: fmt::Debug + Send + Sync {
    /// Sends each value to its point's new rank, and sorts what arrives.
    fn send(
        &self,
        ranks: &Ranks,
        to: &[u32],
        counts: &[usize],
        by_id: &[u32],
    ) -> Result<Box<dyn Carried>, Error>;
    fn bytes_of_each(&self) -> usize;
    fn any(&self) -> &dyn Any;
    fn any_mut(&mut self) -> &mut dyn Any;
}

struct Values<T>(Vec<T>);

impl<T> fmt::Debug for Values<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} values", self.0.len())
    }
}

impl<T: Pod + Send + Sync> Carried for Values<T> {
    fn send(
        &self,
        ranks: &Ranks,
        to: &[u32],
        counts: &[usize],
        by_id: &[u32],
    ) -> Result<Box<dyn Carried>, Error> {
        // Values are sorted by rank, and then by id.
        ranks.agree(ranks.take((to.len() + by_id.len()) * size_of::<T>()))?;
        let each = to.iter().map(|&rank| rank as usize);
        let (sorted, _) = by_rank(ranks.size(), each.zip(self.0.iter().copied()));
        let came = ranks.exchange(&sorted, counts)?.items;
        let values = by_id.iter().map(|&i| came[i as usize]).collect();
        Ok(Box::new(Self(values)))
    }

    fn bytes_of_each(&self) -> usize {
        size_of::<T>()
    }

    fn any(&self) -> &dyn Any {
        &self.0
    }

    fn any_mut(&mut self) -> &mut dyn Any {
        &mut self.0
    }
}

/// All columns of a cloud.
#[derive(Debug, Default)]
pub(super) struct Columns(Vec<Box<dyn Carried>>);

impl Columns {
    pub(super) fn add<T: Pod + Send + Sync>(&mut self, values: Vec<T>) -> Column<T> {
        self.0.push(Box::new(Values(values)));
        Column(self.0.len() - 1, PhantomData)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the bytes of a point's values in all columns.
    pub(super) fn bytes_of_each(&self) -> usize {
        self.0.iter().map(|column| column.bytes_of_each()).sum()
    }

    #[track_caller]
    pub(super) fn get<T: Pod>(&self, column: Column<T>) -> &[T] {
        let values = self
            .0
            .get(column.0)
            .and_then(|c| c.any().downcast_ref::<Vec<T>>());
        values.expect("a column of this cloud")
    }

    #[track_caller]
    pub(super) fn get_mut<T: Pod>(&mut self, column: Column<T>) -> &mut [T] {
        let values = self
            .0
            .get_mut(column.0)
            .and_then(|c| c.any_mut().downcast_mut::<Vec<T>>());
        values.expect("a column of this cloud")
    }

    /// Sends all columns, or none: if one is refused, nothing is changed.
    pub(super) fn send(
        &mut self,
        ranks: &Ranks,
        to: &[u32],
        counts: &[usize],
        by_id: &[u32],
    ) -> Result<(), Error> {
        let sent = self
            .0
            .iter()
            .map(|column| column.send(ranks, to, counts, by_id));
        self.0 = sent.collect::<Result<_, _>>()?;
        Ok(())
    }
}
