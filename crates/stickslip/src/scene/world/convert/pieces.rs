//! Polygons that are not convex, divided into convex pieces: ears are cut off, and pieces are joined again
//! across edges that are not needed (Hertel and Mehlhorn 1983). The pieces cover the polygon exactly once, so
//! that their mass is its mass.

/// Most corners of a polygon that is not convex.
const MOST_CORNERS: usize = 1000;

type Point = [f64; 2];

/// Twice the area of a triangle, negative if its corners go round clockwise.
fn turn(a: &Point, b: &Point, c: &Point) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// The convex pieces of a polygon, its corners in either sense; itself if it is convex.
pub(super) fn convex_pieces(points: &[Point]) -> Result<Vec<Vec<Point>>, String> {
    let count = points.len();
    let corner = |k: usize| &points[k % count];
    let area: f64 = (0..count).map(|k| turn(corner(0), corner(k), corner(k + 1))).sum();
    let is_reflex = |k: usize| turn(corner(k), corner(k + 1), corner(k + 2)) * area < 0.0;
    // Rounding, and whether corners lie on one another, is the matter of convex polygons.
    if count < 4 || area == 0.0 || !(0..count).any(is_reflex) {
        return Ok(vec![points.to_vec()]);
    }
    if count > MOST_CORNERS {
        return Err(format!(
            "it has {count} corners; a polygon that is not convex may have at most {MOST_CORNERS}"
        ));
    }
    if let Some([i, j]) = crossing(points) {
        return Err(format!(
            "the edges behind the corners {i} and {j} meet; a polygon must not cross or touch itself"
        ));
    }
    let mut ring: Vec<usize> = (0..count).collect();
    if area < 0.0 {
        ring.reverse();
    }
    let pieces = joined(points, ears(points, ring)?);
    Ok(pieces.into_iter().map(|piece| piece.into_iter().map(|k| points[k]).collect()).collect())
}

/// Two edges that are no neighbours and have a point in common.
fn crossing(points: &[Point]) -> Option<[usize; 2]> {
    let count = points.len();
    let meets = |i: usize, j: usize| {
        let (a, b) = (&points[i], &points[(i + 1) % count]);
        let (c, d) = (&points[j], &points[(j + 1) % count]);
        let (p, q) = (turn(a, b, c), turn(a, b, d));
        let (r, s) = (turn(c, d, a), turn(c, d, b));
        if p == 0.0 && q == 0.0 {
            // On one line: whether they overlap along it.
            return (0..2)
                .all(|k| a[k].min(b[k]) <= c[k].max(d[k]) && c[k].min(d[k]) <= a[k].max(b[k]));
        }
        p * q <= 0.0 && r * s <= 0.0
    };
    let others = |i: usize| (i + 2..count).filter(move |j| (j + 1) % count != i);
    (0..count).find_map(|i| others(i).find(|j| meets(i, *j)).map(|j| [i, j]))
}

/// The triangles of a polygon whose corners `ring` go round counter-clockwise.
fn ears(points: &[Point], mut ring: Vec<usize>) -> Result<Vec<Vec<usize>>, String> {
    let mut triangles = Vec::with_capacity(ring.len());
    while ring.len() > 3 {
        let count = ring.len();
        let corners = |k: usize| [ring[(k + count - 1) % count], ring[k], ring[(k + 1) % count]];
        let is_ear = |k: &usize| {
            let [a, b, c] = corners(*k).map(|number| &points[number]);
            let inside =
                |p: &Point| turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0;
            let others = ring.iter().filter(|number| !corners(*k).contains(number));
            turn(a, b, c) > 0.0 && !others.map(|number| &points[*number]).any(inside)
        };
        let flat = |k: &usize| {
            let [a, b, c] = corners(*k).map(|number| &points[number]);
            turn(a, b, c) == 0.0
        };
        let best = (0..count).find(is_ear);
        if let Some(k) = best {
            triangles.push(corners(k).to_vec());
            ring.remove(k);
        } else if let Some(k) = (0..count).find(flat) {
            ring.remove(k);
        } else {
            return Err("its corners lie too near to its edges to divide it".into());
        }
    }
    if turn(&points[ring[0]], &points[ring[1]], &points[ring[2]]) > 0.0 {
        triangles.push(ring);
    }
    Ok(triangles)
}

/// The pieces joined across common edges as long as they stay convex.
fn joined(points: &[Point], mut pieces: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    let mut first = 0;
    while first < pieces.len() {
        let both = (first + 1..pieces.len())
            .find_map(|other| Some((other, union(points, &pieces[first], &pieces[other])?)));
        match both {
            Some((other, whole)) => {
                pieces[first] = whole;
                pieces.swap_remove(other);
            }
            None => first += 1,
        }
    }
    pieces
}

/// The union of two pieces with a common edge, if it is convex.
fn union(points: &[Point], one: &[usize], other: &[usize]) -> Option<Vec<usize>> {
    let (n, m) = (one.len(), other.len());
    for i in 0..n {
        let edge = (one[i], one[(i + 1) % n]);
        let Some(j) = (0..m).find(|j| (other[(j + 1) % m], other[*j]) == edge) else { continue };
        // From the end of the edge around the first, then around the second.
        let mut whole: Vec<usize> = (1..=n).map(|k| one[(i + k) % n]).collect();
        whole.extend((2..m).map(|k| other[(j + k) % m]));
        let count = whole.len();
        let at = |k: usize| &points[whole[k % count]];
        let is_convex = (0..count).all(|k| turn(at(k), at(k + 1), at(k + 2)) >= 0.0);
        return is_convex.then_some(whole);
    }
    None
}
