//! What do a program's expressions mean as terms?
//!
//! Every cell of the state is a symbol with the bounds of its type; a location is the number of its process's counter.
//! Large arrays are arrays of the theory, small ones a symbol per cell. Machine words keep their wrapping exactly.
//!
//! An operator on bits whose operands may be anything is a function of which nothing is known: that admits more steps as
//! possible and fewer as certain than there are, which errs on the right side both times.

use std::collections::HashMap;

use tertium_program::{
    Binary, Expr, ExprId, InitialValue, ListId, ProcessId, Program, Scope, Sort, Type, Unary, VarId,
};
use tertium_smt::{BitOp, Bounds, Function, FunctionId, Sort as TermSort, TermId, Terms};

/// Arrays with more cells are arrays of the theory.
pub const MOST_CELLS: usize = 64;

/// Why an expression has no term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoTerm(pub String);

/// Where a variable's value is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cells {
    /// One symbol a cell.
    Each(Vec<TermId>),
    /// One array, indexed by position.
    Array(TermId),
}

/// Turns expressions of one program into terms of one table.
#[derive(Clone, Debug)]
pub struct Translator {
    cells: Vec<Cells>,
    counters: Vec<TermId>,
    functions: Vec<FunctionId>,
    unknown: HashMap<&'static str, FunctionId>,
    known: HashMap<ExprId, TermId>,
    inputs: HashMap<(u32, bool), TermId>,
    /// What stands for `deadlock`.
    pub(crate) deadlock: Option<TermId>,
}

fn truth(sort: Sort) -> bool {
    sort == Sort::Bool
}

impl Translator {
    /// Symbols for everything that a state of `program` holds. `bounds` says what is known of each variable.
    #[must_use]
    pub fn new(program: &Program, bounds: &[Bounds], terms: &mut Terms) -> Self {
        let cells = program.variable_ids().map(|var| declare(program, var, bounds[var.index()], terms)).collect();
        let counters = program
            .processes
            .iter()
            .map(|process| {
                let most = process.locations.len().max(1) as i128 - 1;
                // A counter that has one value only must stay a symbol: it is replaced like the others.
                terms.fresh(format!("@{}", process.name), TermSort::Int, (Some(0), Some(most.max(1))))
            })
            .collect();
        let functions = program
            .functions
            .iter()
            .map(|function| {
                let sort = |ty: &Type| if *ty == Type::Bool { TermSort::Bool } else { TermSort::Int };
                let (lo, hi) = program.bounds(function.result);
                terms.add_function(Function {
                    name: function.name.clone(),
                    arguments: function.arguments.iter().map(sort).collect(),
                    result: sort(&function.result),
                    bounds: if function.result == Type::Bool {
                        (None, None)
                    } else {
                        (lo.map(i128::from), hi.map(i128::from))
                    },
                })
            })
            .collect();
        Self {
            cells,
            counters,
            functions,
            unknown: HashMap::new(),
            known: HashMap::new(),
            inputs: HashMap::new(),
            deadlock: None,
        }
    }

    /// The symbols of a variable.
    #[must_use]
    pub fn cells(&self, var: VarId) -> &Cells {
        &self.cells[var.index()]
    }

    /// The symbol of a process's location.
    #[must_use]
    pub fn counter(&self, process: ProcessId) -> TermId {
        self.counters[process.index()]
    }

    /// The symbol of a step's input.
    pub fn input(&mut self, position: u32, sort: Sort, terms: &mut Terms) -> TermId {
        *self.inputs.entry((position, truth(sort))).or_insert_with(|| {
            let (mark, sort) = if truth(sort) { ("b", TermSort::Bool) } else { ("", TermSort::Int) };
            terms.fresh(format!("?{position}{mark}"), sort, (None, None))
        })
    }

    /// The function of the program that a function of terms is; none for operators of which nothing is known.
    #[must_use]
    pub fn program_function(&self, function: FunctionId) -> Option<tertium_program::FunctionId> {
        self.functions.iter().position(|&known| known == function).map(tertium_program::FunctionId::new)
    }

    /// All symbols of inputs so far.
    #[must_use]
    pub fn input_symbols(&self) -> Vec<TermId> {
        let mut symbols: Vec<TermId> = self.inputs.values().copied().collect();
        symbols.sort_unstable();
        symbols
    }

    /// The term of an expression.
    ///
    /// # Errors
    /// If it speaks of channels, of what is enabled, or of instances by number.
    pub fn term(&mut self, program: &Program, root: ExprId, terms: &mut Terms) -> Result<TermId, NoTerm> {
        for id in program.exprs.reachable(&[root]) {
            if !self.known.contains_key(&id) {
                let term = self.term_of(program, id, terms)?;
                self.known.insert(id, term);
            }
        }
        Ok(self.known[&root])
    }

    fn int(&self, id: ExprId, terms: &mut Terms) -> TermId {
        let term = self.known[&id];
        if terms.sort(term) == TermSort::Bool {
            let (one, zero) = (terms.int(1), terms.int(0));
            return terms.ite(term, one, zero);
        }
        term
    }

    fn bool(&self, id: ExprId, terms: &mut Terms) -> TermId {
        let term = self.known[&id];
        if terms.sort(term) == TermSort::Int {
            let zero = terms.int(0);
            let is_zero = terms.eq(term, zero);
            return terms.not(is_zero);
        }
        term
    }

    fn term_of(&mut self, program: &Program, id: ExprId, terms: &mut Terms) -> Result<TermId, NoTerm> {
        Ok(match program.exprs.get(id) {
            Expr::Bool(value) => terms.bool(value),
            Expr::Int(value) => terms.int(i128::from(value)),
            Expr::Member(_, position) => terms.int(i128::from(position)),
            Expr::Var(var) => self.read(var, None, terms),
            Expr::Element(var, indices) => {
                let position = self.position(program, var, indices, terms);
                self.read(var, Some(position), terms)
            }
            Expr::Input(position, sort) => self.input(position, sort, terms),
            Expr::Unary(Unary::Not, a) => {
                let a = self.bool(a, terms);
                terms.not(a)
            }
            Expr::Unary(Unary::Negate, a) => {
                let a = self.int(a, terms);
                terms.neg(a)
            }
            Expr::Unary(Unary::Complement, a) => {
                let a = self.int(a, terms);
                terms.weighted(&[(a, -1)], -1)
            }
            Expr::Binary(op, a, b) => self.binary(program, op, a, b, terms),
            Expr::If(c, a, b) => {
                let c = self.bool(c, terms);
                let (a, b) = if truth(program.exprs.sort(id)) {
                    (self.bool(a, terms), self.bool(b, terms))
                } else {
                    (self.int(a, terms), self.int(b, terms))
                };
                terms.ite(c, a, b)
            }
            Expr::Wrap(width, a) => {
                let a = self.int(a, terms);
                terms.wrap(u32::from(width.bits), width.signed, a)
            }
            Expr::Apply(function, arguments) => self.apply(program, function, arguments, terms),
            Expr::At(process, location) => {
                let (counter, location) = (self.counter(process), terms.int(location.index() as i128));
                terms.eq(counter, location)
            }
            Expr::ProcessCount => terms.int(program.instances.len() as i128),
            Expr::Deadlock => self.deadlock.ok_or_else(|| NoTerm(program.show(id)))?,
            _ => return Err(NoTerm(program.show(id))),
        })
    }

    fn apply(
        &mut self,
        program: &Program,
        function: tertium_program::FunctionId,
        arguments: ListId,
        terms: &mut Terms,
    ) -> TermId {
        let declared = program.function(function);
        let arguments: Vec<TermId> = program
            .exprs
            .list(arguments)
            .iter()
            .zip(&declared.arguments)
            .map(
                |(&argument, &ty)| {
                    if ty == Type::Bool { self.bool(argument, terms) } else { self.int(argument, terms) }
                },
            )
            .collect();
        terms.apply(self.functions[function.index()], &arguments)
    }

    fn binary(&mut self, program: &Program, op: Binary, a: ExprId, b: ExprId, terms: &mut Terms) -> TermId {
        let truths = truth(program.exprs.sort(a)) && truth(program.exprs.sort(b));
        if matches!(op, Binary::And | Binary::Or | Binary::Implies) || (truths && matches!(op, Binary::Eq | Binary::Ne))
        {
            let (a, b) = (self.bool(a, terms), self.bool(b, terms));
            return match op {
                Binary::And => terms.and(a, b),
                Binary::Or => terms.or(a, b),
                Binary::Implies => terms.implies(a, b),
                Binary::Eq => terms.eq(a, b),
                _ => {
                    let same = terms.eq(a, b);
                    terms.not(same)
                }
            };
        }
        let (a, b) = (self.int(a, terms), self.int(b, terms));
        match op {
            Binary::Add => terms.add(a, b),
            Binary::Sub => terms.sub(a, b),
            Binary::Mul => terms.mul(a, b),
            Binary::Div => terms.div(a, b),
            Binary::Mod => terms.modulo(a, b),
            Binary::Quotient => terms.quotient(a, b),
            Binary::Remainder => terms.remainder(a, b),
            Binary::Eq => terms.eq(a, b),
            Binary::Ne => {
                let same = terms.eq(a, b);
                terms.not(same)
            }
            Binary::Lt => terms.lt(a, b),
            Binary::Le => terms.le(a, b),
            Binary::Gt => terms.lt(b, a),
            Binary::Ge => terms.le(b, a),
            Binary::BitAnd => self.bits("&", BitOp::And, a, b, terms),
            Binary::BitOr => self.bits("|", BitOp::Or, a, b, terms),
            Binary::BitXor => self.bits("^", BitOp::Xor, a, b, terms),
            Binary::Shl => self.bits("<<", BitOp::Shl, a, b, terms),
            Binary::Shr => self.bits(">>", BitOp::Shr, a, b, terms),
            Binary::And | Binary::Or | Binary::Implies => terms.bool(false),
        }
    }

    fn bits(&mut self, name: &'static str, op: BitOp, a: TermId, b: TermId, terms: &mut Terms) -> TermId {
        if let Some(exact) = terms.bits(op, a, b) {
            return exact;
        }
        let function = *self.unknown.entry(name).or_insert_with(|| {
            terms.add_function(Function {
                name: format!("?{name}"),
                arguments: vec![TermSort::Int; 2],
                result: TermSort::Int,
                bounds: (None, None),
            })
        });
        terms.apply(function, &[a, b])
    }

    /// The position of a cell in its array, as a term; outside the array it means nothing.
    fn position(&self, program: &Program, var: VarId, indices: ListId, terms: &mut Terms) -> TermId {
        let mut position = terms.int(0);
        let dimensions = &program.variable(var).dimensions;
        for (&index, dimension) in program.exprs.list(indices).iter().zip(dimensions) {
            let index = self.int(index, terms);
            position = terms.weighted(&[(position, i128::from(dimension.len)), (index, 1)], -i128::from(dimension.lo));
        }
        position
    }

    fn read(&self, var: VarId, position: Option<TermId>, terms: &mut Terms) -> TermId {
        match (&self.cells[var.index()], position) {
            (Cells::Array(array), Some(position)) => terms.select(*array, position),
            (Cells::Array(array), None) => {
                let zero = terms.int(0);
                terms.select(*array, zero)
            }
            (Cells::Each(cells), None) => cells[0],
            (Cells::Each(cells), Some(position)) => {
                let mut value = cells[cells.len() - 1];
                for (at, &cell) in cells.iter().enumerate().rev().skip(1) {
                    let here = terms.int(at as i128);
                    let here = terms.eq(position, here);
                    value = terms.ite(here, cell, value);
                }
                value
            }
        }
    }

    /// What a simultaneous assignment puts where: for every symbol that may change, its new value.
    ///
    /// # Errors
    /// If a value or index has no term.
    pub fn assignment(
        &mut self,
        program: &Program,
        updates: &[tertium_program::Assign],
        terms: &mut Terms,
    ) -> Result<HashMap<TermId, TermId>, NoTerm> {
        let mut new: HashMap<TermId, TermId> = HashMap::new();
        for update in updates {
            let value = self.term(program, update.value, terms)?;
            let var = update.place.variable();
            let value = match (terms.sort(value), program.variable(var).ty == Type::Bool) {
                (TermSort::Bool, false) => self.int(update.value, terms),
                (TermSort::Int, true) => self.bool(update.value, terms),
                _ => value,
            };
            let position = match update.place {
                tertium_program::Place::Var(_) => None,
                tertium_program::Place::Element(_, indices) => {
                    for &index in program.exprs.list(indices) {
                        self.term(program, index, terms)?;
                    }
                    Some(self.position(program, var, indices, terms))
                }
            };
            match (self.cells[var.index()].clone(), position) {
                (Cells::Array(array), position) => {
                    let position = position.unwrap_or_else(|| terms.int(0));
                    let before = new.get(&array).copied().unwrap_or(array);
                    new.insert(array, terms.store(before, position, value));
                }
                (Cells::Each(cells), None) => {
                    if is_symbol(terms, cells[0]) {
                        new.insert(cells[0], value);
                    }
                }
                (Cells::Each(cells), Some(position)) => {
                    for (at, &cell) in
                        cells.iter().enumerate().filter(|(_, cell)| is_symbol(terms, **cell)).collect::<Vec<_>>()
                    {
                        let here = terms.int(at as i128);
                        let here = terms.eq(position, here);
                        let before = new.get(&cell).copied().unwrap_or(cell);
                        let after = terms.ite(here, value, before);
                        if after != cell {
                            new.insert(cell, after);
                        }
                    }
                }
            }
        }
        Ok(new)
    }

    /// What the initial values of variables say, besides `init`.
    #[must_use]
    pub fn initial_values(&self, program: &Program, var: VarId, terms: &mut Terms) -> Option<Vec<TermId>> {
        let variable = program.variable(var);
        let wrapped = |value: i64| match variable.ty {
            Type::Wrapped(width) => width.wrap(value),
            _ => value,
        };
        let values: Vec<i64> = match &variable.initial {
            InitialValue::Any => return Some(Vec::new()),
            InitialValue::Same(value) => vec![wrapped(*value); variable.cells()],
            InitialValue::Each(values) => values.clone(),
            InitialValue::Argument(position) => {
                let Scope::Local(process) = variable.scope else { return None };
                let instance = program.instances.iter().find(|instance| instance.process == process)?;
                let value = instance.arguments.get(*position as usize).copied().unwrap_or(0);
                vec![wrapped(value); variable.cells()]
            }
            InitialValue::Computed(_) => computed(program, var)?,
            InitialValue::Channel(_) => return None,
        };
        let mut conditions = Vec::new();
        for (at, value) in values.into_iter().enumerate() {
            let position = terms.int(at as i128);
            let cell = self.read(var, Some(position), terms);
            conditions.push(if variable.ty == Type::Bool {
                if value != 0 { cell } else { terms.not(cell) }
            } else {
                let value = terms.int(i128::from(value));
                terms.eq(cell, value)
            });
        }
        Some(conditions)
    }
}

/// Computed initial values: each is one number, whatever the program begins with.
fn computed(program: &Program, var: VarId) -> Option<Vec<i64>> {
    let (semantics, variable) = (tertium_program::Semantics::new(program), program.variable(var));
    let slots = semantics.first_slots().ok()?;
    let base = match variable.scope {
        Scope::Global => 0,
        Scope::Local(process) => {
            let at = program.instances.iter().position(|instance| instance.process == process)?;
            *semantics.layout().frames(&slots).get(at)?
        }
    };
    let at = base + semantics.layout().variable(var);
    slots.get(at..at + variable.cells()).map(<[i64]>::to_vec)
}

/// A cell that has one value only is that value, and stays it.
fn is_symbol(terms: &Terms, cell: TermId) -> bool {
    matches!(terms.get(cell), tertium_smt::Term::Symbol(_))
}

fn declare(program: &Program, var: VarId, bounds: Bounds, terms: &mut Terms) -> Cells {
    let variable = program.variable(var);
    let name = program.show_variable(var);
    let truths = variable.ty == Type::Bool;
    if let (Some(lo), Some(hi)) = bounds
        && truths
        && lo == hi
        && variable.cells() <= MOST_CELLS
    {
        return Cells::Each(vec![terms.bool(lo != 0); variable.cells()]);
    }
    let bounds = if truths { (None, None) } else { bounds };
    if variable.dimensions.is_empty() {
        let sort = if truths { TermSort::Bool } else { TermSort::Int };
        return Cells::Each(vec![terms.fresh(name, sort, bounds)]);
    }
    if variable.cells() > MOST_CELLS {
        let sort = if truths { TermSort::BoolArray } else { TermSort::IntArray };
        return Cells::Array(terms.fresh(name, sort, bounds));
    }
    let sort = if truths { TermSort::Bool } else { TermSort::Int };
    Cells::Each((0..variable.cells()).map(|at| terms.fresh(format!("{name}#{at}"), sort, bounds)).collect())
}
