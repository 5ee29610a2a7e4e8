//! The expression language: text → operations, in one pass.
//!
//! | loosest first | |
//! |---|---|
//! | `if c then a else b` | |
//! | `or`, `and`, `not` | give 0 or 1 |
//! | `== != < <= > >=` | at most one per level, give 0 or 1 |
//! | `\|`, `^`, `&`, `<< >>`, `+ -`, `* / %` | division truncates toward zero |
//! | unary `-`, `( )`, `ram[i]`, `prev(name)`, names, numbers, functions | |

use super::program::{Binary, MAX_OPS, Op, STACK};
use super::token::{Complaint, Word, Words};

/// Words that cannot name a quantity.
pub(super) const RESERVED: [&str; 23] = [
    "if", "then", "else", "and", "or", "not", "true", "false", "ram", "prev", "rng", "lo", "hi", "bcd",
    "bcd2", "bcd3", "s8", "abs", "min", "max", "peek", "m", "unless",
];

/// How deep parentheses, `if`, `not` and `-` may be nested.
const MAX_NESTING: usize = 64;

/// What a name stands for.
pub(super) trait Scope {
    /// The operation that gives this frame's value.
    fn current(&self, name: &str) -> Option<Op>;
    /// The operation that gives the value of the frame before.
    fn previous(&self, name: &str) -> Option<Op>;
    /// Whether `rng()` may be asked.
    const RANDOM: bool;
}

/// Compiles a text that is one expression.
pub(super) fn compile<S: Scope>(text: &str, scope: &S) -> Result<Vec<Op>, Complaint> {
    let mut words = Words::read(text)?;
    let ops = expression(&mut words, scope)?;
    words.expect_end()?;
    Ok(ops)
}

/// Compiles an expression that is followed by something else.
pub(super) fn expression<S: Scope>(words: &mut Words<'_>, scope: &S) -> Result<Vec<Op>, Complaint> {
    let mut compiler = Compiler { words, scope, ops: Vec::new(), depth: 0, nesting: 0, barrier: 0 };
    compiler.choice()?;
    Ok(compiler.ops)
}

struct Compiler<'w, 'a, 's, S> {
    words: &'w mut Words<'a>,
    scope: &'s S,
    ops: Vec<Op>,
    /// Values on the stack after the operations so far.
    depth: usize,
    nesting: usize,
    /// Operations before this index may be jumped over and must stay what they are.
    barrier: usize,
}

/// A jump whose target is not known yet.
#[derive(Clone, Copy)]
struct Pending {
    index: usize,
    make: fn(u16) -> Op,
}

/// The operators between comparison and unary minus, loosest level first.
const LEVELS: [&[(&str, Binary)]; 6] = [
    &[("|", Binary::Or)],
    &[("^", Binary::Xor)],
    &[("&", Binary::And)],
    &[("<<", Binary::ShiftLeft), (">>", Binary::ShiftRight)],
    &[("+", Binary::Add), ("-", Binary::Subtract)],
    &[("*", Binary::Multiply), ("/", Binary::Divide), ("%", Binary::Remainder)],
];

const COMPARISONS: [(&str, Binary); 6] = [
    ("==", Binary::Equal),
    ("!=", Binary::Unequal),
    ("<", Binary::Less),
    ("<=", Binary::LessEqual),
    (">", Binary::Greater),
    (">=", Binary::GreaterEqual),
];

impl<S: Scope> Compiler<'_, '_, '_, S> {
    fn choice(&mut self) -> Result<(), Complaint> {
        self.nested(|this| {
            if !this.words.accept("if") {
                return this.disjunction();
            }
            this.choice()?;
            this.words.expect("then")?;
            let to_else = this.jump(Op::JumpUnless)?;
            this.depth -= 1;
            this.choice()?;
            this.words.expect("else")?;
            let to_end = this.jump(Op::Jump)?;
            this.depth -= 1;
            this.land(to_else);
            this.choice()?;
            this.land(to_end);
            Ok(())
        })
    }

    fn disjunction(&mut self) -> Result<(), Complaint> {
        self.logic("or", Op::OrElse, |this| this.logic("and", Op::AndThen, Self::negation))
    }

    /// A chain of `word`s: every part but the last may end it early.
    fn logic(
        &mut self,
        word: &str,
        early: fn(u16) -> Op,
        part: impl Fn(&mut Self) -> Result<(), Complaint>,
    ) -> Result<(), Complaint> {
        part(self)?;
        let mut exits = Vec::new();
        while self.words.accept(word) {
            exits.push(self.jump(early)?);
            self.depth -= 1;
            part(self)?;
        }
        if !exits.is_empty() {
            self.emit(Op::Truth, 0)?;
            for exit in exits {
                self.land(exit);
            }
        }
        Ok(())
    }

    fn negation(&mut self) -> Result<(), Complaint> {
        if !self.words.accept("not") {
            return self.comparison();
        }
        self.nested(Self::negation)?;
        self.emit(Op::Not, 0)
    }

    fn comparison(&mut self) -> Result<(), Complaint> {
        self.arithmetic(0)?;
        if let Some(operator) = self.operator(&COMPARISONS) {
            self.arithmetic(0)?;
            self.binary(operator)?;
        }
        Ok(())
    }

    fn arithmetic(&mut self, level: usize) -> Result<(), Complaint> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        self.arithmetic(level + 1)?;
        while let Some(operator) = self.operator(operators) {
            self.arithmetic(level + 1)?;
            self.binary(operator)?;
        }
        Ok(())
    }

    fn operator(&mut self, operators: &[(&str, Binary)]) -> Option<Binary> {
        let Word::Symbol(symbol) = self.words.look() else { return None };
        let found = operators.iter().find(|(text, _)| *text == symbol)?.1;
        self.words.take();
        Some(found)
    }

    fn unary(&mut self) -> Result<(), Complaint> {
        if !self.words.accept("-") {
            return self.atom();
        }
        self.nested(Self::unary)?;
        self.emit(Op::Negate, 0)
    }

    fn atom(&mut self) -> Result<(), Complaint> {
        let column = self.words.column();
        match self.words.take() {
            Word::Number(number) => self.emit(Op::Number(number), 1),
            Word::Symbol("(") => {
                self.choice()?;
                self.words.expect(")")
            }
            Word::Name(name) => self.named(name, column),
            word => Err(Complaint::new(format!("expected a value, found {word}"), column)),
        }
    }

    fn named(&mut self, name: &str, column: usize) -> Result<(), Complaint> {
        match name {
            "true" => self.emit(Op::Number(1), 1),
            "false" => self.emit(Op::Number(0), 1),
            "ram" => {
                self.words.expect("[")?;
                let column = self.words.column();
                let index = match self.words.take() {
                    Word::Number(index @ 0..=0x7F) => index as u8,
                    word => {
                        let message = format!("ram index {word} is not a number from 0x00 to 0x7F");
                        return Err(Complaint::new(message, column));
                    }
                };
                self.words.expect("]")?;
                self.emit(Op::Ram(index), 1)
            }
            "prev" => {
                self.words.expect("(")?;
                let column = self.words.column();
                let Word::Name(name) = self.words.take() else {
                    return Err(Complaint::new("prev takes the name of a quantity", column));
                };
                self.words.expect(")")?;
                match self.scope.previous(name) {
                    Some(op) => self.emit(op, 1),
                    None => Err(Complaint::new(format!("unknown name '{name}' in prev"), column)),
                }
            }
            "rng" => {
                if !S::RANDOM {
                    return Err(Complaint::new("rng() can only be used in set_mode", column));
                }
                self.words.expect("(")?;
                self.words.expect(")")?;
                self.emit(Op::Random, 1)
            }
            "lo" => self.call(Op::Lo),
            "hi" => self.call(Op::Hi),
            "bcd" => self.digits(1),
            "s8" => self.call(Op::Signed8),
            "abs" => self.call(Op::Abs),
            "peek" => self.call(Op::Peek),
            "min" => self.call2(Binary::Min),
            "max" => self.call2(Binary::Max),
            "bcd2" => self.digits(2),
            "bcd3" => self.digits(3),
            _ if RESERVED.contains(&name) && name != "m" => {
                Err(Complaint::new(format!("unexpected '{name}'"), column))
            }
            _ => match self.scope.current(name) {
                Some(op) => self.emit(op, 1),
                None => Err(Complaint::new(format!("unknown name '{name}'"), column)),
            },
        }
    }

    /// A function of one argument.
    fn call(&mut self, op: Op) -> Result<(), Complaint> {
        self.words.expect("(")?;
        self.choice()?;
        self.words.expect(")")?;
        self.emit(op, 0)
    }

    fn call2(&mut self, operator: Binary) -> Result<(), Complaint> {
        self.words.expect("(")?;
        self.choice()?;
        self.words.expect(",")?;
        self.choice()?;
        self.words.expect(")")?;
        self.binary(operator)
    }

    /// `bcd(x)`, `bcd2(l, h)`, `bcd3(l, m, h)`: two decimal digits per byte, lowest byte first.
    fn digits(&mut self, bytes: u32) -> Result<(), Complaint> {
        self.words.expect("(")?;
        for byte in 0..bytes {
            if byte > 0 {
                self.words.expect(",")?;
            }
            self.choice()?;
            self.bcd()?;
            if byte > 0 {
                self.emit(Op::BinaryNumber(Binary::Multiply, 100_i16.pow(byte)), 0)?;
                self.binary(Binary::Add)?;
            }
        }
        self.words.expect(")")
    }

    /// An operator on the two values on top. Constants and RAM bytes become part of the operation, unless a jump
    /// lands between them.
    fn binary(&mut self, operator: Binary) -> Result<(), Complaint> {
        let (fused, parts) = match self.ops[self.barrier.min(self.ops.len())..] {
            [.., Op::Ram(index), Op::Number(number)] if small(number) => {
                (Op::RamNumber(operator, index, number as i16), 2)
            }
            [.., Op::Ram(a), Op::Ram(b)] => (Op::RamRam(operator, a, b), 2),
            [.., Op::Number(number)] if small(number) => (Op::BinaryNumber(operator, number as i16), 1),
            _ => (Op::Binary(operator), 0),
        };
        self.ops.truncate(self.ops.len() - parts);
        // Two values became one, however many operations it took.
        self.depth -= 2;
        self.emit(fused, 1)
    }

    fn bcd(&mut self) -> Result<(), Complaint> {
        if let [.., Op::Ram(index)] = self.ops[self.barrier.min(self.ops.len())..] {
            self.ops.pop();
            self.depth -= 1;
            return self.emit(Op::RamBcd(index), 1);
        }
        self.emit(Op::Bcd, 0)
    }

    /// Appends an operation that changes the depth of the stack by `change`.
    fn emit(&mut self, op: Op, change: isize) -> Result<(), Complaint> {
        self.depth = self.depth.saturating_add_signed(change);
        if self.depth > STACK {
            return Err(Complaint::new("the expression is nested too deeply", self.words.column()));
        }
        if self.ops.len() >= MAX_OPS {
            return Err(Complaint::new("the expression is too long", self.words.column()));
        }
        self.ops.push(op);
        Ok(())
    }

    /// Appends a jump whose target is set by [`Self::land`].
    fn jump(&mut self, make: fn(u16) -> Op) -> Result<Pending, Complaint> {
        self.emit(make(0), 0)?;
        self.barrier = self.ops.len();
        Ok(Pending { index: self.ops.len() - 1, make })
    }

    fn land(&mut self, jump: Pending) {
        self.ops[jump.index] = (jump.make)(self.ops.len() as u16);
        self.barrier = self.ops.len();
    }

    fn nested(&mut self, inner: impl FnOnce(&mut Self) -> Result<(), Complaint>) -> Result<(), Complaint> {
        if self.nesting == MAX_NESTING {
            return Err(Complaint::new("the expression is nested too deeply", self.words.column()));
        }
        self.nesting += 1;
        inner(self)?;
        self.nesting -= 1;
        Ok(())
    }
}

/// Whether a constant fits into an operation.
fn small(number: i32) -> bool {
    i16::try_from(number).is_ok()
}
