//! Whose turn is it at a state?
//!
//! Turn-based game structures (Alur, Henzinger and Kupferman 2002): every state has one owner, the *player* who chooses the step that leaves it. Players have names; a state
//! without a written owner belongs to [`SYSTEM`]. A structure with no other player is an ordinary, closed one.

use tertium_base::id_type;
use tertium_base::narrow::to_u32;

use crate::kmts::StateId;

id_type! {
    /// A player of one structure.
    pub struct PlayerId;
}

/// The player who owns every state that names no owner.
pub const SYSTEM: &str = "system";

/// The owner of every state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Owners {
    /// Names; the first is [`SYSTEM`].
    players: Vec<String>,
    /// By state; states beyond the end belong to the first player.
    of: Vec<u32>,
}

impl Default for Owners {
    fn default() -> Self {
        Self { players: vec![SYSTEM.to_owned()], of: Vec::new() }
    }
}

impl Owners {
    pub fn players(&self) -> &[String] {
        &self.players
    }

    pub fn of(&self, state: StateId) -> PlayerId {
        PlayerId::new(self.of.get(state.index()).copied().unwrap_or(0) as usize)
    }

    /// The player with this name, new or not.
    pub fn player(&mut self, name: &str) -> PlayerId {
        let known = self.players.iter().position(|player| player == name);
        PlayerId::new(known.unwrap_or_else(|| {
            self.players.push(name.to_owned());
            self.players.len() - 1
        }))
    }

    pub fn set(&mut self, state: StateId, player: PlayerId) {
        if self.of.len() <= state.index() {
            if player.index() == 0 {
                return;
            }
            self.of.resize(state.index() + 1, 0);
        }
        self.of[state.index()] = to_u32(player.index());
    }

    /// The same owners in one form: players without states are left out, so that equal structures are equal values.
    pub fn settled(mut self) -> Self {
        while self.of.last() == Some(&0) {
            self.of.pop();
        }
        let mut kept = vec![SYSTEM.to_owned()];
        let mut number = vec![u32::MAX; self.players.len()];
        number[0] = 0;
        for owner in &mut self.of {
            let at = *owner as usize;
            if number[at] == u32::MAX {
                number[at] = to_u32(kept.len());
                kept.push(self.players[at].clone());
            }
            *owner = number[at];
        }
        Self { players: kept, of: self.of }
    }
}
