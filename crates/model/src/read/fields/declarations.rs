//! What do the fields of a structure declare: initial states, parameters, a lattice, properties?

use std::io::Read;

use tertium_base::{Diagnostic, Span};

use super::Reader;
use crate::read::bytes::Flow;
use crate::read::draft::{LatticeDraft, Property};
use crate::read::json::not_text;

impl<R: Read> Reader<'_, '_, '_, R> {
    pub(super) fn init(&mut self) -> Flow {
        match self.json.next()? {
            Some(b'[') => self.names("init", |reader, text| {
                let name = reader.json.text(text);
                let state = reader.draft.mention(name, text.span)?;
                reader.draft.init.push(state);
                Ok(())
            }),
            Some(b'"') => {
                if let Some(state) = self.state("`init`")? {
                    self.draft.init.push(state);
                }
                Ok(())
            }
            _ => self.wrong_type("a state or a list of states", "`init`"),
        }
    }

    /// `{"state": "player", ...}`
    pub(super) fn owner(&mut self) -> Flow {
        if !self.opens(b'{', "an object from states to players", "`owner`")? {
            return Ok(());
        }
        self.json.bump();
        let mut first = true;
        while self.json.another(&mut first, b'}')? {
            let key = self.json.key()?;
            let name = self.json.text(key);
            let state = self.draft.mention(name, key.span)?;
            if let Some(text) = self.string("an owner")? {
                let player = self.json.text(text);
                let player = self.draft.player(player, text.span)?;
                self.draft.owner(state, player, key.span.start)?;
            }
        }
        Ok(())
    }

    fn owned_names(&mut self, what: &str) -> Flow<Vec<(String, Span)>> {
        let mut list = Vec::new();
        if !self.opens(b'[', "a list of strings", &format!("`{what}`"))? {
            return Ok(list);
        }
        self.json.bump();
        let mut first = true;
        while self.json.another(&mut first, b']')? {
            if let Some(text) = self.string(&format!("an entry of `{what}`"))? {
                crate::names::room(&mut list, self.draft.budget)?;
                list.push((self.json.owned(text)?, text.span));
            }
        }
        Ok(list)
    }

    pub(super) fn params(&mut self) -> Flow {
        let list = self.owned_names("params")?;
        self.draft.params = Some(list);
        Ok(())
    }

    fn lattice_draft(&mut self) -> &mut LatticeDraft {
        self.draft.lattice.get_or_insert_default()
    }

    pub(super) fn lattice(&mut self) -> Flow {
        if let Some(text) = self.string("`lattice`")? {
            let name = self.json.owned(text)?;
            let lattice = self.lattice_draft();
            lattice.name = Some(name);
            lattice.span = text.span;
        }
        Ok(())
    }

    pub(super) fn elements(&mut self) -> Flow {
        let list = self.owned_names("elements")?;
        self.lattice_draft().elements = Some(list);
        Ok(())
    }

    /// `[[low, high], ...]`
    pub(super) fn order(&mut self, field: &'static str) -> Flow {
        let mut list = Vec::new();
        if !self.opens(b'[', "a list of pairs", &format!("`{field}`"))? {
            return Ok(());
        }
        self.json.bump();
        let mut first = true;
        while self.json.another(&mut first, b']')? {
            let start = self.json.here().start;
            let pair = self.owned_names("a pair of elements")?;
            let span = Span::new(start, self.json.here().start);
            match <[_; 2]>::try_from(pair) {
                Ok([(low, _), (high, _)]) => list.push((low, high, span)),
                Err(_) => self.wrong_shape("a pair of elements", "[lower, higher]", start),
            }
        }
        let lattice = self.lattice_draft();
        *(if field == "leq" { &mut lattice.leq } else { &mut lattice.covers }) = Some(list);
        Ok(())
    }

    pub(super) fn negation(&mut self) -> Flow {
        if !self.opens(b'{', "an object from elements to elements", "`neg`")? {
            return Ok(());
        }
        self.json.bump();
        let mut list = Vec::new();
        let mut first = true;
        while self.json.another(&mut first, b'}')? {
            let key = self.json.key()?;
            let from = self.json.owned(key)?;
            if let Some(text) = self.string("a negation")? {
                list.push((from, self.json.owned(text)?, key.span));
            }
        }
        self.lattice_draft().neg = Some(list);
        Ok(())
    }

    pub(super) fn properties(&mut self) -> Flow {
        if !self.opens(b'[', "a list of properties", "`properties`")? {
            return Ok(());
        }
        self.json.bump();
        let mut first = true;
        while self.json.another(&mut first, b']')? {
            match self.json.next()? {
                Some(b'"') => self.bare_property()?,
                Some(b'{') => self.property()?,
                _ => self.wrong_type("a formula or an object with `name`, `logic`, `formula`", "a property")?,
            }
        }
        Ok(())
    }

    fn bare_property(&mut self) -> Flow {
        let text = self.json.string()?;
        let formula = self.json.owned(text)?;
        let name = format!("property{}", self.draft.properties.len() + 1);
        let source = self.json.line_around(self.name, text.span);
        self.draft.properties.push(Property { name, logic: None, formula, span: text.span, source });
        Ok(())
    }

    fn property(&mut self) -> Flow {
        let start = self.json.here();
        self.json.bump();
        let (mut name, mut logic, mut formula) = (None, None, None);
        let mut first = true;
        while self.json.another(&mut first, b'}')? {
            let key = self.json.key()?;
            let field = String::from_utf8(self.json.text(key).to_vec()).map_err(|_| not_text(key.span))?;
            let Some(text) = self.string(&format!("`{field}` of a property"))? else { continue };
            let value = self.json.owned(text)?;
            match field.as_str() {
                "name" => name = Some(value),
                "logic" => logic = Some(value),
                "formula" => formula = Some((value, text.span, self.json.line_around(self.name, text.span))),
                _ => self.draft.report.add(
                    Diagnostic::warning("W0204", format!("the field `{field}` of a property was ignored"))
                        .at(key.span, "expected `name`, `logic` or `formula`"),
                ),
            }
        }
        let Some((formula, span, source)) = formula else {
            self.draft.report.add(Diagnostic::error("E0208", "a property has no `formula`").at(start, "this property"));
            return Ok(());
        };
        let name = name.unwrap_or_else(|| format!("property{}", self.draft.properties.len() + 1));
        self.draft.properties.push(Property { name, logic, formula, span, source });
        Ok(())
    }
}
