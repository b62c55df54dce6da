//! Cutting off what lies outside the axes.

/// A rectangle: left, top, right, bottom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rectangle {
    /// Left edge.
    pub left: f64,
    /// Upper edge.
    pub top: f64,
    /// Right edge.
    pub right: f64,
    /// Lower edge.
    pub bottom: f64,
}

type Point = (f64, f64);

impl Rectangle {
    /// Whether the point is inside.
    pub fn contains(&self, p: Point) -> bool {
        p.0 >= self.left && p.0 <= self.right && p.1 >= self.top && p.1 <= self.bottom
    }

    /// The pieces of a line that are inside; a point that is not finite ends a piece.
    pub fn lines(&self, points: &[Point]) -> Vec<Vec<Point>> {
        let mut pieces: Vec<Vec<Point>> = Vec::new();
        for pair in points.windows(2) {
            let Some((a, b)) = self.segment(pair[0], pair[1]) else { continue };
            match pieces.last_mut() {
                Some(piece) if piece.last() == Some(&a) => piece.push(b),
                _ => pieces.push(vec![a, b]),
            }
        }
        pieces
    }

    /// The part of a segment that is inside (Liang and Barsky).
    fn segment(&self, a: Point, b: Point) -> Option<(Point, Point)> {
        if ![a.0, a.1, b.0, b.1].iter().all(|v| v.is_finite()) {
            return None;
        }
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        let edges = [
            (-dx, a.0 - self.left),
            (dx, self.right - a.0),
            (-dy, a.1 - self.top),
            (dy, self.bottom - a.1),
        ];
        for (outwards, distance) in edges {
            if outwards == 0.0 {
                if distance < 0.0 {
                    return None;
                }
            } else if outwards < 0.0 {
                enter = enter.max(distance / outwards);
            } else {
                leave = leave.min(distance / outwards);
            }
        }
        // Ends that are inside stay exactly what they are, so that pieces can be joined.
        let at = |t: f64| match t {
            0.0 => a,
            1.0 => b,
            t => (a.0 + t * dx, a.1 + t * dy),
        };
        (enter <= leave).then(|| (at(enter), at(leave)))
    }

    /// The part of a polygon that is inside (Sutherland and Hodgman); points that are not finite
    /// are left out.
    pub fn polygon(&self, points: &[Point]) -> Vec<Point> {
        let finite = |p: &&Point| p.0.is_finite() && p.1.is_finite();
        let mut polygon: Vec<Point> = points.iter().filter(finite).copied().collect();
        let edges: [&dyn Fn(Point) -> f64; 4] =
            [&|p| p.0 - self.left, &|p| self.right - p.0, &|p| p.1 - self.top, &|p| {
                self.bottom - p.1
            }];
        for inside in edges {
            let mut cut = Vec::with_capacity(polygon.len() + 4);
            for (k, b) in polygon.iter().enumerate() {
                let a = polygon[(k + polygon.len() - 1) % polygon.len()];
                let (da, db) = (inside(a), inside(*b));
                if (da >= 0.0) != (db >= 0.0) {
                    let t = da / (da - db);
                    cut.push((a.0 + t * (b.0 - a.0), a.1 + t * (b.1 - a.1)));
                }
                if db >= 0.0 {
                    cut.push(*b);
                }
            }
            polygon = cut;
        }
        polygon
    }
}
