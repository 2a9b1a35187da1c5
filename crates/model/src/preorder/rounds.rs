//! In which round was each pair given up? Two bytes a pair, four once there are that many rounds.

use tertium_base::{Budget, Stopped};

#[derive(Clone, Debug)]
enum Table {
    Narrow(Vec<u16>),
    Wide(Vec<u32>),
}

/// The round in which a pair was removed from a relation; pairs that stay have none.
#[derive(Clone, Debug)]
pub(super) struct Rounds {
    width: usize,
    table: Table,
}

impl Rounds {
    pub fn new(height: usize, width: usize) -> Self {
        Self { width, table: Table::Narrow(vec![u16::MAX; height * width]) }
    }

    /// Makes sure that `round` can be stored.
    pub fn prepare(&mut self, round: u32, budget: &Budget) -> Result<(), Stopped> {
        if let Table::Narrow(narrow) = &self.table
            && round >= u32::from(u16::MAX)
        {
            budget.reserve(narrow.len() * 4)?;
            let wide = narrow.iter().map(|&round| if round == u16::MAX { u32::MAX } else { u32::from(round) });
            self.table = Table::Wide(wide.collect());
        }
        Ok(())
    }

    pub fn set(&mut self, a: usize, c: usize, round: u32) {
        let at = a * self.width + c;
        match &mut self.table {
            Table::Narrow(table) => table[at] = u16::try_from(round).expect("made sure by `prepare`"),
            Table::Wide(table) => table[at] = round,
        }
    }

    /// `u32::MAX` for pairs that stay.
    pub fn get(&self, a: usize, c: usize) -> u32 {
        let at = a * self.width + c;
        match &self.table {
            Table::Narrow(table) if table[at] == u16::MAX => u32::MAX,
            Table::Narrow(table) => u32::from(table[at]),
            Table::Wide(table) => table[at],
        }
    }
}
