//! Properties of a cartridge: controllers, television, display window.

/// The television norm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Television {
    /// 60 Hz, up to 290 lines.
    Ntsc,
    /// 50 Hz, up to 342 lines.
    Pal,
    /// The colours and the line limit of PAL at 60 Hz; the picture keeps its height.
    Pal60,
    /// 50 Hz, eight colours.
    Secam,
}

impl Television {
    /// A picture is ended by force once a register is written on a line after this one.
    // Reference: the limit looks for a norm whose name starts with "PAL", so SECAM has that of NTSC.
    pub const fn max_scanline(self) -> u32 {
        match self {
            Self::Ntsc | Self::Secam => 290,
            Self::Pal | Self::Pal60 => 342,
        }
    }

    /// Rows of the picture when the properties ask for `height`: the usual 210 are 250 in PAL and SECAM.
    pub const fn picture_height(self, height: u16) -> u16 {
        match self {
            Self::Pal | Self::Secam if height == 210 => 250,
            _ => height,
        }
    }
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
#[expect(clippy::struct_excessive_bools, reason = "independent switches, set by name")]
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
    /// Whether a port has paddles.
    pub fn has_paddles(&self) -> bool {
        self.controllers.contains(&Controller::Paddles)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pal60_has_the_line_limit_of_pal_but_not_its_height() {
        use Television::{Ntsc, Pal, Pal60, Secam};
        assert_eq!([Ntsc, Pal, Pal60, Secam].map(Television::max_scanline), [290, 342, 342, 290]);
        assert_eq!([Ntsc, Pal, Pal60, Secam].map(|norm| norm.picture_height(210)), [210, 250, 210, 250]);
        assert_eq!(Pal.picture_height(256), 256);
    }
}
