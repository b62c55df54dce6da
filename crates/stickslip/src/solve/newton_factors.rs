//! Factors of the matrices of Newton's method, dense or sparse, in memory that is kept; the analysis of a
//! sparse pattern is kept as long as the pattern stays.

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::lu::partial_pivoting::{factor, solve};
use faer::sparse::linalg::lu::{NumericLu, SymbolicLu, factorize_symbolic_lu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, MatRef, Par};

/// Room for the factorisations themselves; a copy has none yet.
#[derive(Default)]
struct Room(Option<(StackReq, MemBuffer)>);

impl Clone for Room {
    fn clone(&self) -> Self {
        Self(None)
    }
}

impl std::fmt::Debug for Room {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Room")
    }
}

impl Room {
    fn stack(&mut self, need: StackReq) -> &mut MemStack {
        let has = self.0.as_ref().map_or(StackReq::EMPTY, |(has, _)| *has);
        if self.0.is_none() || has.or(need) != has {
            self.0 = None;
        }
        let (_, buffer) = self.0.get_or_insert_with(|| {
            let all = has.or(need);
            (all, MemBuffer::new(all))
        });
        MemStack::new(buffer)
    }
}

/// One matrix at a time.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewtonFactors {
    /// Dense entries, column by column.
    dense: Vec<f64>,
    order: Vec<usize>,
    inverse_order: Vec<usize>,
    /// Sparse entries as they come, then column by column.
    entries: Vec<(usize, usize, f64)>,
    starts: Vec<usize>,
    next: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
    /// The analysis with the pattern that it belongs to.
    symbolic: Option<(Vec<usize>, Vec<usize>, SymbolicLu<usize>)>,
    numeric: Option<NumericLu<usize, f64>>,
    room: Room,
}

impl NewtonFactors {
    /// A dense matrix of zeros, column by column, to be filled.
    pub(crate) fn begin_dense(&mut self, m: usize) -> &mut [f64] {
        self.dense.clear();
        self.dense.resize(m * m, 0.0);
        &mut self.dense
    }

    /// x ← A⁻¹ x for the dense matrix. False if x is not finite then.
    pub(crate) fn solve_dense(&mut self, m: usize, x: &mut [f64]) -> bool {
        self.order.resize(m, 0);
        self.inverse_order.resize(m, 0);
        let need = factor::lu_in_place_scratch::<usize, f64>(m, m, Par::Seq, Default::default());
        let need = need.or(solve::solve_in_place_scratch::<usize, f64>(m, 1, Par::Seq));
        let stack = self.room.stack(need);
        let matrix = MatMut::from_column_major_slice_mut(&mut self.dense, m, m);
        let (order, inverse) = (&mut self.order[..m], &mut self.inverse_order[..m]);
        let (_, order) =
            factor::lu_in_place(matrix, order, inverse, Par::Seq, stack, Default::default());
        let lu = MatRef::from_column_major_slice(&self.dense, m, m);
        let x_matrix = MatMut::from_column_major_slice_mut(x, m, 1);
        solve::solve_in_place(lu, lu, order, x_matrix, Par::Seq, stack);
        x.iter().all(|v| v.is_finite())
    }

    /// Begins a sparse matrix with so many entries.
    pub(crate) fn begin_sparse(&mut self, entries: usize) {
        self.entries.clear();
        self.entries.reserve(entries);
    }

    /// Adds an entry; rows ascend within each column.
    pub(crate) fn push(&mut self, row: usize, column: usize, value: f64) {
        self.entries.push((row, column, value));
    }

    /// x ← A⁻¹ x for the sparse matrix of m rows. False if it is singular.
    pub(crate) fn solve_sparse(&mut self, m: usize, x: &mut [f64]) -> bool {
        // Counting sort by columns.
        self.starts.clear();
        self.starts.resize(m + 1, 0);
        for (_, column, _) in &self.entries {
            self.starts[column + 1] += 1;
        }
        for column in 0..m {
            self.starts[column + 1] += self.starts[column];
        }
        self.next.clear();
        self.next.extend_from_slice(&self.starts[..m]);
        self.rows.resize(self.entries.len(), 0);
        self.values.resize(self.entries.len(), 0.0);
        for (row, column, value) in &self.entries {
            let at = &mut self.next[*column];
            (self.rows[*at], self.values[*at]) = (*row, *value);
            *at += 1;
        }
        let pattern = SymbolicSparseColMatRef::new_checked(m, m, &self.starts, None, &self.rows);
        let known = |(starts, rows, _): &&(Vec<usize>, Vec<usize>, SymbolicLu<usize>)| {
            *starts == self.starts && *rows == self.rows
        };
        if self.symbolic.as_ref().filter(known).is_none() {
            let Ok(symbolic) = factorize_symbolic_lu(pattern, Default::default()) else {
                return false;
            };
            self.symbolic = Some((self.starts.clone(), self.rows.clone(), symbolic));
            // Numeric factors are of one size only.
            self.numeric = None;
        }
        let Some((_, _, symbolic)) = &self.symbolic else { return false };
        let need = symbolic.factorize_numeric_lu_scratch::<f64>(Par::Seq, Default::default());
        let need = need.or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        let stack = self.room.stack(need);
        let matrix = SparseColMatRef::new(pattern, &self.values);
        let numeric = self.numeric.get_or_insert_default();
        let factors =
            symbolic.factorize_numeric_lu(numeric, matrix, Par::Seq, stack, Default::default());
        let Ok(factors) = factors else { return false };
        let x_matrix = MatMut::from_column_major_slice_mut(x, m, 1);
        factors.solve_in_place_with_conj(Conj::No, x_matrix, Par::Seq, stack);
        x.iter().all(|v| v.is_finite())
    }
}
