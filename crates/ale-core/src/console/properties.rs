//! What is known of a cartridge besides its bytes.

use crate::rom::Rom;

/// The television norm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Television {
    /// 60 Hz, up to 290 lines.
    Ntsc,
    /// 50 Hz, up to 342 lines.
    Pal,
    /// 50 Hz, eight colours.
    Secam,
}

/// What is plugged into a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Controller {
    /// A joystick, or nothing.
    #[default]
    Joystick,
    /// A pair of paddles.
    Paddles,
}

/// Per-cartridge facts of the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Properties {
    /// Bank switching scheme by name; `None` looks at the bytes.
    pub cartridge_type: Option<String>,
    /// What is plugged in left and right.
    pub controllers: [Controller; 2],
    /// The two controllers are plugged into the opposite ports.
    pub swap_ports: bool,
    /// The two paddles of a pair are exchanged.
    pub swap_paddles: bool,
    /// Left difficulty switch at power-on is A.
    pub left_difficulty_a: bool,
    /// Right difficulty switch at power-on is A.
    pub right_difficulty_a: bool,
    /// The television norm; `None` measures it.
    pub television: Option<Television>,
    /// First line of the picture.
    pub ystart: u16,
    /// Rows of the picture; 210 becomes 250 when PAL is measured.
    pub height: u16,
    /// HMOVE blanks the first eight pixels.
    pub hmove_blanks: bool,
}

impl Default for Properties {
    fn default() -> Self {
        Self {
            cartridge_type: None,
            controllers: [Controller::Joystick; 2],
            swap_ports: false,
            swap_paddles: false,
            left_difficulty_a: false,
            right_difficulty_a: false,
            television: None,
            ystart: 34,
            height: 210,
            hmove_blanks: true,
        }
    }
}

impl Properties {
    /// The properties known for this image, or the defaults.
    pub fn of(rom: &Rom) -> Self {
        let _ = rom;
        Self::default()
    }

    /// Whether a port has paddles.
    pub fn has_paddles(&self) -> bool {
        self.controllers.contains(&Controller::Paddles)
    }
}
