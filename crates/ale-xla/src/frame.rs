//! A call frame of XLA as a safe view.
//!
//! All pointers of the interface are followed here and nowhere else. What makes it sound is written at each block;
//! together they assume of XLA what its header promises: a frame and all that it points to stay valid until the handler
//! returns, and a buffer has as many bytes as its type and dimensions say.

use std::ffi::CString;
use std::ops::Range;
use std::ptr;
use std::slice;

use crate::abi::{self, Api, Buffer, Buffers, CallFrame, ErrorCreateArgs, MetadataExtension};
use crate::fault::Fault;
use crate::handles::Handle;

/// Most arguments or results that a call of ours has.
pub(crate) const MOST: usize = 32;

/// Extensions that are looked at before a chain is taken for a ring.
const MOST_EXTENSIONS: usize = 64;

/// Type of the elements of an array, as far as we use them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DType {
    /// One byte, 0 or 1.
    Bool,
    /// Signed, 8 bits.
    I8,
    /// Signed, 16 bits.
    I16,
    /// Signed, 32 bits.
    I32,
    /// Signed, 64 bits.
    I64,
    /// Unsigned, 8 bits.
    #[default]
    U8,
    /// Unsigned, 16 bits.
    U16,
    /// Unsigned, 32 bits.
    U32,
    /// Unsigned, 64 bits.
    U64,
    /// Floating point, 32 bits.
    F32,
    /// Floating point, 64 bits.
    F64,
}

impl DType {
    fn from_number(number: i32) -> Option<Self> {
        Some(match number {
            1 => Self::Bool,
            2 => Self::I8,
            3 => Self::I16,
            4 => Self::I32,
            5 => Self::I64,
            6 => Self::U8,
            7 => Self::U16,
            8 => Self::U32,
            9 => Self::U64,
            11 => Self::F32,
            12 => Self::F64,
            _ => return None,
        })
    }

    /// Bytes of an element.
    pub fn size(self) -> usize {
        match self {
            Self::Bool | Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }
}

/// An argument: row-major and dense.
#[derive(Debug, Clone, Copy, Default)]
pub struct Array<'a> {
    /// Type of the elements.
    pub dtype: DType,
    /// Its shape.
    pub dims: &'a [i64],
    /// The elements.
    pub bytes: &'a [u8],
}

/// A result: row-major and dense. What its bytes are before they are written is unknown.
#[derive(Debug, Default)]
pub struct ArrayMut<'a> {
    /// Type of the elements.
    pub dtype: DType,
    /// Its shape.
    pub dims: &'a [i64],
    /// The elements.
    pub bytes: &'a mut [u8],
}

/// A frame whose structs are as large as we need them, with a way to report errors.
pub(crate) struct Frame<'a> {
    frame: &'a CallFrame,
    create: abi::ErrorCreate,
}

/// The arrays of a call, without the handle.
pub(crate) struct Call<'a> {
    pub(crate) handle: Handle,
    handle_out: &'a mut [u8],
    arguments: [Array<'a>; MOST],
    results: [ArrayMut<'a>; MOST],
    counts: (usize, usize),
}

/// An array as the frame has it: memory that nothing refers to yet.
#[derive(Clone, Copy)]
struct Raw<'a> {
    dtype: DType,
    dims: &'a [i64],
    data: *mut u8,
    len: usize,
}

/// Fills in the version we were written for, if the call asks for that and nothing else.
///
/// # Safety
/// `frame` is what XLA gave to a handler, during the call.
#[expect(unsafe_code, reason = "the frame is a C struct")]
pub(crate) unsafe fn answered_metadata(frame: *mut CallFrame) -> bool {
    // SAFETY: the frame is valid by contract. Extensions form a chain of structs that begin with an `Extension`; one of
    // kind 1 is a `MetadataExtension`. `api` may be null in this call, of which the version is read only when it is
    // not and large enough. No reference is made to `Metadata`: its tail is longer in newer versions, shorter in old ones.
    unsafe {
        let mut extension = (*frame).extension;
        for _ in 0..MOST_EXTENSIONS {
            if extension.is_null() {
                return false;
            }
            if (*extension).kind == abi::METADATA_EXTENSION {
                let metadata = (*extension.cast::<MetadataExtension>()).metadata;
                if !metadata.is_null() && (*metadata).struct_size >= abi::METADATA_SIZE {
                    let version = &raw mut (*metadata).version;
                    (*version).struct_size = size_of::<abi::ApiVersion>();
                    (*version).extension = ptr::null_mut();
                    (*version).major = 0;
                    (*version).minor = reported_minor((*frame).api);
                    (*metadata).traits = 0;
                }
                return true;
            }
            extension = (*extension).next;
        }
    }
    false
}

/// The minor version to report: XLA's own, within those that were compared.
///
/// # Safety
/// `api` is null or points to XLA's table of functions.
#[expect(unsafe_code, reason = "the table is a C struct")]
unsafe fn reported_minor(api: *const Api) -> i32 {
    // SAFETY: by contract; the version is read only when the table says that it reaches so far.
    unsafe {
        if api.is_null() || (*api).struct_size < abi::API_VERSION_END {
            return abi::OLDEST_MINOR;
        }
        let version = (*api).version;
        if version.major != 0 {
            return abi::NEWEST_MINOR; // XLA refuses it and says why
        }
        version.minor.clamp(abi::OLDEST_MINOR, abi::NEWEST_MINOR)
    }
}

impl<'a> Frame<'a> {
    /// A frame that can be read, and whose errors can be reported.
    ///
    /// # Safety
    /// `frame` is what XLA gave to a handler; `'a` ends with the call.
    #[expect(unsafe_code, reason = "the frame is a C struct")]
    pub(crate) unsafe fn new(frame: *mut CallFrame) -> Option<Self> {
        // SAFETY: the frame is valid by contract. Its declared size comes first and is checked before a reference is
        // made; the last field, which lies outside the declared size, is never read. The table is checked likewise.
        unsafe {
            if frame.is_null() || (*frame).struct_size < abi::FRAME_SIZE {
                return None;
            }
            let api = (*frame).api;
            if api.is_null() || (*api).struct_size < abi::API_SIZE {
                return None;
            }
            Some(Self { frame: &*frame, create: (*api).error_create? })
        }
    }

    /// The error of XLA that stands for `fault`.
    pub(crate) fn error(&self, fault: &Fault) -> *mut abi::Error {
        let text = CString::new(fault.text.replace('\0', "?")).unwrap_or_default();
        let mut arguments = ErrorCreateArgs {
            struct_size: std::mem::offset_of!(ErrorCreateArgs, code) + size_of::<i32>(),
            extension: ptr::null_mut(),
            message: text.as_ptr(),
            code: fault.code as i32,
        };
        // SAFETY: the function comes from XLA's table, the struct is as it declares it, and the text is copied in the call.
        #[expect(unsafe_code, reason = "a function of a C interface")]
        unsafe {
            (self.create)(&raw mut arguments)
        }
    }

    /// The arrays of the call.
    pub(crate) fn call(&self) -> Result<Call<'a>, Fault> {
        if self.frame.stage != abi::EXECUTE {
            return Err(Fault::internal(format!("stage {} of a call; accepted: 3", self.frame.stage)));
        }
        let (arguments, argument_count) = raw_arrays(&self.frame.arguments, "argument")?;
        let (results, result_count) = raw_arrays(&self.frame.results, "result")?;
        let (Some(handle), Some(handle_out)) = (arguments[0], results[0]) else {
            return Err(Fault::invalid("a call without a handle; accepted: handles of xla()"));
        };
        for (what, raw) in [("argument", handle), ("result", handle_out)] {
            if raw.dtype != DType::U8 || raw.dims != [8] {
                let text = format!(
                    "{what} 0 is {:?}{:?}; accepted: the handle of one environment, U8[8]",
                    raw.dtype, raw.dims
                );
                return Err(Fault::invalid(text));
            }
        }
        check_apart(&arguments[1..], &results)?;

        let mut copied = Handle::default();
        // SAFETY: `handle` has 8 bytes. It may lie where a result lies, so it is copied before references to results exist.
        #[expect(unsafe_code, reason = "memory of XLA")]
        unsafe {
            ptr::copy_nonoverlapping(handle.data, copied.as_mut_ptr(), copied.len());
        }
        let mut call = Call {
            handle: copied,
            handle_out: handle_out.bytes_mut(),
            arguments: [Array::default(); MOST],
            results: Default::default(),
            counts: (argument_count - 1, result_count - 1),
        };
        for (array, raw) in call.arguments.iter_mut().zip(arguments[1..].iter().flatten()) {
            *array = Array { dtype: raw.dtype, dims: raw.dims, bytes: raw.bytes() };
        }
        for (array, raw) in call.results.iter_mut().zip(results[1..].iter().flatten()) {
            *array = ArrayMut { dtype: raw.dtype, dims: raw.dims, bytes: raw.bytes_mut() };
        }
        Ok(call)
    }
}

impl<'a> Call<'a> {
    /// Arguments and results without the handle.
    pub(crate) fn arrays(&mut self) -> (&[Array<'a>], &mut [ArrayMut<'a>]) {
        (&self.arguments[..self.counts.0], &mut self.results[..self.counts.1])
    }

    /// Passes the handle on, so that the next call depends on this one.
    pub(crate) fn pass_handle(&mut self) {
        self.handle_out.copy_from_slice(&self.handle);
    }
}

impl<'a> Raw<'a> {
    fn range(&self) -> Range<usize> {
        let start = self.data as usize;
        start..start + self.len
    }

    fn bytes(&self) -> &'a [u8] {
        if self.len == 0 {
            return &[]; // `data` may be null
        }
        // SAFETY: XLA's buffer has `len` bytes and lives for `'a`; `check_apart` has shown that no result lies in it.
        // Memory of the allocator of another library has some value in every byte.
        #[expect(unsafe_code, reason = "memory of XLA")]
        unsafe {
            slice::from_raw_parts(self.data, self.len)
        }
    }

    fn bytes_mut(&self) -> &'a mut [u8] {
        if self.len == 0 {
            return &mut [];
        }
        // SAFETY: as `bytes`; results belong to the handler during the call, `check_apart` has shown that they lie apart
        // from each other and from the arguments, and `call` asks for each one once.
        #[expect(unsafe_code, reason = "memory of XLA")]
        unsafe {
            slice::from_raw_parts_mut(self.data, self.len)
        }
    }
}

type RawArrays<'a> = [Option<Raw<'a>>; MOST];

/// The arrays of one side of a call.
fn raw_arrays<'a>(buffers: &'a Buffers, what: &str) -> Result<(RawArrays<'a>, usize), Fault> {
    let count = usize::try_from(buffers.size).ok().filter(|count| (1..=MOST).contains(count));
    let Some(count) = count.filter(|_| buffers.struct_size >= abi::BUFFERS_SIZE) else {
        return Err(Fault::invalid(format!("{} {what}s; accepted: 1 to {MOST}", buffers.size)));
    };
    if buffers.kinds.is_null() || buffers.items.is_null() {
        return Err(Fault::internal(format!("a call without {what}s")));
    }
    let mut arrays = RawArrays::default();
    for (index, array) in arrays.iter_mut().enumerate().take(count) {
        // SAFETY: `kinds` and `items` have `size` entries, of which `index` is one; an item of kind 1 is a `Buffer`.
        #[expect(unsafe_code, reason = "arrays of a C struct")]
        let buffer: &'a Buffer = unsafe {
            if *buffers.kinds.add(index) != abi::BUFFER {
                return Err(Fault::invalid(format!("{what} {index} is no array")));
            }
            (*buffers.items.add(index))
                .as_ref()
                .ok_or_else(|| Fault::internal(format!("{what} {index} is missing")))?
        };
        *array = Some(raw_array(buffer, what, index)?);
    }
    Ok((arrays, count))
}

fn raw_array<'a>(buffer: &'a Buffer, what: &str, index: usize) -> Result<Raw<'a>, Fault> {
    if buffer.struct_size < abi::BUFFER_SIZE {
        return Err(Fault::internal(format!("{what} {index} is of an older interface")));
    }
    let dtype = DType::from_number(buffer.dtype)
        .ok_or_else(|| Fault::invalid(format!("{what} {index} has the element type {}", buffer.dtype)))?;
    let dims = match usize::try_from(buffer.rank) {
        Ok(0) => &[], // `dims` may be anything
        Ok(rank) if !buffer.dims.is_null() => {
            // SAFETY: `dims` has `rank` entries and lives as long as the frame.
            #[expect(unsafe_code, reason = "an array of a C struct")]
            unsafe {
                slice::from_raw_parts(buffer.dims.cast_const(), rank)
            }
        }
        _ => return Err(Fault::internal(format!("{what} {index} has {} dimensions", buffer.rank))),
    };
    let bytes =
        dims.iter().try_fold(dtype.size(), |bytes, &dim| bytes.checked_mul(usize::try_from(dim).ok()?));
    let len = bytes
        .filter(|&len| isize::try_from(len).is_ok())
        .ok_or_else(|| Fault::internal(format!("{what} {index} has the shape {dims:?}")))?;
    if len > 0 && buffer.data.is_null() {
        return Err(Fault::internal(format!("{what} {index} has no memory")));
    }
    Ok(Raw { dtype, dims, data: buffer.data, len })
}

/// Results must not lie in each other, nor in an argument. XLA never does that unless a program asks it to alias.
fn check_apart(arguments: &[Option<Raw<'_>>], results: &RawArrays<'_>) -> Result<(), Fault> {
    let meet = |a: &Raw<'_>, b: &Raw<'_>| {
        let (a, b) = (a.range(), b.range());
        !a.is_empty() && !b.is_empty() && a.start < b.end && b.start < a.end
    };
    for (index, result) in results.iter().flatten().enumerate() {
        let others = results.iter().flatten().skip(index + 1);
        if arguments.iter().flatten().chain(others).any(|other| meet(result, other)) {
            return Err(Fault::invalid("two arrays of a call share memory; only the handle may be aliased"));
        }
    }
    Ok(())
}
