//! Distances on the globe.

/// The mean radius of the earth, in statute miles.
const EARTH_RADIUS_MILES: f64 = 3958.761;

/// Miles between two points, given in degrees north and east, along the great circle and rounded.
pub(super) fn miles(from: (f64, f64), to: (f64, f64)) -> u32 {
    let (north_from, east_from) = (from.0.to_radians(), from.1.to_radians());
    let (north_to, east_to) = (to.0.to_radians(), to.1.to_radians());
    // The haversine formula keeps its digits for near points, where the cosine rule loses them.
    let half_north = ((north_to - north_from) / 2.0).sin();
    let half_east = ((east_to - east_from) / 2.0).sin();
    let chord = half_north.powi(2) + north_from.cos() * north_to.cos() * half_east.powi(2);
    (2.0 * EARTH_RADIUS_MILES * chord.sqrt().asin()).round() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_of_the_equator_is_a_quarter_of_the_circumference() {
        let quarter = (std::f64::consts::FRAC_PI_2 * EARTH_RADIUS_MILES).round() as u32;
        assert_eq!(miles((0.0, 0.0), (0.0, 90.0)), quarter);
        assert_eq!(miles((90.0, 12.0), (0.0, 90.0)), quarter);
    }

    #[test]
    fn the_date_line_is_no_obstacle() {
        assert_eq!(
            miles((10.0, 179.0), (10.0, -179.0)),
            miles((10.0, 1.0), (10.0, -1.0))
        );
    }
}
