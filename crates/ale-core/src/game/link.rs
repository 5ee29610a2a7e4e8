//! The expressions of a sheet → one program.
//!
//! A helper that is used once is put where it is used: it is then only worked out when its value matters.

use super::program::{MAX_OPS, Op, REGISTERS, SLOTS, STACK};

/// What is to be linked. `Load` and `Previous` of the codes hold the index of a quantity.
pub(super) struct Plan<'p> {
    pub(super) codes: &'p [Vec<Op>],
    /// An order in which each quantity comes after those it names.
    pub(super) order: &'p [usize],
    pub(super) needed: &'p [bool],
    /// Quantities with a slot, in the order of the slots.
    pub(super) remembered: &'p [usize],
}

impl Plan<'_> {
    pub(super) fn link(&self) -> Result<Box<[Op]>, String> {
        let mut uses = vec![0; self.codes.len()];
        for index in (0..self.codes.len()).filter(|&index| self.needed[index]) {
            loads(&self.codes[index]).for_each(|other| uses[other] += 1);
        }
        let helper = |index: &usize| self.needed[*index] && !self.remembered.contains(index);
        let once: Vec<bool> = (0..self.codes.len()).map(|index| helper(&index) && uses[index] == 1).collect();
        let program = self.link_with(&once)?;
        if depth(&program) <= STACK { Ok(program) } else { self.link_with(&vec![false; once.len()]) }
    }

    /// Links with the quantities of `inlined` put into those that use them.
    fn link_with(&self, inlined: &[bool]) -> Result<Box<[Op]>, String> {
        let others: Vec<usize> = (0..self.codes.len())
            .filter(|index| self.needed[*index] && !inlined[*index] && !self.remembered.contains(index))
            .collect();
        if SLOTS + others.len() > REGISTERS {
            return Err(format!(
                "vars: {} quantities are used more than once; at most {} can be",
                others.len(),
                REGISTERS - SLOTS
            ));
        }
        let mut register = vec![0u8; self.codes.len()];
        for (number, &index) in (0..).zip(self.remembered).chain((SLOTS as u8..).zip(&others)) {
            register[index] = number;
        }
        let mut program = Vec::new();
        for &index in self.order.iter().filter(|&&index| self.needed[index] && !inlined[index]) {
            self.append(index, inlined, &register, &mut program);
            program.push(Op::Store(register[index]));
        }
        if program.len() > MAX_OPS {
            return Err(format!("the expressions take {} operations; at most {MAX_OPS} fit", program.len()));
        }
        Ok(program.into())
    }

    fn append(&self, index: usize, inlined: &[bool], register: &[u8], program: &mut Vec<Op>) {
        // Where each operation of the code, and its end, comes to lie.
        let mut places = Vec::with_capacity(self.codes[index].len() + 1);
        let mut jumps = Vec::new();
        for &op in &self.codes[index] {
            places.push(program.len());
            match op {
                Op::Load(other) if inlined[usize::from(other)] => {
                    self.append(other.into(), inlined, register, program);
                }
                Op::Load(other) => program.push(Op::Load(register[usize::from(other)])),
                Op::Previous(other) => program.push(Op::Previous(register[usize::from(other)])),
                op => {
                    if op.target().is_some() {
                        jumps.push(program.len());
                    }
                    program.push(op);
                }
            }
        }
        places.push(program.len());
        for jump in jumps {
            program[jump] = program[jump].moved(|target| places[target]);
        }
    }
}

impl Op {
    fn target(self) -> Option<usize> {
        match self {
            Self::Jump(target) | Self::JumpUnless(target) | Self::AndThen(target) | Self::OrElse(target) => {
                Some(target.into())
            }
            _ => None,
        }
    }

    /// The operation with its jump, if it is one, going elsewhere.
    pub(super) fn moved(self, to: impl Fn(usize) -> usize) -> Self {
        // A program that grows past 16 bits is refused afterwards, so the cut cannot be seen.
        let to = |target: u16| to(target.into()) as u16;
        match self {
            Self::Jump(target) => Self::Jump(to(target)),
            Self::JumpUnless(target) => Self::JumpUnless(to(target)),
            Self::AndThen(target) => Self::AndThen(to(target)),
            Self::OrElse(target) => Self::OrElse(to(target)),
            other => other,
        }
    }
}

pub(super) fn loads(code: &[Op]) -> impl Iterator<Item = usize> {
    code.iter().filter_map(|op| if let Op::Load(index) = op { Some(usize::from(*index)) } else { None })
}

pub(super) fn previous(code: &[Op]) -> impl Iterator<Item = usize> {
    code.iter().filter_map(|op| if let Op::Previous(index) = op { Some(usize::from(*index)) } else { None })
}

/// The most values a program has on the stack at once. All its jumps go forward.
fn depth(program: &[Op]) -> usize {
    let mut arriving = vec![None; program.len() + 1];
    let mut depth = 0usize;
    let mut most = 0;
    for (at, op) in program.iter().enumerate() {
        depth = arriving[at].unwrap_or(depth);
        depth = match op {
            Op::Number(_)
            | Op::Ram(_)
            | Op::Load(_)
            | Op::Previous(_)
            | Op::Random
            | Op::RamNumber(..)
            | Op::RamRam(..)
            | Op::RamBcd(_) => depth + 1,
            Op::Store(_) | Op::Binary(_) | Op::JumpUnless(_) => depth.saturating_sub(1),
            _ => depth,
        };
        most = most.max(depth);
        if let Some(place) = op.target().and_then(|target| arriving.get_mut(target)) {
            *place = Some(depth);
        }
        if matches!(op, Op::AndThen(_) | Op::OrElse(_)) {
            depth = depth.saturating_sub(1);
        }
    }
    most
}
