//! The means of the programs.

use super::line::Line;

/// The programs in the sources of the paper on snapshots, under our names. It measures 18 of these
/// 20, and its text does not say which; our other programs are variants of these.
const OF_THE_PAPER: [&str; 20] = [
    "pingpong",
    "count",
    "fjthrput",
    "fjcreate",
    "threadring",
    "chameneos10",
    "big",
    "concdict",
    "concsll",
    "bndbuffer",
    "philosopher",
    "barber",
    "cigsmok",
    "logmap",
    "banking",
    "radixsort",
    "uct",
    "trapezoid",
    "astar",
    "nqueenk",
];
/// The number of programs that the paper measures.
const MEASURED_THERE: usize = 18;

/// The geometric mean of ratios.
fn geometric_mean(ratios: &[f64]) -> f64 {
    let logarithms = ratios.iter().map(|it| it.ln()).sum::<f64>();
    (logarithms / ratios.len() as f64).exp()
}

/// The geometric means and the worst ratio of the programs with all of their snapshots. The mean of
/// the paper's programs with the highest ratios is at least that of any others of their number.
pub(super) fn summary(lines: &[Line]) -> String {
    let mut complete: Vec<&Line> = lines.iter().filter(|it| it.is_complete()).collect();
    complete.sort_by(|a, b| b.ratio.total_cmp(&a.ratio));
    let left_out = lines.iter().filter(|it| !it.is_complete());
    let left_out: Vec<&str> = left_out.map(|it| it.program).collect();
    let ratios: Vec<f64> = complete.iter().map(|it| it.ratio).collect();
    let paper = complete.iter();
    let paper = paper.filter(|it| OF_THE_PAPER.contains(&it.program));
    let paper: Vec<f64> = paper.map(|it| it.ratio).collect();
    let mut text = String::new();
    if let Some(worst) = complete.first() {
        text = format!(
            "{} programs: geometric mean {:.3}, worst {:.3} ({})\n",
            ratios.len(),
            geometric_mean(&ratios),
            worst.ratio,
            worst.program
        );
    }
    if !paper.is_empty() {
        text += &format!(
            "{} of the paper's 20 programs: geometric mean {:.3}",
            paper.len(),
            geometric_mean(&paper),
        );
        if let Some(highest) = paper.get(..MEASURED_THERE) {
            text += &format!(
                "; of any {MEASURED_THERE} of them at most {:.3}",
                geometric_mean(highest)
            );
        }
        text.push('\n');
    }
    if !left_out.is_empty() {
        text += &format!(
            "left out, without all of their snapshots: {}\n",
            left_out.join(", ")
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Bench;

    fn line(program: &'static str, ratio: f64, completed: u64) -> Line {
        Line {
            program,
            ratio,
            requested: 2,
            completed,
            ..Line::default()
        }
    }

    #[test]
    fn a_program_without_all_of_its_snapshots_is_in_no_mean() {
        let lines = [line("a", 1.0, 2), line("b", 4.0, 2), line("c", 0.1, 1)];
        let text = summary(&lines);
        assert!(
            text.contains("2 programs: geometric mean 2.000, worst 4.000 (b)"),
            "{text}"
        );
        assert!(
            text.contains("left out, without all of their snapshots: c"),
            "{text}"
        );
    }

    #[test]
    fn the_mean_of_the_programs_of_the_paper_is_apart() {
        // Two that are not the paper's, and two that its 18 may lack.
        let mut lines = Vec::from(OF_THE_PAPER.map(|name| line(name, 2.0, 2)));
        (lines[3].ratio, lines[7].ratio) = (0.25, 0.5);
        lines.extend([line("a", 8.0, 2), line("b", 1.0, 2)]);
        let (all, paper) = (2_f64.powf(18.0 / 22.0), 2_f64.powf(15.0 / 20.0));
        let text = summary(&lines);
        for part in [
            format!("22 programs: geometric mean {all:.3}, worst 8.000 (a)"),
            format!("20 of the paper's 20 programs: geometric mean {paper:.3}"),
            "; of any 18 of them at most 2.000\n".to_owned(),
        ] {
            assert!(text.contains(&part), "{part} is not in\n{text}");
        }
        assert!(!summary(&lines[..17]).contains("of any"));
        let named = |name: &&str| Bench::named(name).is_some_and(|it| it.saved.is_some());
        assert!(OF_THE_PAPER.iter().all(named));
    }
}
