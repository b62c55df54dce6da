//! Units of columns, by their names.

/// The unit of a column, as the tables of docs/user-guide.md say; empty if it has none or is not
/// known. A name may stand behind that of its body, as in `box.x`.
pub fn unit(column: &str) -> &'static str {
    let name = column.rsplit('.').next().unwrap_or(column);
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
    // Of a body it turns, of the belt oscillator (without bodies) it is a speed.
    if name == "w" && column.contains('.') {
        return "rad/s";
    }
    match name {
        "x" | "y" | "z" | "p" | "px" | "py" | "pz" | "slider_x" | "slider_y" | "gap" => "m",
        "theta" | "phi" | "psi" | "alpha" | "beta" | "gamma" | "angle" => "rad",
        "spin" | "omega" | "wx" | "wy" | "wz" => "rad/s",
        "v" | "vx" | "vy" | "vz" | "w" | "slip" => "m/s",
        "f" | "fx" | "fy" | "fz" | "n" | "force" => "N",
        _ if name.starts_with("omega_") || name.ends_with("_dot") => "rad/s",
        _ if is_numbered(name, 'p') => "m",
        _ if is_numbered(name, 'v') => "m/s",
        _ => "",
    }
}

/// Names such as `p1x`: a letter, a number, an axis.
fn is_numbered(name: &str, letter: char) -> bool {
    let mut chars = name.chars();
    chars.next() == Some(letter)
        && matches!(chars.next_back(), Some('x' | 'y' | 'z'))
        && chars.clone().count() > 0
        && chars.all(|c| c.is_ascii_digit())
}
