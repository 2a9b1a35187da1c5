//! What one step looks at and assigns, variable by variable.

use tertium_program::{Action, Assign, Domain, ExprId, Field, Place, Program, Step, VarId};

/// What one step looks at and assigns.
#[derive(Clone, Debug, Default)]
pub(super) struct StepAccesses {
    /// The expressions it evaluates, those that decide whether it can be taken included.
    pub looked_at: Vec<ExprId>,
    /// The places it writes.
    pub places: Vec<Place>,
}

impl StepAccesses {
    pub fn by(program: &Program, step: &Step) -> Self {
        let mut touched = Self { looked_at: vec![step.guard], places: Vec::new() };
        touched.looked_at.extend(program.process(step.process).provided);
        for input in &step.inputs {
            if let Domain::Range(lo, hi) = input.domain {
                touched.looked_at.extend([lo, hi]);
            }
        }
        match &step.action {
            Action::Assign(assigns) | Action::Together { assigns, .. } => touched.assigns(program, assigns),
            Action::Assert(condition) => touched.looked_at.push(*condition),
            Action::Send { channel, message, .. } => {
                touched.looked_at.push(*channel);
                touched.looked_at.extend(message);
            }
            Action::Receive { pattern, .. } => {
                touched.looked_at.push(pattern.channel);
                for field in &pattern.fields {
                    match *field {
                        Field::Match(value) => touched.looked_at.push(value),
                        Field::Bind(place) => touched.place(program, place),
                        Field::Skip => {}
                    }
                }
            }
            Action::Run { arguments, priority, then, process } => {
                touched.looked_at.extend(arguments);
                touched.looked_at.extend(priority);
                touched.assigns(program, then);
                // What the new process computes at its start, it looks at then.
                for &local in &program.process(*process).locals {
                    if let tertium_program::InitialValue::Computed(expr) = program.variable(local).initial {
                        touched.looked_at.push(expr);
                    }
                }
            }
            Action::SetPriority { pid, value } => touched.looked_at.extend([*pid, *value]),
            Action::Print { values, .. } => touched.looked_at.extend(values),
            Action::End => {}
        }
        touched
    }

    /// The variables it writes; arrays count as a whole.
    pub fn written(&self) -> impl Iterator<Item = VarId> {
        self.places.iter().map(|place| place.variable())
    }

    fn assigns(&mut self, program: &Program, assigns: &[Assign]) {
        for assign in assigns {
            self.place(program, assign.place);
            self.looked_at.push(assign.value);
        }
    }

    fn place(&mut self, program: &Program, place: Place) {
        self.places.push(place);
        if let Place::Element(_, indices) = place {
            self.looked_at.extend(program.exprs.list(indices));
        }
    }
}
