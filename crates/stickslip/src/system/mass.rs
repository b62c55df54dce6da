//! Inverse of the block-diagonal mass matrix.

use crate::linear::{cholesky, cholesky_solve, definite_lu, definite_lu_solve};

/// How a block is factored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Factor {
    /// Diagonal: kept as its inverse.
    Diagonal,
    /// Symmetric: by Cholesky.
    #[default]
    Symmetric,
    /// Not symmetric, as with gyroscopic forces taken implicitly: LU with a unit lower factor.
    /// Without pivoting, as the symmetric part is positive definite.
    General,
}

/// Factors of the blocks of M, or of M − ½Δt ∂h/∂u.
#[derive(Clone, Debug, Default)]
pub(crate) struct MassInverse {
    sizes: Vec<usize>,
    /// First velocity of each block; one more entry than blocks.
    offsets: Vec<usize>,
    /// Where the factor of each block begins.
    starts: Vec<usize>,
    kinds: Vec<Factor>,
    factors: Vec<f64>,
    /// The mass matrix that was factored last: free bodies have a constant one.
    last: Vec<f64>,
}

impl MassInverse {
    /// Takes the sizes of the blocks and makes room.
    pub(crate) fn shape(&mut self, sizes: &[usize]) {
        if self.sizes == sizes {
            return;
        }
        self.sizes = sizes.to_vec();
        self.offsets = vec![0];
        self.starts = vec![];
        let mut start = 0;
        for size in sizes {
            self.offsets.push(self.offsets[self.offsets.len() - 1] + size);
            self.starts.push(start);
            start += size * size;
        }
        self.kinds = vec![Factor::default(); sizes.len()];
        self.factors = vec![0.0; start];
        self.last.clear();
    }

    /// Number of velocities.
    pub(crate) fn dim(&self) -> usize {
        self.offsets.last().copied().unwrap_or(0)
    }

    /// Number of entries of all blocks.
    pub(crate) fn entries(&self) -> usize {
        self.factors.len()
    }

    /// First velocity of a block.
    #[inline]
    pub(crate) fn offset(&self, block: usize) -> usize {
        self.offsets[block]
    }

    /// Size of a block.
    #[inline]
    pub(crate) fn size(&self, block: usize) -> usize {
        self.sizes[block]
    }

    /// Size of all blocks; none if they differ.
    pub(crate) fn common_size(&self) -> Option<usize> {
        let first = *self.sizes.first()?;
        self.sizes.iter().all(|size| *size == first).then_some(first)
    }

    /// Whether the matrix that was factored is symmetric.
    pub(crate) fn is_symmetric(&self) -> bool {
        !self.kinds.contains(&Factor::General)
    }

    /// Number of blocks.
    pub(crate) fn block_count(&self) -> usize {
        self.sizes.len()
    }

    /// Factors M; the index of the first block that is not positive definite is an error.
    pub(crate) fn factor(&mut self, mass: &[f64]) -> Result<(), usize> {
        if is_same(&self.last, mass) {
            return Ok(());
        }
        self.last.clear();
        for block in 0..self.sizes.len() {
            let (n, start) = (self.sizes[block], self.starts[block]);
            let m = &mass[start..start + n * n];
            let l = &mut self.factors[start..start + n * n];
            let pairs = || (0..n).flat_map(|i| (0..i).map(move |j| (i * n + j, j * n + i)));
            let kind = if pairs().all(|(a, b)| m[a] == 0.0 && m[b] == 0.0) {
                Factor::Diagonal
            } else if pairs().all(|(a, b)| m[a] == m[b]) {
                Factor::Symmetric
            } else {
                Factor::General
            };
            self.kinds[block] = kind;
            let positive = match kind {
                Factor::Diagonal => invert_diagonal(n, m, l),
                Factor::Symmetric => cholesky(n, |i, j| m[i * n + j], l),
                Factor::General => definite_lu(n, m, l),
            };
            if !positive {
                return Err(block);
            }
        }
        self.last.extend_from_slice(mass);
        Ok(())
    }

    /// x ← M⁻¹ x for the velocities of one block.
    #[inline]
    pub(crate) fn apply(&self, block: usize, x: &mut [f64]) {
        let (n, start) = (self.sizes[block], self.starts[block]);
        let l = &self.factors[start..start + n * n];
        match self.kinds[block] {
            Factor::Diagonal => {
                // Bodies in the plane.
                if let (3, Some(x), Some(l)) = (n, x.first_chunk_mut::<3>(), l.first_chunk::<3>()) {
                    (0..3).for_each(|k| x[k] *= l[k]);
                    return;
                }
                for (v, inverse) in x.iter_mut().zip(l) {
                    *v *= inverse;
                }
            }
            Factor::Symmetric => cholesky_solve(n, l, x),
            Factor::General => definite_lu_solve(n, l, x),
        }
    }
}

/// Whether all bits agree: without a branch for each number. What was factored has no NaN.
fn is_same(a: &[f64], b: &[f64]) -> bool {
    let different = |(a, b): (&f64, &f64)| a.to_bits() ^ b.to_bits();
    a.len() == b.len() && a.iter().zip(b).map(different).fold(0, |sum, bits| sum | bits) == 0
}

/// out ← M x for the blocks of M, each dense row-major.
pub(crate) fn multiply(sizes: &[usize], mass: &[f64], x: &[f64], out: &mut [f64]) {
    let (mut start, mut first) = (0, 0);
    for &n in sizes {
        for i in 0..n {
            let row = &mass[start + i * n..start + (i + 1) * n];
            out[first + i] = row.iter().zip(&x[first..]).map(|(m, x)| m * x).sum();
        }
        start += n * n;
        first += n;
    }
}

/// The inverse of a diagonal block in the first entries; false if it is not positive.
fn invert_diagonal(n: usize, m: &[f64], out: &mut [f64]) -> bool {
    (0..n).all(|i| {
        out[i] = 1.0 / m[i * n + i];
        m[i * n + i] > 0.0
    })
}
