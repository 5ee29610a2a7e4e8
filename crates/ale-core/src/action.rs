//! The 18 moves of a joystick, their names and components.

/// One of the 18 moves, in the order of the reference's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Action {
    #[default]
    Noop,
    Fire,
    Up,
    Right,
    Left,
    Down,
    UpRight,
    UpLeft,
    DownRight,
    DownLeft,
    UpFire,
    RightFire,
    LeftFire,
    DownFire,
    UpRightFire,
    UpLeftFire,
    DownRightFire,
    DownLeftFire,
}

/// What a move presses, as bits.
pub mod pressed {
    /// Joystick up.
    pub const UP: u8 = 1;
    /// Joystick down.
    pub const DOWN: u8 = 2;
    /// Joystick left.
    pub const LEFT: u8 = 4;
    /// Joystick right.
    pub const RIGHT: u8 = 8;
    /// The trigger.
    pub const FIRE: u8 = 16;
}

const ROWS: [(&str, u8); 18] = {
    use pressed::{DOWN, FIRE, LEFT, RIGHT, UP};
    [
        ("NOOP", 0),
        ("FIRE", FIRE),
        ("UP", UP),
        ("RIGHT", RIGHT),
        ("LEFT", LEFT),
        ("DOWN", DOWN),
        ("UPRIGHT", UP | RIGHT),
        ("UPLEFT", UP | LEFT),
        ("DOWNRIGHT", DOWN | RIGHT),
        ("DOWNLEFT", DOWN | LEFT),
        ("UPFIRE", UP | FIRE),
        ("RIGHTFIRE", RIGHT | FIRE),
        ("LEFTFIRE", LEFT | FIRE),
        ("DOWNFIRE", DOWN | FIRE),
        ("UPRIGHTFIRE", UP | RIGHT | FIRE),
        ("UPLEFTFIRE", UP | LEFT | FIRE),
        ("DOWNRIGHTFIRE", DOWN | RIGHT | FIRE),
        ("DOWNLEFTFIRE", DOWN | LEFT | FIRE),
    ]
};

impl Action {
    /// All moves in the order of their numbers.
    pub const ALL: [Self; 18] = {
        use Action as A;
        [
            A::Noop,
            A::Fire,
            A::Up,
            A::Right,
            A::Left,
            A::Down,
            A::UpRight,
            A::UpLeft,
            A::DownRight,
            A::DownLeft,
            A::UpFire,
            A::RightFire,
            A::LeftFire,
            A::DownFire,
            A::UpRightFire,
            A::UpLeftFire,
            A::DownRightFire,
            A::DownLeftFire,
        ]
    };

    /// The move with this number, if there is one.
    pub fn from_number(number: usize) -> Option<Self> {
        Self::ALL.get(number).copied()
    }

    /// The move with this upper-case name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.name() == name)
    }

    /// The upper-case name, `"UPRIGHTFIRE"`.
    pub fn name(self) -> &'static str {
        ROWS[self as usize].0
    }

    /// What the move presses: bits of [`pressed`].
    pub fn pressed(self) -> u8 {
        ROWS[self as usize].1
    }
}
