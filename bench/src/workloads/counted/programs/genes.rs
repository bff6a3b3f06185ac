//! DNA is read as genes: in each frame, the codons from a start to a stop, three letters each.
//!
//! A codon owns, with others, its part of the text and the name of what it stands for.

use super::Ptr;
use super::slice::Slice;

/// Three letters and what they stand for.
#[derive(Clone)]
pub(super) struct Codon {
    pub(super) letters: Slice,
    pub(super) name: Ptr<str>,
}

/// Where a gene begins.
const START: &[u8] = b"atg";

/// Where genes end.
const STOP: &str = "stop";

/// The amino acids (or stop) of the codons, in the order of `t`, `c`, `a`, `g` at each place.
const NAMES: [&str; 64] = [
    "Phe", "Phe", "Leu", "Leu", "Ser", "Ser", "Ser", "Ser", "Tyr", "Tyr", STOP, STOP, "Cys", "Cys",
    STOP, "Trp", "Leu", "Leu", "Leu", "Leu", "Pro", "Pro", "Pro", "Pro", "His", "His", "Gln",
    "Gln", "Arg", "Arg", "Arg", "Arg", "Ile", "Ile", "Ile", "Met", "Thr", "Thr", "Thr", "Thr",
    "Asn", "Asn", "Lys", "Lys", "Ser", "Ser", "Arg", "Arg", "Val", "Val", "Val", "Val", "Ala",
    "Ala", "Ala", "Ala", "Asp", "Asp", "Glu", "Glu", "Gly", "Gly", "Gly", "Gly",
];

/// What a letter counts in the number of a codon; letters that may be several lead beyond all
/// names.
const DIGITS: [usize; 256] = {
    let mut digits = [NAMES.len(); 256];
    digits[b't' as usize] = 0;
    digits[b'c' as usize] = 1;
    digits[b'a' as usize] = 2;
    digits[b'g' as usize] = 3;
    digits
};

/// The names, each text once for each codon.
pub(super) struct Code {
    names: Vec<Ptr<str>>,
    /// For letters that may be several.
    unknown: Ptr<str>,
}

impl Code {
    pub(super) fn new() -> Code {
        Code {
            names: NAMES.map(Ptr::from).to_vec(),
            unknown: Ptr::from("?"),
        }
    }

    fn codon(&self, letters: Slice) -> Codon {
        let digits = letters
            .bytes()
            .iter()
            .map(|letter| DIGITS[usize::from(*letter)]);
        let number = digits.fold(0, |sum, digit| sum * 4 + digit);
        let name = self.names.get(number).unwrap_or(&self.unknown);
        Codon {
            letters,
            name: name.clone(),
        }
    }

    /// The longest gene that begins at the place `frame` or a multiple of three behind it.
    pub(super) fn longest(&self, text: &Slice, frame: usize) -> Vec<Codon> {
        let (mut longest, mut gene) = (Vec::new(), Vec::new());
        for at in (frame..text.len().saturating_sub(2)).step_by(3) {
            let codon = self.codon(text.part(at, at + 3));
            if gene.is_empty() && codon.letters.bytes() != START {
                continue;
            }
            let is_end = *codon.name == *STOP;
            gene.push(codon);
            if is_end {
                if gene.len() > longest.len() {
                    longest.clone_from(&gene);
                }
                gene.clear();
            }
        }
        longest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str, frame: usize) -> Vec<String> {
        let gene = Code::new().longest(&Slice::whole(text), frame);
        gene.iter().map(|it| it.name.to_string()).collect()
    }

    #[test]
    fn a_gene_goes_from_start_to_stop() {
        let text = "ccatgtagcatgaaaBggtga";
        assert_eq!(names(text, 0), ["Met", "Lys", "?", "stop"]);
        assert_eq!(names(text, 2), ["Met", "stop"]);
        assert!(names(text, 1).is_empty());
        assert!(names("at", 0).is_empty());
    }
}
