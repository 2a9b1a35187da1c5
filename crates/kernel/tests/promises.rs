//! Structures over abstract states that leave runs out: by fairness, by ranking functions, or because nothing is told. Each forged
//! certificate says something false of a program, and one rule is in its way; where that rule is met the same certificate is right.

use tertium_base::Budget;
use tertium_evidence::abstraction::{AbstractState, Abstraction, Rank, RankedSet, Structure};
use tertium_evidence::{Certificate, CertificatePlace, Choice, Claim, Deadlock, Proof, read_document, write_structure};
use tertium_kernel::obligations::ProofObligations;
use tertium_kernel::programs::question::{Settings, Subject};
use tertium_kernel::programs::{certify_loaded, certify_run, frame_for, lines};
use tertium_kernel::solve::Decider;
use tertium_kernel::{Finding, Request};
use tertium_load::ProgramFile;
use tertium_load::program::{Extras, from_text_with};
use tertium_load::sizes::asked_of;
use tertium_logic::{Formula, Node};
use tertium_model::StateId;

fn program(text: &str) -> ProgramFile {
    let extras = Extras::default();
    from_text_with("promises.gcl", text.to_owned(), &[], None, &extras).unwrap_or_else(|why| panic!("{why:?}\n{text}"))
}

/// Abstract states from the locations of the processes and the values of the kept cells.
fn over(cells: &[&str], states: &[(&[u32], &[i64])]) -> Abstraction {
    let state = |&(at, values): &(&[u32], &[i64])| AbstractState {
        at: at.iter().copied().map(Some).collect(),
        values: values.to_vec(),
        cube: Vec::new(),
    };
    let cells = cells.iter().map(|&cell| cell.to_owned()).collect();
    Abstraction { cells, states: states.iter().map(state).collect(), ..Abstraction::default() }
}

/// One row of labels for each word of `T` and `F`.
fn labels(rows: &str) -> Vec<Vec<Option<bool>>> {
    rows.split(' ').map(|row| row.chars().map(|mark| Some(mark == 'T')).collect()).collect()
}

fn rank(term: &str, decreasing: &[(u32, u32, u32)], non_increasing: &[(u32, u32, u32)]) -> Rank {
    Rank { terms: vec![term.to_owned()], decreasing: decreasing.to_vec(), non_increasing: non_increasing.to_vec() }
}

/// A certificate of the property `asked`, at the first abstract state.
struct Forged<'a> {
    text: &'a str,
    over: Abstraction,
    structure: Structure,
    deadlock: Option<Deadlock>,
    value: bool,
    proof: fn(&Formula) -> Proof,
}

fn no_path(_: &Formula) -> Proof {
    Proof::NoPath
}

impl Forged<'_> {
    /// Why the kernel does not accept it; none if it does.
    fn refusal(&self) -> Option<String> {
        let file = program(self.text);
        let asked = asked_of(&file, "asked").expect("it has this property");
        let settings = Settings { deadlock: self.deadlock, ..Settings::default() };
        let subject = Subject::of(&file, &asked, settings).expect("a property can be asked");
        let budget = Budget::unlimited();
        let mut writer = ProofObligations::new(&file.program, &self.over, lines(&file), &budget)
            .unwrap_or_else(|why| panic!("{why:?}"));
        let formula = subject.formula();
        let proof = (self.proof)(formula);
        let frame = frame_for(&subject, matches!(proof, Proof::Claims(_)));
        let model = match writer.sketch(&self.structure, &subject.atoms(), frame) {
            Ok(model) => model,
            Err(why) => return Some(why.0),
        };
        let certificate = Certificate {
            formula: formula.text(),
            logic: formula.logic(),
            reading: subject.reading,
            state: StateId::new(0),
            value: self.value.into(),
            proof,
        };
        let source = match &asked {
            tertium_load::questions::Question::Property(asked) => asked.source.clone(),
            _ => unreachable!("a property was asked for"),
        };
        let place = CertificatePlace::Property { text: source, stutter: subject.frame.stutter, fair: false };
        let mut written = Vec::new();
        write_structure(&mut written, (&self.over, &self.structure), &[(place, &model, &certificate)])
            .expect("memory can be written");
        let written = String::from_utf8(written).expect("it is text");
        let document = read_document(&written).unwrap_or_else(|why| panic!("{why:?}\n{written}"));
        let request = Request { only: vec!["asked".to_owned()], deadlock: self.deadlock, ..Request::default() };
        let found = certify_loaded(&file, (&document, &written), &request, &Decider::default(), &budget);
        refusal(&found.unwrap_or_else(|why| panic!("{why:?}")))
    }

    #[track_caller]
    fn refused(&self, words: &str) {
        let why = self.refusal().unwrap_or_else(|| panic!("accepted, though it is not so\n{}", self.text));
        assert!(why.contains(words), "`{why}` does not say `{words}`");
    }

    #[track_caller]
    fn accepted(&self) {
        assert_eq!(self.refusal(), None, "{}", self.text);
    }
}

/// Why the one question that was asked is not proved.
fn refusal(found: &[Finding]) -> Option<String> {
    let [finding] = found else { panic!("one question was asked: {found:?}") };
    (!finding.is_proved()).then(|| finding.refusal().unwrap_or_default().to_owned())
}

/// `Q` is able to step again and again, and unable again and again.
fn blinking(fairness: &str) -> String {
    format!(
        "system blinking\nvar b : bool = false\nvar x : 0..1 = 0\nprocess P {{ loop {{ b := !b }} }}\n\
         process Q {{ when b do x := 1 }}\n{fairness}\nproperty asked : ltl F x = 1\n"
    )
}

#[test]
fn strong_fairness_is_that_of_the_program() {
    let forged = |text: &str| {
        Forged {
            text,
            over: over(&["b", "x"], &[(&[0, 0], &[0, 0]), (&[0, 0], &[1, 0]), (&[0, 1], &[0, 1]), (&[0, 1], &[1, 1])]),
            structure: Structure {
                initial: vec![0],
                labels: labels("F F T T"),
                steps: vec![(0, 0, vec![1]), (1, 0, vec![0]), (1, 1, vec![3]), (2, 0, vec![3]), (3, 0, vec![2])],
                able: vec![(1, vec![1])],
                strong: vec![1],
                ..Structure::default()
            },
            deadlock: None,
            value: true,
            proof: no_path,
        }
        .refusal()
    };
    assert_eq!(forged(&blinking("strong fair Q")), None);
    for weaker in ["fair Q", "", "strong fair P"] {
        let why = forged(&blinking(weaker)).unwrap_or_else(|| panic!("accepted with `{weaker}`"));
        assert!(why.contains("strong fairness"), "{weaker}: {why}");
    }
}

/// A loop on which a process is unable to step somewhere is fair to it if it is treated weakly fairly, and only then.
#[test]
fn a_run_is_fair_as_the_program_says() {
    let state = |b: bool| format!("{{\"b\": {b}, \"x\": {{\"#bigint\": \"0\"}}, \"P@\": \"#0\", \"Q@\": \"#0\"}}");
    let run = format!("{{\"states\": [{}, {}], \"loop\": 0}}", state(false), state(true));
    let shown = |fairness: &str| {
        let request = Request { only: vec!["asked".to_owned()], ..Request::default() };
        let found = certify_run(&program(&blinking(fairness)), &run, &request, &Budget::unlimited());
        refusal(&found.unwrap_or_else(|why| panic!("{why:?}")))
    };
    assert_eq!(shown("fair Q"), None);
    let why = shown("strong fair Q").expect("the run is not strongly fair to Q");
    assert!(why.contains("not fair"), "{why}");
}

#[test]
fn anything_may_follow_where_nothing_is_told() {
    let structure = Structure { initial: vec![0], labels: labels("T"), untold: vec![0], ..Structure::default() };
    let forged = Forged {
        text: "system untold\nvar x : 0..1 = 0\nprocess P { x := 1 }\nproperty asked : ltl G x = 0\n",
        over: over(&["x"], &[(&[0], &[0])]),
        structure,
        deadlock: None,
        value: true,
        proof: no_path,
    };
    forged.refused("refutes");
    let text = &forged.text.replace("G x = 0", "x = 0");
    Forged { text, ..forged }.accepted();
}

/// A step of another process counts for the fairness of one only if that one cannot step there.
#[test]
fn a_step_of_another_process_is_not_fair_to_one_that_is_able() {
    let forged = |text: &str| {
        Forged {
            text,
            over: over(&["x"], &[(&[0, 0], &[0]), (&[0, 1], &[1])]),
            structure: Structure {
                initial: vec![0],
                labels: labels("F T"),
                steps: vec![(0, 0, vec![0]), (0, 1, vec![1]), (1, 0, vec![1])],
                certain: vec![(0, Some(0), vec![0])],
                ..Structure::default()
            },
            deadlock: None,
            value: false,
            proof: |_| Proof::Lasso { stem: Vec::new(), cycle: vec![StateId::new(0)] },
        }
        .refusal()
    };
    let text = "system other\nvar x : 0..1 = 0\nprocess P { loop { skip } }\nprocess Q { x := 1 }\nfair Q\n\
                property asked : ltl F x = 1\n";
    let why = forged(text).expect("Q steps at last");
    assert!(why.contains("fairness constraint"), "{why}");
    assert_eq!(forged(&text.replace("fair Q\n", "")), None);
}

/// What falls for ever below zero ends nothing.
#[test]
fn a_ranking_function_is_bounded() {
    let mut below = over(&[], &[(&[0], &[])]);
    below.always = vec!["(<= x 0)".to_owned()];
    let structure = Structure {
        initial: vec![0],
        labels: labels("F"),
        steps: vec![(0, 0, vec![0])],
        ranks: vec![rank("x", &[(0, 0, 0)], &[])],
        ..Structure::default()
    };
    let forged = Forged {
        text: "system below\nvar x : int = 0\nprocess P { loop { x := x - 1 } }\nproperty asked : ltl F x = 9\n",
        over: below,
        structure,
        deadlock: None,
        value: true,
        proof: no_path,
    };
    forged.refused("smaller");
}

/// A rank that rises again may fall again and again.
#[test]
fn steps_that_may_raise_a_rank_count() {
    let forged = |property: &str| {
        let text = format!(
            "system again\nvar x : 0..1 = 0\nprocess P {{ loop {{ x := 1 - x }} }}\nproperty asked : ltl {property}\n"
        );
        Forged {
            text: &text,
            over: over(&["x"], &[(&[0], &[0]), (&[0], &[1])]),
            structure: Structure {
                initial: vec![0],
                labels: labels("F T"),
                steps: vec![(0, 0, vec![1]), (1, 0, vec![0])],
                ranks: vec![rank("x", &[(1, 0, 0)], &[])],
                ..Structure::default()
            },
            deadlock: None,
            value: true,
            proof: no_path,
        }
        .refusal()
    };
    let why = forged("F G x = 1").expect("it alternates for ever");
    assert!(why.contains("refutes"), "{why}");
    assert_eq!(forged("G F x = 1"), None);
}

/// `x` may stay 1 for ever, and may fall at any time: no state of that run is one from which it stays on all runs. A promise leaves the
/// fall out once a run has decided never to take it, as if nobody could take it any more.
#[test]
fn promises_show_what_is_true_of_every_run_alone() {
    let forged = |property: &str, proof: fn(&Formula) -> Proof| {
        let text = format!(
            "system may_fall\nvar x : 0..1 = 1\nprocess P {{ loop {{ skip }} }}\n\
             process Q {{ loop {{ when x > 0 do x := x - 1 }} }}\nproperty asked : {property}\n"
        );
        Forged {
            text: &text,
            over: over(&["x"], &[(&[0, 0], &[1]), (&[0, 0], &[0])]),
            structure: Structure {
                initial: vec![0],
                labels: labels("FT TF"),
                steps: vec![(0, 0, vec![0]), (0, 1, vec![1]), (1, 0, vec![1])],
                ranks: vec![rank("x", &[(0, 1, 1)], &[(0, 0, 0), (1, 0, 1)])],
                ..Structure::default()
            },
            deadlock: None,
            value: true,
            proof,
        }
        .refusal()
    };
    let why = forged("ctl* AF (AG x = 0 || AG x = 1)", |formula| {
        let at = |numbers: &[usize]| numbers.iter().map(|&number| StateId::new(number)).collect();
        let quantified = formula.node_ids().filter(|&node| matches!(formula.node(node), Node::All(_)));
        // Where claims speak of a structure nothing is drawn twice; labels know nothing of ranks.
        let held = [at(&[1]), at(&[]), at(&[0])];
        Proof::Labels(quantified.zip(held).map(|(node, held)| (node, held, Vec::new())).collect())
    });
    let why = why.expect("x may fall at any time");
    assert!(why.contains("known to claims only"), "{why}");
    assert_eq!(forged("ltl F (G x = 0 || G x = 1)", no_path), None);
}

/// A run that ends does nothing again and again, and counts all the same.
#[test]
fn promises_do_not_leave_out_runs_that_end() {
    let forged = |deadlock: Option<Deadlock>, property: &str| {
        let text = format!("system ends\nvar x : 0..1 = 0\nprocess P {{ x := 1 }}\nproperty asked : ltl {property}\n");
        Forged {
            text: &text,
            over: over(&["x"], &[(&[0], &[0]), (&[1], &[1])]),
            structure: Structure {
                initial: vec![0],
                labels: labels("T F"),
                steps: vec![(0, 0, vec![1])],
                stops: if deadlock.is_none() { vec![1] } else { Vec::new() },
                ranks: vec![rank("x", &[], &[])],
                ..Structure::default()
            },
            deadlock,
            value: true,
            proof: no_path,
        }
        .refusal()
    };
    let why = forged(Some(Deadlock::Maximal), "G x = 0").expect("x becomes 1");
    assert!(why.contains("needs runs that end to stay"), "{why}");
    assert!(forged(None, "G x = 0").is_some_and(|why| why.contains("refutes")));
    assert_eq!(forged(None, "x = 0"), None);
}

/// Of several integers a later one may decrease only where no earlier one increases: else two of them decrease in turn, for ever.
#[test]
fn a_later_integer_decreases_where_none_before_it_increases() {
    let forged = |terms: &[&str]| {
        let both = vec![(0, 0, 1), (1, 0, 0)];
        let terms = terms.iter().map(|&term| term.to_owned()).collect();
        Forged {
            text: "system turns\nvar x : 1..2 = 1\nvar y : 0..1 = 1\nprocess P { loop { \
                   atomic { x := 3 - x; y := 1 - y } } }\nproperty asked : ltl F (x + y = 5)\n",
            over: over(&["x", "y"], &[(&[0], &[1, 1]), (&[0], &[2, 0])]),
            structure: Structure {
                initial: vec![0],
                labels: labels("F F"),
                steps: vec![(0, 0, vec![1]), (1, 0, vec![0])],
                ranks: vec![Rank { terms, decreasing: both, non_increasing: Vec::new() }],
                ..Structure::default()
            },
            deadlock: None,
            value: true,
            proof: no_path,
        }
    };
    forged(&["x", "y"]).refused("smaller");
    forged(&["y", "x"]).refused("smaller");
}

/// A chosen step comes nearer only if it does what it is said to do to a rank.
#[test]
fn a_chosen_step_decreases_what_it_says() {
    let forged = |step: &str| {
        let text = format!(
            "system near\nvar x : int = 7\nprocess P {{ loop {{ {step} }} }}\nproperty asked : ctl EF x <= 0\n"
        );
        let mut halves = over(&[], &[(&[0], &[]), (&[0], &[])]);
        halves.predicates = vec!["(<= x 0)".to_owned()];
        halves.states[0].cube = vec![Some(false)];
        halves.states[1].cube = vec![Some(true)];
        Forged {
            text: &text,
            over: halves,
            structure: Structure {
                initial: vec![0],
                labels: labels("F T"),
                steps: vec![(0, 0, vec![0, 1]), (1, 0, vec![1])],
                ranks: vec![rank("x", &[], &[])],
                ranked: vec![RankedSet { from: 0, by: Some(0), into: vec![(0, vec![(0, true)]), (1, Vec::new())] }],
                ..Structure::default()
            },
            deadlock: None,
            value: true,
            proof: |formula| {
                let (root, goal) = (formula.root(), formula.node_ids().next().expect("an atom"));
                let claim = |state, node, choice| Claim { state: StateId::new(state), node, positive: true, choice };
                Proof::Claims(vec![
                    claim(0, root, Choice::Along(0)),
                    claim(1, root, Choice::Operand(0)),
                    claim(1, goal, Choice::None),
                ])
            },
        }
        .refusal()
    };
    assert_eq!(forged("x := x - 1"), None);
    for still in ["skip", "when x <= 0 do x := x - 1", "x := x + 0"] {
        let why = forged(still).unwrap_or_else(|| panic!("accepted for `{still}`"));
        assert!(why.contains("change ranks"), "{still}: {why}");
    }
}
