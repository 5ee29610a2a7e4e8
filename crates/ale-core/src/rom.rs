//! A cartridge image: shared bytes and their checksum.

use std::sync::Arc;

use md5::{Digest, Md5};

/// The bytes of a cartridge and their MD5. Cloning shares the bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct Rom {
    bytes: Arc<[u8]>,
    md5: [u8; 16],
}

impl Rom {
    /// Takes any bytes; whether they are a cartridge is seen when a console loads them.
    pub fn new(bytes: impl Into<Arc<[u8]>>) -> Self {
        let bytes = bytes.into();
        let md5 = Md5::digest(&bytes).into();
        Self { bytes, md5 }
    }

    /// The image.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The image, shared.
    pub fn shared_bytes(&self) -> Arc<[u8]> {
        Arc::clone(&self.bytes)
    }

    /// The MD5 of the image.
    pub fn md5(&self) -> &[u8; 16] {
        &self.md5
    }

    /// The MD5 of the image in lower-case hexadecimal.
    pub fn md5_hex(&self) -> String {
        hex(&self.md5)
    }
}

/// Bytes in lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from(b"0123456789abcdef"[nibble as usize]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

impl std::fmt::Debug for Rom {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rom").field("size", &self.bytes.len()).field("md5", &self.md5_hex()).finish()
    }
}
