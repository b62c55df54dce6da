//! Inverse of the block-diagonal mass matrix.

/// Cholesky factors of the blocks of M; a diagonal block is kept as its inverse.
#[derive(Clone, Debug, Default)]
pub(crate) struct MassInverse {
    sizes: Vec<usize>,
    /// First velocity of each block; one more entry than blocks.
    offsets: Vec<usize>,
    /// Where the factor of each block begins.
    starts: Vec<usize>,
    diagonal: Vec<bool>,
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
        self.diagonal = vec![false; sizes.len()];
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

    /// Number of blocks.
    pub(crate) fn block_count(&self) -> usize {
        self.sizes.len()
    }

    /// Factors M; the index of the first block that is not positive definite is an error.
    pub(crate) fn factor(&mut self, mass: &[f64]) -> Result<(), usize> {
        if self.last == mass {
            return Ok(());
        }
        self.last.clear();
        for block in 0..self.sizes.len() {
            let (n, start) = (self.sizes[block], self.starts[block]);
            let m = &mass[start..start + n * n];
            let l = &mut self.factors[start..start + n * n];
            let off_diagonal = (0..n).any(|i| (0..n).any(|j| i != j && m[i * n + j] != 0.0));
            self.diagonal[block] = !off_diagonal;
            for i in 0..n {
                if off_diagonal {
                    for j in 0..=i {
                        let mut sum = m[i * n + j];
                        for k in 0..j {
                            sum -= l[i * n + k] * l[j * n + k];
                        }
                        if i == j {
                            if sum.is_nan() || sum <= 0.0 {
                                return Err(block);
                            }
                            l[i * n + i] = sum.sqrt();
                        } else {
                            l[i * n + j] = sum / l[j * n + j];
                        }
                    }
                } else {
                    let value = m[i * n + i];
                    if value.is_nan() || value <= 0.0 {
                        return Err(block);
                    }
                    l[i] = 1.0 / value;
                }
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
        if self.diagonal[block] {
            for (v, inverse) in x.iter_mut().zip(l) {
                *v *= inverse;
            }
            return;
        }
        for i in 0..n {
            let mut sum = x[i];
            for k in 0..i {
                sum -= l[i * n + k] * x[k];
            }
            x[i] = sum / l[i * n + i];
        }
        for i in (0..n).rev() {
            let mut sum = x[i];
            for k in i + 1..n {
                sum -= l[k * n + i] * x[k];
            }
            x[i] = sum / l[i * n + i];
        }
    }
}
