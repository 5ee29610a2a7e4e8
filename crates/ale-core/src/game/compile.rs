//! The quantities of a sheet → one program, each after what it needs.

use super::expr::{self, RESERVED, Scope};
use super::link::{Plan, loads, previous};
use super::program::{MAX_OPS, Op, SLOTS};
use super::state::Keep;
use super::token::is_name;

/// Something a sheet gives an expression for.
pub(super) struct Quantity {
    name: String,
    /// The key of the sheet, for complaints.
    key: String,
    text: String,
    latch: bool,
    keep: Keep,
}

impl Quantity {
    pub(super) fn new(name: &str, key: &str, text: String) -> Self {
        Self { name: name.to_owned(), key: key.to_owned(), text, latch: false, keep: Keep::Saved }
    }

    pub(super) fn latch(name: &str, key: &str, text: String, keep: Keep) -> Self {
        Self { latch: true, keep, ..Self::new(name, key, text) }
    }
}

/// All quantities of a sheet; reward, score, terminal and lives come first.
#[derive(Default)]
pub(super) struct Quantities {
    list: Vec<Quantity>,
    /// Values before the first frame, where they are not 0.
    pub(super) initial: Vec<(String, i32)>,
    /// What the reference works out anew after a restore.
    pub(super) on_restore: Vec<(String, String)>,
}

/// The outcome: what to run, and where what is remembered.
pub(super) struct Compiled {
    pub(super) program: Box<[Op]>,
    pub(super) after_restore: Box<[Op]>,
    pub(super) slots: Vec<(String, Keep)>,
    latches: Vec<String>,
}

impl Compiled {
    /// Where the quantity is remembered.
    pub(super) fn slot(&self, name: &str) -> Option<u8> {
        self.slots.iter().position(|(known, _)| known == name).map(|slot| slot as u8)
    }

    /// Where the latch is remembered, if the name is a latch's.
    pub(super) fn latch(&self, name: &str) -> Option<u8> {
        self.latches.iter().any(|latch| latch == name).then(|| self.slot(name)).flatten()
    }
}

/// A quantity by itself; other quantities are registers of their own numbers.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) number: u8,
    pub(super) code: Vec<Op>,
}

/// Number of standard quantities at the front of the list.
const STANDARD: usize = 4;
/// Quantities are numbered by one byte while they are compiled.
const MAX_QUANTITIES: usize = 250;

impl Scope for Quantities {
    const RANDOM: bool = false;

    fn current(&self, name: &str) -> Option<Op> {
        self.index(name).map(|index| Op::Load(index as u8))
    }

    fn previous(&self, name: &str) -> Option<Op> {
        self.index(name).map(|index| Op::Previous(index as u8))
    }
}

/// Only remembered values, by slot.
struct Remembered<'c>(&'c Compiled);

impl Scope for Remembered<'_> {
    const RANDOM: bool = false;

    fn current(&self, name: &str) -> Option<Op> {
        self.0.slot(name).map(Op::Previous)
    }

    fn previous(&self, _: &str) -> Option<Op> {
        None
    }
}

impl Quantities {
    fn index(&self, name: &str) -> Option<usize> {
        self.list.iter().position(|quantity| quantity.name == name)
    }

    pub(super) fn add(&mut self, quantity: Quantity) -> Result<(), String> {
        let Quantity { name, key, .. } = &quantity;
        if !is_name(name) || RESERVED.contains(&name.as_str()) {
            return Err(format!("{key}: '{name}' cannot name a quantity"));
        }
        if self.index(name).is_some() {
            return Err(format!("{key}: '{name}' is defined twice"));
        }
        if self.list.len() == MAX_QUANTITIES {
            return Err(format!("{key}: more than {MAX_QUANTITIES} quantities"));
        }
        self.list.push(quantity);
        Ok(())
    }

    pub(super) fn not_saved(&mut self, name: &str) -> Result<(), String> {
        let index = self.index(name).ok_or_else(|| format!("unsaved: unknown name '{name}'"))?;
        self.list[index].keep = Keep::Live;
        Ok(())
    }

    /// The expressions one by one; quantities are numbers in the order of the list.
    fn codes(&self) -> Result<Vec<Vec<Op>>, String> {
        let code = |quantity: &Quantity| {
            expr::compile(&quantity.text, self).map_err(|complaint| format!("{}: {complaint}", quantity.key))
        };
        self.list.iter().map(code).collect()
    }

    /// For a look from outside: every quantity that is needed, each after those it names, and the helpers that
    /// nothing uses.
    pub(super) fn explain(&self) -> Result<(Vec<Row>, Vec<String>), String> {
        let compiled = self.compile()?;
        let codes = self.codes()?;
        let (order, needed) = (self.order(&codes)?, self.needed(&codes));
        let slot = |index: u8| compiled.slot(&self.list[usize::from(index)].name).unwrap_or(0);
        let placed = |op: &Op| if let Op::Previous(index) = *op { Op::Previous(slot(index)) } else { *op };
        let row = |index: usize| Row {
            name: self.list[index].name.clone(),
            number: index as u8,
            code: codes[index].iter().map(placed).collect(),
        };
        let unused = (0..needed.len()).filter(|&index| !needed[index]);
        let unused = unused.map(|index| self.list[index].name.clone()).collect();
        Ok((order.into_iter().filter(|&index| needed[index]).map(row).collect(), unused))
    }

    pub(super) fn compile(&self) -> Result<Compiled, String> {
        let codes = self.codes()?;
        let order = self.order(&codes)?;
        let needed = self.needed(&codes);
        let remembered = self.remembered(&codes, &needed);
        if remembered.len() > SLOTS {
            return Err(format!(
                "{} quantities are remembered from frame to frame (reward, score, terminal, lives, latches and \
                 what prev asks for); at most {SLOTS} can be",
                remembered.len()
            ));
        }

        let plan = Plan { codes: &codes, order: &order, needed: &needed, remembered: &remembered };
        let program = plan.link()?;
        let mut compiled = Compiled {
            program,
            after_restore: Box::default(),
            slots: remembered.iter().map(|&i| (self.list[i].name.clone(), self.list[i].keep)).collect(),
            latches: self.list.iter().filter(|q| q.latch).map(|q| q.name.clone()).collect(),
        };
        compiled.after_restore = self.after_restore(&compiled)?;
        Ok(compiled)
    }

    fn after_restore(&self, compiled: &Compiled) -> Result<Box<[Op]>, String> {
        let mut program = Vec::new();
        for (name, text) in &self.on_restore {
            let slot =
                compiled.slot(name).ok_or_else(|| format!("on_restore.{name}: is not remembered anyway"))?;
            let code = expr::compile(text, &Remembered(compiled))
                .map_err(|complaint| format!("on_restore.{name}: {complaint}"))?;
            let base = program.len();
            program.extend(code.into_iter().map(|op| op.moved(|target| target + base)));
            program.push(Op::Store(slot));
        }
        if program.len() > MAX_OPS {
            return Err(format!("on_restore: takes {} operations; at most {MAX_OPS} fit", program.len()));
        }
        Ok(program.into())
    }

    /// An order in which each quantity comes after those it names.
    fn order(&self, codes: &[Vec<Op>]) -> Result<Vec<usize>, String> {
        let mut waiting: Vec<usize> = (0..self.list.len()).collect();
        let mut done = vec![false; self.list.len()];
        let mut order = Vec::new();
        while !waiting.is_empty() {
            let before = order.len();
            waiting.retain(|&index| {
                let ready = loads(&codes[index]).all(|other| done[other]);
                if ready {
                    done[index] = true;
                    order.push(index);
                }
                !ready
            });
            if order.len() == before {
                return Err(self.cycle(codes, waiting[0], &done));
            }
        }
        Ok(order)
    }

    /// Tells a circle among the quantities that are not done; each of them names another such.
    fn cycle(&self, codes: &[Vec<Op>], start: usize, done: &[bool]) -> String {
        let mut path = vec![start];
        loop {
            let last = path[path.len() - 1];
            let next = loads(&codes[last]).find(|&other| !done[other]).unwrap_or(last);
            if let Some(first) = path.iter().position(|&index| index == next) {
                let names: Vec<_> =
                    path[first..].iter().chain([&next]).map(|&i| &*self.list[i].name).collect();
                let key = &self.list[next].key;
                return format!("{key}: is defined by itself: {}", names.join(" -> "));
            }
            path.push(next);
        }
    }

    /// What the standard quantities and the latches depend on, directly or not, in this frame or the last.
    fn needed(&self, codes: &[Vec<Op>]) -> Vec<bool> {
        let mut needed = vec![false; self.list.len()];
        let roots = (0..self.list.len()).filter(|&index| index < STANDARD || self.list[index].latch);
        let mut pending: Vec<usize> = roots.collect();
        while let Some(index) = pending.pop() {
            if !std::mem::replace(&mut needed[index], true) {
                pending.extend(loads(&codes[index]).chain(previous(&codes[index])));
            }
        }
        needed
    }

    fn remembered(&self, codes: &[Vec<Op>], needed: &[bool]) -> Vec<usize> {
        let asked = |index| (0..codes.len()).any(|i| needed[i] && previous(&codes[i]).any(|p| p == index));
        (0..self.list.len())
            .filter(|&index| index < STANDARD || self.list[index].latch || asked(index))
            .collect()
    }
}
