//! How a game is switched to a mode: steps as data, run once per environment reset.
//!
//! | step | |
//! |---|---|
//! | `require C` | the mode does not exist unless C |
//! | `fail unless C` | the mode could not be reached unless C |
//! | `select(n)` | SELECT held for n frames, then one frame without input |
//! | `soft_reset` | RESET held for four frames |
//! | `act(A)` | one full step of the agent |
//! | `let x = E` | remembers a value; if x is a latch, sets it |
//! | `until C: S; S`, `until C max k: S; S` | tests C, does the steps while it is false |
//! | `repeat k: S; S`, `if C then S else S` | |

use super::compile::Compiled;
use super::expr::{self, RESERVED, Scope};
use super::program::{Memory, Op, REGISTERS, Source, run};
use super::token::{Complaint, Word, Words};
use super::{GameState, ModeHost};
use crate::action::Action;

/// Frames and rounds after which a script gives up. The longest way of a shipped game is under 2,000;
/// sticky actions make it longer only in proportion.
pub(super) const MAX_ROUNDS: u32 = 100_000;

/// Steps may be nested this deep.
const MAX_NESTING: usize = 16;

/// Values a script may remember, the mode itself included.
const MAX_LETS: usize = 32;

#[derive(Debug, Clone, PartialEq)]
enum Step {
    Require(Box<[Op]>),
    FailUnless(Box<[Op]>),
    Select(Box<[Op]>),
    SoftReset,
    Act(Action),
    Let(u8, Box<[Op]>),
    SetLatch(u8, Box<[Op]>),
    Until { condition: Box<[Op]>, rounds: Option<u32>, body: Box<[Step]> },
    Repeat(Box<[Op]>, Box<[Step]>),
    If(Box<[Op]>, Box<Step>, Box<Step>),
}

/// Why a script did not reach the mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// A `require` did not hold.
    Unsupported,
    /// A `fail unless` did not hold.
    NotReached,
    /// More frames and rounds than any game needs.
    Endless,
    /// `select(n)` with n below 1.
    Select(i32),
    /// The host was stopped.
    Stopped,
}

/// The compiled steps of a game.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Script {
    steps: Box<[Step]>,
}

impl Script {
    /// Compiles the steps; an error comes with the number of the step, from 1.
    pub(super) fn compile(texts: &[String], slots: &Compiled) -> Result<Self, (usize, Complaint)> {
        let mut lets = vec!["m".to_owned()];
        let mut steps = Vec::new();
        for (index, text) in texts.iter().enumerate() {
            let step = Words::read(text).and_then(|mut words| {
                let step = Parser { words: &mut words, slots, lets: &mut lets }.step(0)?;
                words.expect_end()?;
                Ok(step)
            });
            steps.push(step.map_err(|complaint| (index + 1, complaint))?);
        }
        Ok(Self { steps: steps.into() })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    pub(super) fn run(&self, mode: u32, host: &mut impl ModeHost) -> Result<(), Failure> {
        let mut registers = [0; REGISTERS];
        registers[0] = mode as i32;
        Runner { host, registers, rounds_left: MAX_ROUNDS }.steps(&self.steps)
    }
}

struct Parser<'w, 'a, 's> {
    words: &'w mut Words<'a>,
    slots: &'s Compiled,
    lets: &'s mut Vec<String>,
}

struct Names<'s> {
    slots: &'s Compiled,
    lets: &'s [String],
}

impl Scope for Names<'_> {
    const RANDOM: bool = true;

    fn current(&self, name: &str) -> Option<Op> {
        match self.lets.iter().position(|known| known == name) {
            Some(register) => Some(Op::Load(register as u8)),
            None => self.slots.slot(name).map(Op::Previous),
        }
    }

    fn previous(&self, _: &str) -> Option<Op> {
        None
    }
}

impl Parser<'_, '_, '_> {
    fn expression(&mut self) -> Result<Box<[Op]>, Complaint> {
        let names = Names { slots: self.slots, lets: self.lets };
        expr::expression(self.words, &names).map(Into::into)
    }

    fn step(&mut self, nesting: usize) -> Result<Step, Complaint> {
        let column = self.words.column();
        if nesting > MAX_NESTING {
            return Err(Complaint::new("the step is nested too deeply", column));
        }
        let Word::Name(verb) = self.words.take() else {
            return Err(Complaint::new("a step starts with a word", column));
        };
        match verb {
            "require" => self.expression().map(Step::Require),
            "fail" => {
                self.words.expect("unless")?;
                self.expression().map(Step::FailUnless)
            }
            "select" => {
                self.words.expect("(")?;
                let frames = self.expression()?;
                self.words.expect(")")?;
                Ok(Step::Select(frames))
            }
            "soft_reset" => Ok(Step::SoftReset),
            "act" => {
                self.words.expect("(")?;
                let column = self.words.column();
                let word = self.words.take();
                let action = match word {
                    Word::Name(name) => Action::from_name(name),
                    _ => None,
                };
                self.words.expect(")")?;
                action
                    .map(Step::Act)
                    .ok_or_else(|| Complaint::new(format!("{word} is none of the 18 actions"), column))
            }
            "let" => self.binding(),
            "until" => {
                let condition = self.expression()?;
                let rounds = if self.words.accept("max") {
                    let column = self.words.column();
                    match self.words.take() {
                        Word::Number(rounds) => Some(rounds as u32),
                        word => {
                            return Err(Complaint::new(format!("expected a number, found {word}"), column));
                        }
                    }
                } else {
                    None
                };
                let body = self.body(nesting)?;
                Ok(Step::Until { condition, rounds, body })
            }
            "repeat" => {
                let times = self.expression()?;
                Ok(Step::Repeat(times, self.body(nesting)?))
            }
            "if" => {
                let condition = self.expression()?;
                self.words.expect("then")?;
                let yes = self.step(nesting + 1)?;
                self.words.expect("else")?;
                let no = self.step(nesting + 1)?;
                Ok(Step::If(condition, yes.into(), no.into()))
            }
            _ => {
                let accepted = "require, fail unless, select, soft_reset, act, let, until, repeat, if";
                Err(Complaint::new(format!("unknown step '{verb}' (accepted: {accepted})"), column))
            }
        }
    }

    fn body(&mut self, nesting: usize) -> Result<Box<[Step]>, Complaint> {
        self.words.expect(":")?;
        let mut steps = vec![self.step(nesting + 1)?];
        while self.words.accept(";") {
            steps.push(self.step(nesting + 1)?);
        }
        Ok(steps.into())
    }

    fn binding(&mut self) -> Result<Step, Complaint> {
        let column = self.words.column();
        let name = match self.words.take() {
            Word::Name(name) if !RESERVED.contains(&name) => name.to_owned(),
            word => return Err(Complaint::new(format!("{word} cannot name a value"), column)),
        };
        self.words.expect("=")?;
        let value = self.expression()?;
        if let Some(slot) = self.slots.latch(&name) {
            return Ok(Step::SetLatch(slot, value));
        }
        if self.slots.slot(&name).is_some() {
            return Err(Complaint::new(format!("'{name}' is no latch, it cannot be set"), column));
        }
        let register = match self.lets.iter().position(|known| *known == name) {
            Some(register) => register,
            None if self.lets.len() == MAX_LETS => {
                return Err(Complaint::new(format!("more than {} values", MAX_LETS - 1), column));
            }
            None => {
                self.lets.push(name);
                self.lets.len() - 1
            }
        };
        Ok(Step::Let(register as u8, value))
    }
}

struct Runner<'h, H> {
    host: &'h mut H,
    registers: [i32; REGISTERS],
    rounds_left: u32,
}

/// Lets an expression look at the host.
struct Through<'h, H>(&'h mut H);

impl<H: ModeHost> Source for Through<'_, H> {
    fn ram(&self, index: u8) -> u8 {
        Memory::ram(self.0, index)
    }

    fn peek(&self, address: u16) -> u8 {
        Memory::peek(self.0, address)
    }

    fn random(&mut self) -> u32 {
        self.0.random()
    }
}

impl<H: ModeHost> Runner<'_, H> {
    fn value(&mut self, ops: &[Op]) -> i32 {
        let GameState { values } = *self.host.game_state();
        run(ops, &mut Through(self.host), &values, &mut self.registers)
    }

    fn spend(&mut self, frames: u32) -> Result<(), Failure> {
        if self.host.stopped() {
            return Err(Failure::Stopped);
        }
        self.rounds_left = self.rounds_left.checked_sub(frames).ok_or(Failure::Endless)?;
        Ok(())
    }

    fn steps(&mut self, steps: &[Step]) -> Result<(), Failure> {
        steps.iter().try_for_each(|step| self.step(step))
    }

    fn step(&mut self, step: &Step) -> Result<(), Failure> {
        self.spend(1)?;
        match step {
            Step::Require(condition) if self.value(condition) == 0 => Err(Failure::Unsupported),
            Step::FailUnless(condition) if self.value(condition) == 0 => Err(Failure::NotReached),
            Step::Require(_) | Step::FailUnless(_) => Ok(()),
            Step::Select(frames) => {
                let frames = self.value(frames);
                if frames < 1 {
                    return Err(Failure::Select(frames));
                }
                self.spend(frames as u32)?;
                self.host.select(frames as u32);
                Ok(())
            }
            Step::SoftReset => {
                self.spend(3)?;
                self.host.soft_reset();
                Ok(())
            }
            Step::Act(action) => {
                self.host.act(*action);
                Ok(())
            }
            Step::Let(register, value) => {
                self.registers[usize::from(*register)] = self.value(value);
                Ok(())
            }
            Step::SetLatch(slot, value) => {
                let value = self.value(value);
                self.host.game_state().values[usize::from(*slot)] = value;
                Ok(())
            }
            Step::Until { condition, rounds, body } => {
                let mut left = rounds.unwrap_or(u32::MAX);
                while left > 0 && self.value(condition) == 0 {
                    self.spend(1)?;
                    self.steps(body)?;
                    left -= 1;
                }
                Ok(())
            }
            Step::Repeat(times, body) => {
                for _ in 0..self.value(times) {
                    self.spend(1)?;
                    self.steps(body)?;
                }
                Ok(())
            }
            Step::If(condition, yes, no) => {
                let arm = if self.value(condition) == 0 { no } else { yes };
                self.step(arm)
            }
        }
    }
}
