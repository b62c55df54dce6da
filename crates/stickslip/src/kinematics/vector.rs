//! Vectors and matrices of three-dimensional space.

/// A vector by its components in some frame.
pub type Vector3 = [f64; 3];

/// A 3×3 matrix by rows.
pub type Matrix3 = [[f64; 3]; 3];

/// First axis.
pub const E_X: Vector3 = [1.0, 0.0, 0.0];
/// Second axis.
pub const E_Y: Vector3 = [0.0, 1.0, 0.0];
/// Third axis: upwards in the inertial frame, the axis of revolution in a body.
pub const E_Z: Vector3 = [0.0, 0.0, 1.0];

/// Scalar product a·b.
pub fn dot(a: &Vector3, b: &Vector3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Vector product a×b.
pub fn cross(a: &Vector3, b: &Vector3) -> Vector3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Sum a + b.
pub fn add(a: &Vector3, b: &Vector3) -> Vector3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// Difference a − b.
pub fn sub(a: &Vector3, b: &Vector3) -> Vector3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Multiple s·a.
pub fn scale(s: f64, a: &Vector3) -> Vector3 {
    [s * a[0], s * a[1], s * a[2]]
}

/// Length |a|, without overflow or loss of digits on the way.
pub fn norm(a: &Vector3) -> f64 {
    let square = dot(a, a);
    // Squares of what is smaller than this are still normal numbers.
    if (1e-280..1e280).contains(&square) { square.sqrt() } else { a[0].hypot(a[1]).hypot(a[2]) }
}

/// Product A·b.
pub fn apply(a: &Matrix3, b: &Vector3) -> Vector3 {
    [dot(&a[0], b), dot(&a[1], b), dot(&a[2], b)]
}

/// Product Aᵀ·b.
pub fn apply_transposed(a: &Matrix3, b: &Vector3) -> Vector3 {
    [
        a[0][0] * b[0] + a[1][0] * b[1] + a[2][0] * b[2],
        a[0][1] * b[0] + a[1][1] * b[1] + a[2][1] * b[2],
        a[0][2] * b[0] + a[1][2] * b[1] + a[2][2] * b[2],
    ]
}

/// Product A·B.
pub fn multiply(a: &Matrix3, b: &Matrix3) -> Matrix3 {
    let mut out = [[0.0; 3]; 3];
    for (row, out) in a.iter().zip(&mut out) {
        *out = apply_transposed(b, row);
    }
    out
}
