//! Words of the sheets' little language: numbers, names and symbols, each with its column.

/// What is wrong with a text, and where (columns count characters from 1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Complaint {
    pub(super) message: String,
    pub(super) column: usize,
}

impl Complaint {
    pub(super) fn new(message: impl Into<String>, column: usize) -> Self {
        Self { message: message.into(), column }
    }
}

impl std::fmt::Display for Complaint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} at column {}", self.message, self.column)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word<'a> {
    Number(i32),
    Name(&'a str),
    Symbol(&'static str),
    End,
}

impl std::fmt::Display for Word<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => write!(f, "'{number}'"),
            Self::Name(name) => write!(f, "'{name}'"),
            Self::Symbol(symbol) => write!(f, "'{symbol}'"),
            Self::End => write!(f, "the end"),
        }
    }
}

/// Longer ones first, so that `<=` is not read as `<`.
const SYMBOLS: [&str; 26] = [
    "<<", ">>", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^", "(", ")", "[", "]",
    ",", ":", ";", "=", "{", "}",
];

/// More words than any sheet needs in one text; bounds time and memory for a hostile one.
const MAX_WORDS: usize = 4000;

/// A text as words. The reader looks at one word at a time.
pub(super) struct Words<'a> {
    words: Vec<(Word<'a>, usize)>,
    next: usize,
}

impl<'a> Words<'a> {
    pub(super) fn read(text: &'a str) -> Result<Self, Complaint> {
        let mut words = Vec::new();
        let mut rest = text;
        let mut column = 1;
        loop {
            let blank = rest.len() - rest.trim_start().len();
            column += rest[..blank].chars().count();
            rest = &rest[blank..];
            let Some(first) = rest.chars().next() else { break };
            let (word, length) = if first.is_ascii_digit() {
                let length = length_of(rest, |c| c.is_ascii_alphanumeric() || c == '_');
                (Word::Number(number(&rest[..length], column)?), length)
            } else if first.is_ascii_alphabetic() || first == '_' {
                let length = length_of(rest, |c| c.is_ascii_alphanumeric() || c == '_');
                (Word::Name(&rest[..length]), length)
            } else if let Some(symbol) = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol)) {
                (Word::Symbol(symbol), symbol.len())
            } else {
                return Err(Complaint::new(format!("unexpected character '{first}'"), column));
            };
            if words.len() == MAX_WORDS {
                return Err(Complaint::new(format!("more than {MAX_WORDS} words"), column));
            }
            words.push((word, column));
            rest = &rest[length..];
            column += length;
        }
        words.push((Word::End, column));
        Ok(Self { words, next: 0 })
    }

    pub(super) fn look(&self) -> Word<'a> {
        self.words[self.next].0
    }

    pub(super) fn column(&self) -> usize {
        self.words[self.next].1
    }

    /// Takes the next word; the end stays the end.
    pub(super) fn take(&mut self) -> Word<'a> {
        let word = self.look();
        self.next = (self.next + 1).min(self.words.len() - 1);
        word
    }

    /// Takes the next word if it is this symbol or name.
    pub(super) fn accept(&mut self, text: &str) -> bool {
        let same = match self.look() {
            Word::Symbol(symbol) => symbol == text,
            Word::Name(name) => name == text,
            Word::Number(_) | Word::End => false,
        };
        if same {
            self.take();
        }
        same
    }

    pub(super) fn expect(&mut self, text: &str) -> Result<(), Complaint> {
        if self.accept(text) {
            return Ok(());
        }
        Err(Complaint::new(format!("expected '{text}', found {}", self.look()), self.column()))
    }

    pub(super) fn expect_end(&self) -> Result<(), Complaint> {
        match self.look() {
            Word::End => Ok(()),
            word => Err(Complaint::new(format!("unexpected {word}"), self.column())),
        }
    }
}

fn length_of(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}

fn number(text: &str, column: usize) -> Result<i32, Complaint> {
    let parsed = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    let wrong = || Complaint::new(format!("'{text}' is no number from 0 to {}", i32::MAX), column);
    i32::try_from(parsed.map_err(|_| wrong())?).map_err(|_| wrong())
}

/// Whether a text can name a quantity: letters, digits and `_`, not starting with a digit.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
