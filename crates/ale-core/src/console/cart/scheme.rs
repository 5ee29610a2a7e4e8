//! The bank switching schemes and their names.

use crate::error::Error;

/// How a cartridge shows its image in the 4 KiB window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// 2 KiB, mirrored.
    TwoK,
    /// 4 KiB.
    FourK,
    /// 8 KiB in two banks; starts in the second.
    F8,
    /// As [`Scheme::F8`], but starts in the first.
    F8Swapped,
    /// 16 KiB in four banks.
    F6,
    /// 32 KiB in eight banks.
    F4,
    /// [`Scheme::F8`] with 128 bytes of RAM.
    F8Sc,
    /// [`Scheme::F6`] with 128 bytes of RAM.
    F6Sc,
    /// [`Scheme::F4`] with 128 bytes of RAM.
    F4Sc,
    /// 12 KiB in three banks with 256 bytes of RAM.
    Fasc,
    /// 8 KiB in slices of 1 KiB, three of four windows selectable.
    E0,
    /// 16 KiB in slices of 2 KiB with 2 KiB of RAM.
    E7,
    /// 8 KiB in two banks, chosen by A13.
    Fe,
    /// Banks of 2 KiB, chosen by a write to the TIA's page.
    ThreeF,
    /// [`Scheme::ThreeF`] with 32 KiB of RAM.
    ThreeE,
    /// 8 KiB in two banks, chosen by an access to $0220 or $0240.
    Ua,
    /// 2 KiB with 1 KiB of RAM.
    Cv,
    /// 64 KiB in sixteen banks, stepped through by one hot spot.
    Mb,
    /// 128 KiB with 32 KiB of RAM in four windows of 1 KiB.
    Mc,
    /// The Supercharger: tape loads into 6 KiB of RAM.
    Ar,
    /// 8 KiB in two banks with a chip of data fetchers and music.
    Dpc,
    /// Known by name only: the window reads 0.
    Stub4A50,
    /// Known by name only: the window reads 0.
    Stub0840,
}

impl Scheme {
    /// Every scheme, in the order of their numbers in a saved state.
    pub const ALL: [Self; 23] = [
        Self::TwoK,
        Self::FourK,
        Self::F8,
        Self::F8Swapped,
        Self::F6,
        Self::F4,
        Self::F8Sc,
        Self::F6Sc,
        Self::F4Sc,
        Self::Fasc,
        Self::E0,
        Self::E7,
        Self::Fe,
        Self::ThreeF,
        Self::ThreeE,
        Self::Ua,
        Self::Cv,
        Self::Mb,
        Self::Mc,
        Self::Ar,
        Self::Dpc,
        Self::Stub4A50,
        Self::Stub0840,
    ];

    /// The usual short name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TwoK => "2K",
            Self::FourK => "4K",
            Self::F8 => "F8",
            Self::F8Swapped => "F8SWAP",
            Self::F6 => "F6",
            Self::F4 => "F4",
            Self::F8Sc => "F8SC",
            Self::F6Sc => "F6SC",
            Self::F4Sc => "F4SC",
            Self::Fasc => "FASC",
            Self::E0 => "E0",
            Self::E7 => "E7",
            Self::Fe => "FE",
            Self::ThreeF => "3F",
            Self::ThreeE => "3E",
            Self::Ua => "UA",
            Self::Cv => "CV",
            Self::Mb => "MB",
            Self::Mc => "MC",
            Self::Ar => "AR",
            Self::Dpc => "DPC",
            Self::Stub4A50 => "4A50",
            Self::Stub0840 => "0840",
        }
    }

    /// The scheme of this name, in capitals or not.
    ///
    /// # Errors
    /// [`Error::Config`] when there is none.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|scheme| scheme.name().eq_ignore_ascii_case(name)).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|scheme| scheme.name()).collect();
            Error::Config(format!("cartridge type {name:?} does not exist; accepted: {}", names.join(", ")))
        })
    }

    /// Checks that an image of `size` bytes can be a cartridge of this scheme.
    pub(super) fn check_size(self, size: usize) -> Result<(), Error> {
        let (fits, accepted) = match self {
            Self::TwoK | Self::Cv => (matches!(size, 2048 | 4096), "2048 or 4096"),
            Self::FourK => (matches!(size, 4096 | 8192), "4096 or 8192"),
            Self::F8 | Self::F8Swapped | Self::F8Sc | Self::E0 | Self::Fe | Self::Ua => {
                (size == 8192, "8192")
            }
            Self::F6 | Self::F6Sc | Self::E7 => (size == 16384, "16384"),
            Self::F4 | Self::F4Sc => (size == 32768, "32768"),
            Self::Fasc => (size == 12288, "12288"),
            Self::Dpc => ((10240..=10496).contains(&size), "10240 to 10496"),
            Self::Mb => (size == 65536, "65536"),
            Self::Mc => ((1..=131_072).contains(&size), "1 to 131072"),
            Self::Ar => (size != 0 && size.is_multiple_of(8448), "a multiple of 8448"),
            Self::ThreeF | Self::ThreeE => ((1..=1 << 24).contains(&size), "1 to 16777216"),
            Self::Stub4A50 | Self::Stub0840 => (true, "any number of"),
        };
        if fits {
            return Ok(());
        }
        let name = self.name();
        Err(Error::Config(format!("a cartridge of type {name} has {accepted} bytes; this image has {size}")))
    }
}
