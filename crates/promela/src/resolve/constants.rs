//! Which number is a constant expression?

use tertium_base::narrow::to_i64;
use tertium_program::Width;

use super::Resolver;
use super::names::Global;
use crate::ast::{Binary, Expr, ExprKind, Initializer, Item, Unary};
use crate::symbols::Symbol;

impl Resolver<'_> {
    /// The value of an expression over numbers and `mtype` constants; none for anything else.
    pub(crate) fn constant(&self, expr: &Expr) -> Option<i64> {
        let value = match &expr.kind {
            ExprKind::Int(value) => *value,
            ExprKind::Bool(value) => i64::from(*value),
            ExprKind::Skip => 1,
            ExprKind::Ref(reference) if reference.parts.len() == 1 && reference.parts[0].index.is_none() => {
                let name = &reference.parts[0].name.name;
                let Some((Global::Constant { set }, _)) = self.scopes.global(name) else { return None };
                let names = &self.symbols.mtypes[set as usize].names;
                to_i64(names.iter().position(|known| known == name)?) + 1
            }
            ExprKind::Unary(op, inner) => {
                let inner = self.constant(inner)?;
                match op {
                    Unary::Negate => -inner,
                    Unary::Complement => !inner,
                    Unary::Not => i64::from(inner == 0),
                }
            }
            ExprKind::Binary(op, left, right) => binary(*op, self.constant(left)?, self.constant(right)?)?,
            _ => return None,
        };
        Some(Width::INT.wrap(value))
    }

    /// The value of a constant expression, or the constant initial value of a variable; reported if it is neither.
    pub(crate) fn size_constant(&mut self, expr: &Expr, what: &str) -> Option<i64> {
        if let Some(value) = self.constant(expr).or_else(|| self.initial_constant(expr)) {
            return Some(value);
        }
        self.error("E0513", format!("{what} must be a constant"), expr.span, "not a constant");
        None
    }

    /// `byte a[n]` where `n` is a variable: Spin takes its initial value, and 8 if that is not above 0.
    fn initial_constant(&self, expr: &Expr) -> Option<i64> {
        let reference = Self::as_reference(expr).filter(|reference| reference.parts.len() == 1)?;
        let name = &reference.parts[0].name.name;
        let symbol = self.scopes.local(name).or(match self.scopes.global(name) {
            Some((Global::Variable(symbol), _)) => Some(symbol),
            _ => None,
        })?;
        let value = self.initial_of(self.symbols.variable(symbol)).unwrap_or(0);
        Some(if value > 0 { value } else { 8 })
    }

    fn initial_of(&self, symbol: &Symbol) -> Option<i64> {
        let declarators = self.file.items.iter().filter_map(|item| match item {
            Item::Vars(vars) => Some(&vars.vars),
            _ => None,
        });
        let declarator = declarators.flatten().find(|declarator| declarator.id == symbol.decl)?;
        match declarator.initial.as_ref()? {
            Initializer::Value(value) => self.constant(value),
            _ => None,
        }
    }
}

fn binary(op: Binary, left: i64, right: i64) -> Option<i64> {
    let truth = |holds: bool| Some(i64::from(holds));
    let shift = u32::try_from(right).ok().filter(|shift| *shift < 32);
    match op {
        Binary::Add => Some(left + right),
        Binary::Sub => Some(left - right),
        Binary::Mul => Some(left * right),
        Binary::Div => left.checked_div(right),
        Binary::Rem => left.checked_rem(right),
        Binary::BitAnd => Some(left & right),
        Binary::BitXor => Some(left ^ right),
        Binary::BitOr => Some(left | right),
        Binary::Shl => Some(left << shift?),
        Binary::Shr => Some(left >> shift?),
        Binary::Eq => truth(left == right),
        Binary::Ne => truth(left != right),
        Binary::Lt => truth(left < right),
        Binary::Le => truth(left <= right),
        Binary::Gt => truth(left > right),
        Binary::Ge => truth(left >= right),
        Binary::And => truth(left != 0 && right != 0),
        Binary::Or => truth(left != 0 || right != 0),
    }
}
