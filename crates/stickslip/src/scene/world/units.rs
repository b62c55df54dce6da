//! Numbers with units: `"3 mm"`, `"150 rad/s"`, `"9.81 m/s^2"`.
//!
//! Small and strict: a number, then units with whole exponents joined by spaces, `*` or `/`. Every
//! quantity has a dimension over (m, kg, s, rad), and one is never taken for another: an angle
//! where a length is wanted is an error. The angle counts as a dimension of its own, so that a
//! frequency is not taken for an angular velocity.

use std::f64::consts::PI;

/// Exponents of m, kg, s and rad.
type Exponents = [i32; 4];

/// What a value measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The SI unit in which plain numbers count.
    pub symbol: &'static str,
    /// What is measured, with its article.
    pub quantity: &'static str,
    exponents: Exponents,
}

impl Unit {
    /// Its exponents of m, kg, s and rad.
    pub(crate) fn powers(&self) -> [f64; 4] {
        self.exponents.map(f64::from)
    }
}

macro_rules! quantities {
    ($($name:ident = $symbol:literal, $quantity:literal, $exponents:expr;)*) => {
        $(
            #[doc = concat!(stringify!($name), " in ", $symbol, ".")]
            pub const $name: Unit =
                Unit { symbol: $symbol, quantity: $quantity, exponents: $exponents };
        )*
        /// All quantities that scenes know.
        pub const ALL: &[Unit] = &[$($name),*];
    };
}

quantities! {
    NUMBER = "1", "a number without unit", [0, 0, 0, 0];
    LENGTH = "m", "a length", [1, 0, 0, 0];
    MASS = "kg", "a mass", [0, 1, 0, 0];
    TIME = "s", "a time", [0, 0, 1, 0];
    ANGLE = "rad", "an angle", [0, 0, 0, 1];
    VELOCITY = "m/s", "a velocity", [1, 0, -1, 0];
    ANGULAR_VELOCITY = "rad/s", "an angular velocity", [0, 0, -1, 1];
    ACCELERATION = "m/s²", "an acceleration", [1, 0, -2, 0];
    FORCE = "N", "a force", [1, 1, -2, 0];
    MOMENT = "N m", "a moment", [2, 1, -2, 0];
    ENERGY = "J", "an energy", [2, 1, -2, 0];
    INERTIA = "kg m²", "a moment of inertia", [2, 1, 0, 0];
    DENSITY = "kg/m³", "a density", [-3, 1, 0, 0];
    AREA_DENSITY = "kg/m²", "a density per area", [-2, 1, 0, 0];
    STIFFNESS = "N/m", "a stiffness", [0, 1, -2, 0];
    ANGULAR_STIFFNESS = "N m/rad", "an angular stiffness", [2, 1, -2, -1];
    DAMPING = "N s/m", "a damping", [0, 1, -1, 0];
    ANGULAR_DAMPING = "N m s/rad", "an angular damping", [2, 1, -1, -1];
    SLOWNESS = "s/m", "a time per length", [-1, 0, 1, 0];
    FREQUENCY = "Hz", "a frequency", [0, 0, -1, 0];
}

/// Units by name: factor to SI, exponents of m, kg, s, rad.
const NAMES: &[(&str, f64, Exponents)] = &[
    ("m", 1.0, [1, 0, 0, 0]),
    ("km", 1e3, [1, 0, 0, 0]),
    ("dm", 1e-1, [1, 0, 0, 0]),
    ("cm", 1e-2, [1, 0, 0, 0]),
    ("mm", 1e-3, [1, 0, 0, 0]),
    ("um", 1e-6, [1, 0, 0, 0]),
    ("µm", 1e-6, [1, 0, 0, 0]),
    ("nm", 1e-9, [1, 0, 0, 0]),
    ("in", 0.0254, [1, 0, 0, 0]),
    ("ft", 0.3048, [1, 0, 0, 0]),
    ("kg", 1.0, [0, 1, 0, 0]),
    ("g", 1e-3, [0, 1, 0, 0]),
    ("mg", 1e-6, [0, 1, 0, 0]),
    ("t", 1e3, [0, 1, 0, 0]),
    ("s", 1.0, [0, 0, 1, 0]),
    ("ms", 1e-3, [0, 0, 1, 0]),
    ("us", 1e-6, [0, 0, 1, 0]),
    ("µs", 1e-6, [0, 0, 1, 0]),
    ("min", 60.0, [0, 0, 1, 0]),
    ("h", 3600.0, [0, 0, 1, 0]),
    ("rad", 1.0, [0, 0, 0, 1]),
    ("mrad", 1e-3, [0, 0, 0, 1]),
    ("deg", PI / 180.0, [0, 0, 0, 1]),
    ("°", PI / 180.0, [0, 0, 0, 1]),
    ("rev", 2.0 * PI, [0, 0, 0, 1]),
    ("rpm", PI / 30.0, [0, 0, -1, 1]),
    ("Hz", 1.0, [0, 0, -1, 0]),
    ("N", 1.0, [1, 1, -2, 0]),
    ("mN", 1e-3, [1, 1, -2, 0]),
    ("kN", 1e3, [1, 1, -2, 0]),
    ("MN", 1e6, [1, 1, -2, 0]),
    ("J", 1.0, [2, 1, -2, 0]),
];

/// Most characters of a number with unit.
const MOST_CHARACTERS: usize = 100;

/// Value in SI units of a number with unit; otherwise a phrase that says what is wrong with it.
pub fn parse(text: &str, wanted: &Unit) -> Result<f64, String> {
    let (number, unit) = split(text).ok_or_else(|| {
        format!(
            "it must be {} ({}), as a number or in quotes with a unit",
            wanted.quantity, wanted.symbol
        )
    })?;
    if unit.is_empty() {
        return Err(format!(
            "it has no unit; write a plain number for {}, without quotes, or add a unit",
            wanted.symbol
        ));
    }
    let (factor, exponents) = unit_value(unit)?;
    if exponents != wanted.exponents {
        let is = phrase(&exponents.map(f64::from));
        return Err(format!("it is {is}, but must be {} ({})", wanted.quantity, wanted.symbol));
    }
    Ok(number * factor)
}

/// Whether the text is a number with a known unit, whatever it measures.
pub fn is_quantity(text: &str) -> bool {
    quantity(text).is_some()
}

/// Value in SI units and exponents of m, kg, s and rad of a number with a known unit.
pub(crate) fn quantity(text: &str) -> Option<(f64, [i32; 4])> {
    let (number, unit) = split(text)?;
    let (factor, exponents) = unit_value(unit).ok()?;
    Some((number * factor, exponents))
}

/// Whether the text is a number without unit.
pub(crate) fn is_number(text: &str) -> bool {
    split(text).is_some_and(|(_, unit)| unit.is_empty())
}

/// The number in front, and the rest without surrounding spaces.
pub(crate) fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    if text.len() > MOST_CHARACTERS {
        return None;
    }
    let end = number_length(text);
    let number: f64 = text[..end].parse().ok()?;
    Some((number, text[end..].trim()))
}

/// Bytes of the number in front of a text.
pub(crate) fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        from + bytes.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count()
    };
    let sign = |at: usize| at + usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
    let mut end = digits(sign(0));
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let start = sign(end + 1);
        if digits(start) > start {
            end = digits(start);
        }
    }
    end
}

/// Factor to SI and exponents of a product of units.
pub(crate) fn unit_value(text: &str) -> Result<(f64, [i32; 4]), String> {
    let (factor, exponents, length) = unit_in_front(text, &|_| false)?;
    match text[length..].trim() {
        "" => Ok((factor, exponents)),
        rest => Err(format!("{rest:?} is not a unit; {}", known_units())),
    }
}

/// Factor to SI, exponents and bytes of the product of units in front of a text. Behind a blank
/// stands a unit; behind `*` and `/` too, unless `is_name` knows what follows as something else.
pub(crate) fn unit_in_front(
    text: &str,
    is_name: &dyn Fn(&str) -> bool,
) -> Result<(f64, [i32; 4], usize), String> {
    let (mut factor, mut exponents) = (1.0_f64, [0_i32; 4]);
    let mut rest = text.trim_start();
    let mut sign = 1;
    loop {
        let name = name_in_front(rest);
        let Some((_, size, dimensions)) = find(name) else {
            let what = if name.is_empty() { text } else { name };
            return Err(format!("{what:?} is not a unit; {}", known_units()));
        };
        let (power, after) = power(&rest[name.len()..]);
        let power = power.ok_or_else(|| {
            format!("{text:?} has an exponent that is not a whole number from -9 to 9")
        })?;
        factor *= size.powi(sign * power);
        for (sum, dimension) in exponents.iter_mut().zip(dimensions) {
            *sum += sign * power * dimension;
        }
        let end = text.len() - after.len();
        let joint = after.trim_start();
        let behind = joint.strip_prefix(['/', '*', '·']).unwrap_or(joint);
        let next = behind.trim_start();
        let name = name_in_front(next);
        let has_sign = behind.len() < joint.len();
        let goes_on = match has_sign {
            true => find(name).is_some() && !is_name(name),
            false => !name.is_empty() && !matches!(name, "and" | "or"),
        };
        if !goes_on {
            return Ok((factor, exponents, end));
        }
        sign = if joint.starts_with('/') { -1 } else { 1 };
        rest = next;
    }
}

/// The word of letters in front of a text; empty if it is part of a longer name such as `s2`.
fn name_in_front(text: &str) -> &str {
    let is_letter = |c: char| c.is_alphabetic() || c == '°';
    let name = &text[..text.find(|c| !is_letter(c)).unwrap_or(text.len())];
    let is_part = text[name.len()..].starts_with(|c: char| c.is_ascii_digit() || c == '_');
    if is_part { "" } else { name }
}

fn find(name: &str) -> Option<&'static (&'static str, f64, Exponents)> {
    NAMES.iter().find(|(known, ..)| *known == name.replace('μ', "µ"))
}

/// An exponent `^2`, `²` or none; nothing if it is not from -9 to 9.
fn power(text: &str) -> (Option<i32>, &str) {
    for (symbol, power) in [("²", 2), ("³", 3)] {
        if let Some(rest) = text.strip_prefix(symbol) {
            return (Some(power), rest);
        }
    }
    let Some(rest) = text.strip_prefix('^') else {
        return (Some(1), text);
    };
    let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '-')).unwrap_or(rest.len());
    let power = rest[..end].parse::<i32>().ok().filter(|p| (-9..=9).contains(p) && *p != 0);
    (power, &rest[end..])
}

fn known_units() -> String {
    let names: Vec<&str> = NAMES.iter().map(|(name, ..)| *name).collect();
    format!("known are {}", names.join(", "))
}

/// What has these exponents of m, kg, s and rad, with its article.
pub(crate) fn phrase(powers: &[f64; 4]) -> String {
    match ALL.iter().find(|known| known.powers() == *powers) {
        Some(known) => known.quantity.to_owned(),
        None => format!("in {}", base_units(powers)),
    }
}

/// The SI unit with these exponents.
pub(crate) fn symbol(powers: &[f64; 4]) -> String {
    match ALL.iter().find(|known| known.powers() == *powers) {
        Some(known) => known.symbol.to_owned(),
        None => base_units(powers),
    }
}

fn base_units(powers: &[f64; 4]) -> String {
    let shown = ["m", "kg", "s", "rad"].iter().zip(powers).filter(|(_, power)| **power != 0.0);
    let parts: Vec<String> = shown
        .map(|(name, power)| if *power == 1.0 { (*name).into() } else { format!("{name}^{power}") })
        .collect();
    parts.join(" ")
}
