//! The C structs of the interface, as far as we read or write them; 64-bit, natural alignment.
//!
//! | struct | declared size | since |
//! |---|---|---|
//! | `CallFrame` | 168 | API 0.1 (jaxlib 0.5.0) |
//! | `Buffer` | 48 | API 0.1 |
//! | `Args`, `Rets` | 40 | API 0.1 |
//! | `Metadata` | 36 | API 0.1; a field behind it came later and is left alone |
//!
//! A newer XLA may declare larger structs: we accept these and read the front.

use std::ffi::{c_char, c_void};
use std::mem::{offset_of, size_of};

/// Kind of the extension that asks for the version we were written for.
pub(crate) const METADATA_EXTENSION: i32 = 1;
/// Kind of an argument or result: an array.
pub(crate) const BUFFER: i32 = 1;
/// Stage of a call that runs.
pub(crate) const EXECUTE: i32 = 3;
/// The newest minor version whose headers were compared with these structs.
pub(crate) const NEWEST_MINOR: i32 = 5;
/// The oldest one.
pub(crate) const OLDEST_MINOR: i32 = 1;

/// Declared sizes below which a struct lacks something that we read.
pub(crate) const FRAME_SIZE: usize = 168;
pub(crate) const API_SIZE: usize = 56;
pub(crate) const API_VERSION_END: usize = 40;
pub(crate) const BUFFERS_SIZE: usize = 40;
pub(crate) const BUFFER_SIZE: usize = 48;
pub(crate) const METADATA_SIZE: usize = 36;

#[repr(C)]
pub(crate) struct Extension {
    pub(crate) struct_size: usize,
    pub(crate) kind: i32,
    pub(crate) next: *mut Extension,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct ApiVersion {
    pub(crate) struct_size: usize,
    pub(crate) extension: *mut Extension,
    pub(crate) major: i32,
    pub(crate) minor: i32,
}

#[repr(C)]
pub(crate) struct ErrorCreateArgs {
    pub(crate) struct_size: usize,
    pub(crate) extension: *mut Extension,
    pub(crate) message: *const c_char,
    pub(crate) code: i32,
}

/// An error of XLA; made by its table of functions, owned by whoever it is returned to.
#[repr(C)]
pub(crate) struct Error {
    _opaque: [u8; 0],
}

pub(crate) type ErrorCreate = unsafe extern "C" fn(*mut ErrorCreateArgs) -> *mut Error;

/// The front of XLA's table of functions.
#[repr(C)]
pub(crate) struct Api {
    pub(crate) struct_size: usize,
    pub(crate) extension: *mut Extension,
    pub(crate) version: ApiVersion,
    pub(crate) internal: *const c_void,
    pub(crate) error_create: Option<ErrorCreate>,
}

#[repr(C)]
pub(crate) struct Buffer {
    pub(crate) struct_size: usize,
    pub(crate) extension: *mut Extension,
    pub(crate) dtype: i32,
    pub(crate) data: *mut u8,
    pub(crate) rank: i64,
    pub(crate) dims: *mut i64,
}

/// Arguments or results of a call.
#[repr(C)]
pub(crate) struct Buffers {
    pub(crate) struct_size: usize,
    pub(crate) extension: *mut Extension,
    pub(crate) size: i64,
    pub(crate) kinds: *mut i32,
    pub(crate) items: *mut *mut Buffer,
}

#[repr(C)]
pub(crate) struct Attributes {
    pub(crate) struct_size: usize,
    pub(crate) extension: *mut Extension,
    pub(crate) size: i64,
    pub(crate) kinds: *mut i32,
    pub(crate) names: *mut c_void,
    pub(crate) items: *mut c_void,
}

#[repr(C)]
pub(crate) struct CallFrame {
    pub(crate) struct_size: usize,
    pub(crate) extension: *mut Extension,
    pub(crate) api: *const Api,
    pub(crate) context: *mut c_void,
    pub(crate) stage: i32,
    pub(crate) arguments: Buffers,
    pub(crate) results: Buffers,
    pub(crate) attributes: Attributes,
    pub(crate) future: *mut c_void,
}

#[repr(C)]
pub(crate) struct Metadata {
    pub(crate) struct_size: usize,
    pub(crate) version: ApiVersion,
    pub(crate) traits: u32,
}

#[repr(C)]
pub(crate) struct MetadataExtension {
    pub(crate) extension: Extension,
    pub(crate) metadata: *mut Metadata,
}

const _: () = {
    assert!(
        size_of::<Extension>() == 24 && offset_of!(Extension, kind) == 8 && offset_of!(Extension, next) == 16
    );
    assert!(size_of::<ApiVersion>() == 24 && offset_of!(ApiVersion, major) == 16);
    assert!(size_of::<ErrorCreateArgs>() == 32 && offset_of!(ErrorCreateArgs, code) == 24);
    assert!(
        offset_of!(Api, version) == 16 && offset_of!(Api, error_create) == 48 && size_of::<Api>() == API_SIZE
    );
    assert!(
        offset_of!(Buffer, dtype) == 16 && offset_of!(Buffer, data) == 24 && offset_of!(Buffer, rank) == 32
    );
    assert!(offset_of!(Buffer, dims) == 40 && size_of::<Buffer>() == BUFFER_SIZE);
    assert!(
        offset_of!(Buffers, size) == 16
            && offset_of!(Buffers, kinds) == 24
            && offset_of!(Buffers, items) == 32
    );
    assert!(size_of::<Buffers>() == BUFFERS_SIZE && size_of::<Attributes>() == 48);
    assert!(offset_of!(CallFrame, api) == 16 && offset_of!(CallFrame, stage) == 32);
    assert!(offset_of!(CallFrame, arguments) == 40 && offset_of!(CallFrame, results) == 80);
    assert!(offset_of!(CallFrame, attributes) == 120 && offset_of!(CallFrame, future) == FRAME_SIZE);
    assert!(offset_of!(Metadata, version) == 8 && offset_of!(Metadata, traits) == 32);
    assert!(offset_of!(MetadataExtension, metadata) == 24);
};
