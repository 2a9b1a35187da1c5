//! State graphs by nothing but running, and the value of a formula on them by nothing but the definitions.

use std::collections::HashMap;

use tertium_base::Budget;
use tertium_driver::Belnap;
use tertium_driver::program::{Program, Semantics, State};
use tertium_logic::{Formula, Logic, ParseOptions, parse};
use tertium_model::{ActionId, Kmts, KmtsBuilder, StateId};
use tertium_program::{ExprId, Outcome};
use tertium_testkit::programs::Space;
use tertium_testkit::reference::{Deadlocks, LinearReading, branching_values, linear_values, star_values};

/// Who steps, and where to; whoever steps is not always known.
type NumberedStep = (Option<u32>, usize);

/// All states that can be reached.
pub struct Graph {
    initial: Vec<usize>,
    steps: Vec<Vec<NumberedStep>>,
    /// For each proposition by its name, its value at every state.
    labels: Vec<(String, Vec<Belnap>)>,
    /// Processes that the scheduler is weakly fair to.
    fair: Vec<u32>,
}

impl Graph {
    /// The graph of a program by running its text; named predicates are the propositions.
    pub fn of_space(space: &Space) -> Self {
        let labels = |(name, holds): (&String, &Vec<bool>)| {
            (name.clone(), holds.iter().map(|&holds| Belnap::from(holds)).collect())
        };
        Self {
            initial: (0..space.initial).collect(),
            steps: space.edges.iter().map(|row| row.iter().map(|&to| (None, to)).collect()).collect(),
            labels: space.predicates.iter().map(labels).collect(),
            fair: Vec::new(),
        }
    }

    /// The graph of a program by the definition of a step; none if there are more than `most` states.
    pub fn of_steps(program: &Program, atoms: &[(String, ExprId)], fair: Vec<u32>, most: usize) -> Option<Self> {
        let semantics = Semantics::new(program);
        let mut queue: Vec<State> = semantics.initial_states(most as u64, &Budget::unlimited()).ok()?;
        let mut known: HashMap<State, usize> =
            queue.iter().cloned().enumerate().map(|(at, state)| (state, at)).collect();
        let initial = (0..queue.len()).collect();
        let mut steps: Vec<Vec<NumberedStep>> = Vec::new();
        while steps.len() < queue.len() && queue.len() <= most {
            let mut row = Vec::new();
            for successor in semantics.successors(&queue[steps.len()].clone()) {
                let Outcome::Next(state) = successor.outcome else { continue };
                let to = *known.entry(state.clone()).or_insert_with(|| {
                    queue.push(state);
                    queue.len() - 1
                });
                row.push((successor.moves.first().map(|mv| mv.pid), to));
            }
            steps.push(row);
        }
        let label = |expr: ExprId| {
            let at = |state: &State| {
                semantics.observe(expr, state).map_or(Belnap::Unknown, |value| Belnap::from(value != 0))
            };
            queue.iter().map(at).collect()
        };
        let labels = atoms.iter().map(|(name, expr)| (name.clone(), label(*expr))).collect();
        (queue.len() <= most).then_some(Self { initial, steps, labels, fair })
    }

    /// How many states.
    pub fn states(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is a state to begin with.
    pub fn begins(&self) -> bool {
        !self.initial.is_empty()
    }

    /// The graph as a structure; with `stutter`, states without steps stay where they are for ever.
    fn structure(&self, stutter: bool) -> Kmts {
        let mut builder = KmtsBuilder::new();
        let states: Vec<StateId> = (0..self.states()).map(|at| builder.add_state(&at.to_string())).collect();
        for (name, values) in &self.labels {
            let prop = builder.add_prop(name);
            states.iter().zip(values).for_each(|(&state, &value)| builder.set_label(state, prop, value));
        }
        let mut constraints: Vec<Vec<(StateId, StateId, Option<ActionId>)>> = vec![Vec::new(); self.fair.len()];
        for (&from, row) in states.iter().zip(&self.steps) {
            if row.is_empty() && stutter {
                builder.add_edge(from, from, true, true, None);
                constraints.iter_mut().for_each(|edges| edges.push((from, from, None)));
            }
            for &(mover, to) in row {
                let action = mover.map(|mover| builder.add_action(&format!("process {mover}")));
                builder.add_edge(from, states[to], true, true, action);
                for (&pid, edges) in self.fair.iter().zip(&mut constraints) {
                    let can_step = row.iter().any(|(mover, _)| *mover == Some(pid));
                    if mover == Some(pid) || !can_step {
                        edges.push((from, states[to], action));
                    }
                }
            }
        }
        constraints.into_iter().for_each(|edges| builder.add_fairness(edges));
        builder.finish().expect("a small structure")
    }

    /// The value of a formula at the initial states together, by the definitions.
    pub fn value(&self, formula: &Formula) -> Belnap {
        let logic = formula.logic();
        let values = match logic {
            Logic::Ltl => linear_values(&self.structure(true), formula, LinearReading::Bg),
            Logic::CtlStar => star_values(&self.structure(true), formula),
            // Its quantifiers are about fair paths, which is what those of CTL* are.
            Logic::Ctl if !self.fair.is_empty() => {
                let parsed = parse(&formula.text(), &ParseOptions::in_logic(Logic::CtlStar));
                star_values(&self.structure(true), &parsed.formula.expect("CTL is a part of CTL*"))
            }
            _ => branching_values(&self.structure(false), formula, Deadlocks::Mu),
        };
        let at_initial: Vec<Belnap> = self.initial.iter().map(|&at| values[at]).collect();
        if at_initial.contains(&Belnap::False) {
            Belnap::False
        } else if at_initial.iter().all(|value| *value == Belnap::True) {
            Belnap::True
        } else {
            Belnap::Unknown
        }
    }
}
