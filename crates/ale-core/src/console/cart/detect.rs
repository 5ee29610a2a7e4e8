//! Which scheme an image uses, told by its checksum, its size and byte patterns of its program.

use super::Scheme;
use crate::console::Properties;
use crate::error::Error;
use crate::rom::Rom;

/// Checksums of images whose two F8 banks are the wrong way round.
const SWAPPED: [&str; 2] = ["bc24440b59092559a1ec26055fd1270e", "75ee371ccfc4f43e7d9b8f24e1266b55"];

impl Scheme {
    /// The scheme of an image: by checksum, else as its properties say, else by its bytes.
    ///
    /// # Errors
    /// [`Error::RomSize`] when the bytes are no known cartridge, [`Error::Config`] when the properties name
    /// no scheme.
    pub fn detect(rom: &Rom, properties: &Properties) -> Result<Self, Error> {
        if SWAPPED.contains(&rom.md5_hex().as_str()) {
            return Ok(Self::F8Swapped);
        }
        match &properties.cartridge_type {
            Some(name) => Self::from_name(name),
            None => by_bytes(rom.bytes()).ok_or(Error::RomSize { size: rom.bytes().len() }),
        }
    }
}

fn by_bytes(image: &[u8]) -> Option<Scheme> {
    let tigervision = || match () {
        () if is_3e(image) => Some(Scheme::ThreeE),
        () if is_3f(image) => Some(Scheme::ThreeF),
        () => None,
    };
    match image.len() {
        size if size != 0 && size.is_multiple_of(8448) => Some(Scheme::Ar),
        2048 | 4096 if is_cv(image) => Some(Scheme::Cv),
        2048 => Some(Scheme::TwoK),
        4096 if image[..2048] == image[2048..] => Some(Scheme::TwoK),
        4096 => Some(Scheme::FourK),
        8192 if has_sc_ram(image) => Some(Scheme::F8Sc),
        8192 if image[..4096] == image[4096..] => Some(Scheme::FourK),
        8192 if is_e0(image) => Some(Scheme::E0),
        8192 => tigervision()
            .or_else(|| contains(image, &[0x8D, 0x40, 0x02]).then_some(Scheme::Ua))
            .or_else(|| is_fe(image).then_some(Scheme::Fe))
            .or(Some(Scheme::F8)),
        10240 | 10495 | 10496 => Some(Scheme::Dpc),
        12288 => Some(Scheme::Fasc),
        16384 if has_sc_ram(image) => Some(Scheme::F6Sc),
        16384 if is_e7(image) => Some(Scheme::E7),
        16384 => tigervision().or(Some(Scheme::F6)),
        32768 if has_sc_ram(image) => Some(Scheme::F4Sc),
        32768 => tigervision().or(Some(Scheme::F4)),
        65536 => tigervision().or(Some(Scheme::Mb)),
        131_072 => tigervision().or(Some(Scheme::Mc)),
        _ => tigervision(),
    }
}

/// The first 256 bytes of every bank, where the RAM ports lie over the ROM, are filler.
fn has_sc_ram(image: &[u8]) -> bool {
    image.chunks_exact(4096).all(|bank| bank[..256].iter().all(|&byte| byte == bank[0]))
}

fn is_cv(image: &[u8]) -> bool {
    contains(image, &[0x9D, 0xFF, 0xF3]) || contains(image, &[0x99, 0x00, 0xF4])
}

fn is_e0(image: &[u8]) -> bool {
    const ACCESSES: [[u8; 3]; 6] = [
        [0x8D, 0xE0, 0x1F],
        [0x8D, 0xE0, 0x5F],
        [0x8D, 0xE9, 0xFF],
        [0xAD, 0xE9, 0xFF],
        [0xAD, 0xED, 0xFF],
        [0xAD, 0xF3, 0xBF],
    ];
    ACCESSES.iter().any(|access| contains(image, access))
}

/// The RAM ports of the fixed slice are filler with something else around it.
fn is_e7(image: &[u8]) -> bool {
    let filler = image[0x3800];
    let around = image[0x37E0..0x3800].iter().chain(&image[0x3A00..0x3A20]);
    image[0x3800..0x3A00].iter().all(|&byte| byte == filler) && around.into_iter().any(|&byte| byte != filler)
}

fn is_3e(image: &[u8]) -> bool {
    contains(image, &[0x85, 0x3E, 0xA9, 0x00])
}

fn is_3f(image: &[u8]) -> bool {
    count(image, &[0x85, 0x3F], 2) == 2
}

fn is_fe(image: &[u8]) -> bool {
    const CALLS: [[u8; 5]; 4] = [
        [0x20, 0x00, 0xD0, 0xC6, 0xC5],
        [0x20, 0xC3, 0xF8, 0xA5, 0x82],
        [0xD0, 0xFB, 0x20, 0x73, 0xFE],
        [0x20, 0x00, 0xF0, 0x84, 0xD6],
    ];
    CALLS.iter().any(|call| contains(image, call))
}

fn contains(image: &[u8], pattern: &[u8]) -> bool {
    count(image, pattern, 1) == 1
}

/// How often the pattern occurs, up to `enough`.
// Reference: the last position where the pattern would fit is not examined, and one byte is passed over after
// every hit.
fn count(image: &[u8], pattern: &[u8], enough: usize) -> usize {
    let end = image.len().saturating_sub(pattern.len());
    let (mut at, mut hits) = (0, 0);
    while at < end && hits < enough {
        if image[at..].starts_with(pattern) {
            hits += 1;
            at += pattern.len();
        }
        at += 1;
    }
    hits
}
