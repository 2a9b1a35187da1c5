//! How are messages sent and received, fast?
//!
//! What an operation changes is a list of writes to slots; messages keep their order by being moved one place.

use tertium_base::narrow::{to_i64, to_u32, to_usize};
use tertium_program::{Field, Pattern, Program, Type, Width};

use crate::code::{Code, CodeId, Compiler, Trap, View};
use crate::pack::Queue;

/// A slot and its new value.
pub(crate) type Write = (u32, i64);

/// What a receive does with one field of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FieldCode {
    Match(CodeId),
    Bind { place: CodeId, width: Option<Width>, lo: i64, hi: i64 },
    Skip,
}

/// Which message of a channel a receive or poll speaks of.
#[derive(Clone, Debug)]
pub(crate) struct PatternCode {
    pub channel: CodeId,
    pub fields: Vec<FieldCode>,
    anywhere: bool,
    /// Whether where a field goes may depend on what was bound before it.
    dependent: bool,
}

impl PatternCode {
    pub fn of(compiler: &mut Compiler<'_, '_, '_>, pattern: &Pattern) -> Self {
        let channel = compiler.expr(pattern.channel);
        let mut dependent = false;
        let mut fields = Vec::new();
        for field in &pattern.fields {
            fields.push(match *field {
                Field::Match(value) => FieldCode::Match(compiler.expr(value)),
                Field::Skip => FieldCode::Skip,
                Field::Bind(place) => {
                    let program = compiler.semantics.program();
                    let ty = program.variable(place.variable()).ty;
                    let width = program.stored_width(ty);
                    let (lo, hi) = limits(program, ty);
                    let place = compiler.place(place);
                    dependent |= !compiler.code.is_plain_place(place);
                    FieldCode::Bind { place, width, lo, hi }
                }
            });
        }
        Self { channel, fields, anywhere: pattern.anywhere, dependent }
    }
}

/// The bounds of a type, as far as values of 64 bits go.
pub(crate) fn limits(program: &Program, ty: Type) -> (i64, i64) {
    let (lo, hi) = program.bounds(ty);
    (lo.unwrap_or(i64::MIN), hi.unwrap_or(i64::MAX))
}

impl Queue {
    #[inline]
    pub(crate) fn length(self, view: &View<'_>) -> usize {
        to_usize(view.at(self.at))
    }

    #[inline]
    fn start(self, position: usize) -> usize {
        self.at + 1 + position * self.fields
    }

    #[inline]
    fn message<'v>(self, view: &View<'v>, position: usize) -> &'v [i64] {
        view.range(self.start(position)..self.start(position + 1))
    }

    /// Where a message with these values goes among messages in numerical order: after those that are not larger.
    pub(crate) fn sorted_position(self, view: &View<'_>, values: &[i64]) -> usize {
        let length = self.length(view);
        (0..length).find(|&position| self.message(view, position) > values).unwrap_or(length)
    }

    /// Inserts a message so that it gets this position.
    pub(crate) fn insert(self, view: &View<'_>, position: usize, message: &[i64], writes: &mut Vec<Write>) {
        let length = self.length(view);
        let behind = self.start(position)..self.start(length);
        let moved = behind.clone().zip(view.range(behind));
        writes.extend(moved.map(|(at, &value)| (to_u32(at + self.fields), value)));
        for (at, &value) in message.iter().enumerate() {
            writes.push((to_u32(self.start(position) + at), value));
        }
        writes.push((to_u32(self.at), to_i64(length) + 1));
    }

    /// Removes the message at this position.
    fn remove(self, view: &View<'_>, position: usize, writes: &mut Vec<Write>) {
        let length = self.length(view);
        let behind = view.range(self.start(position + 1)..self.start(length));
        writes.extend((self.start(position)..).zip(behind).map(|(at, &value)| (to_u32(at), value)));
        writes.extend((self.start(length - 1)..self.start(length)).map(|at| (to_u32(at), 0)));
        writes.push((to_u32(self.at), to_i64(length) - 1));
    }
}

impl Code {
    /// The position of the message that a pattern picks.
    pub(crate) fn find_message(
        &self,
        pattern: &PatternCode,
        queue: Queue,
        view: &View<'_>,
    ) -> Result<Option<usize>, Trap> {
        let length = queue.length(view);
        let candidates = if pattern.anywhere { length } else { length.min(1) };
        for position in 0..candidates {
            if self.matches(pattern, queue.message(view, position), view)? {
                return Ok(Some(position));
            }
        }
        Ok(None)
    }

    /// Whether a message has the values that a pattern asks for.
    pub(crate) fn matches(&self, pattern: &PatternCode, message: &[i64], view: &View<'_>) -> Result<bool, Trap> {
        if pattern.fields.len() != message.len() {
            return Err(Trap::Fault);
        }
        for (field, &value) in pattern.fields.iter().zip(message) {
            if let FieldCode::Match(wanted) = *field
                && self.value(wanted, view)? != value
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(crate) fn poll(&self, pattern: &PatternCode, view: &View<'_>) -> Result<i64, Trap> {
        let queue = view.queue(self.value(pattern.channel, view)?)?;
        if queue.capacity == 0 {
            return Err(Trap::Fault);
        }
        let length = queue.length(view);
        let asked = pattern.fields.len().min(queue.fields);
        if asked == queue.fields {
            return Ok(i64::from(self.find_message(pattern, queue, view)?.is_some()));
        }
        // A question may leave out the last fields.
        for position in 0..if pattern.anywhere { length } else { length.min(1) } {
            if self.matches(pattern, &queue.message(view, position)[..asked], view)? {
                return Ok(1);
            }
        }
        Ok(0)
    }

    /// Takes a message out of a channel, unless it is to be kept, and binds its fields.
    pub(crate) fn receive(
        &self,
        pattern: &PatternCode,
        queue: Queue,
        position: usize,
        keep: bool,
        view: &View<'_>,
        writes: &mut Vec<Write>,
    ) -> Result<(), Trap> {
        let from = writes.len();
        if !keep {
            queue.remove(view, position, writes);
        }
        self.bind(pattern, queue.message(view, position), view, from, writes)
    }

    /// Binds the fields of a message one after the other; the writes since `from` have been made already.
    pub(crate) fn bind(
        &self,
        pattern: &PatternCode,
        message: &[i64],
        view: &View<'_>,
        from: usize,
        writes: &mut Vec<Write>,
    ) -> Result<(), Trap> {
        let mut now = Vec::new();
        for (field, &value) in pattern.fields.iter().zip(message) {
            let FieldCode::Bind { place, width, lo, hi } = *field else { continue };
            let slot = if pattern.dependent {
                now.clear();
                now.extend_from_slice(view.slots);
                writes[from..].iter().for_each(|&(slot, value)| now[slot as usize] = value);
                self.slot(place, &View { slots: &now, ..*view })?
            } else {
                self.slot(place, view)?
            };
            let value = width.map_or(value, |width| width.wrap(value));
            if value < lo || value > hi {
                return Err(Trap::Fault);
            }
            writes.push((to_u32(slot), value));
        }
        Ok(())
    }
}
