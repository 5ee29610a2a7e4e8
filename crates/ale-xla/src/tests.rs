//! Hand-made frames: what XLA gives, and what it should never give.
#![allow(unsafe_code, reason = "frames are C structs")]

use std::ffi::CStr;
use std::mem::{size_of, zeroed};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::abi::{
    Api, ApiVersion, Buffer, Buffers, CallFrame, Error, ErrorCreateArgs, Extension, METADATA_EXTENSION,
    Metadata, MetadataExtension,
};
use crate::handler::{reset_address, step_address};
use crate::{Array, ArrayMut, DType, Fault, Handle, Target, close, register};

/// Adds its one argument to a counter and writes it twice.
#[derive(Default)]
struct Counter(AtomicUsize);

impl Target for Counter {
    fn reset(&self, _: &[Array<'_>], _: &mut [ArrayMut<'_>]) -> Result<(), Fault> {
        panic!("a mistake on purpose");
    }

    fn step(&self, arguments: &[Array<'_>], results: &mut [ArrayMut<'_>]) -> Result<(), Fault> {
        let [add] = arguments else { return Err(Fault::invalid("one argument")) };
        if add.dtype != DType::U8 {
            return Err(Fault::invalid(format!("{:?}{:?}; accepted: U8", add.dtype, add.dims)));
        }
        let sum = add.bytes.iter().map(|&byte| usize::from(byte)).sum::<usize>();
        let now = self.0.fetch_add(sum, Ordering::Relaxed) + sum;
        for result in results {
            result.bytes.fill(now as u8);
        }
        Ok(())
    }
}

/// An array with memory of its own.
struct Memory {
    dims: Vec<i64>,
    data: Vec<u8>,
    dtype: i32,
}

fn bytes(dims: &[i64], data: &[u8]) -> Memory {
    Memory { dims: dims.to_vec(), data: data.to_vec(), dtype: 6 }
}

impl Memory {
    fn buffer(&mut self) -> Buffer {
        Buffer {
            struct_size: size_of::<Buffer>(),
            extension: ptr::null_mut(),
            dtype: self.dtype,
            data: if self.data.is_empty() { ptr::null_mut() } else { self.data.as_mut_ptr() },
            rank: self.dims.len() as i64,
            dims: self.dims.as_mut_ptr(),
        }
    }
}

/// Errors are boxed strings here.
unsafe extern "C" fn create(arguments: *mut ErrorCreateArgs) -> *mut Error {
    let text = unsafe { CStr::from_ptr((*arguments).message) }.to_str().expect("UTF-8");
    let code = unsafe { (*arguments).code };
    Box::into_raw(Box::new(format!("{code}: {text}"))).cast()
}

fn api(minor: i32) -> Api {
    Api {
        struct_size: 208,
        extension: ptr::null_mut(),
        version: ApiVersion { struct_size: 24, extension: ptr::null_mut(), major: 0, minor },
        internal: ptr::null(),
        error_create: Some(create),
    }
}

/// Calls a handler with these buffers; the text of the error, if there is one.
fn call_with(
    address: usize,
    arguments: &mut [Buffer],
    results: &mut [Buffer],
    change: impl FnOnce(&mut CallFrame),
) -> Result<(), String> {
    let api = api(5);
    let mut kinds = [1_i32; 32];
    let mut argument_items: Vec<*mut Buffer> = arguments.iter_mut().map(ptr::from_mut).collect();
    let mut result_items: Vec<*mut Buffer> = results.iter_mut().map(ptr::from_mut).collect();
    let side = |items: &mut Vec<*mut Buffer>, kinds: *mut i32| Buffers {
        struct_size: 40,
        extension: ptr::null_mut(),
        size: items.len() as i64,
        kinds,
        items: items.as_mut_ptr(),
    };
    let mut frame: CallFrame = unsafe { zeroed() };
    frame.struct_size = 168;
    frame.api = &raw const api;
    frame.stage = 3;
    frame.arguments = side(&mut argument_items, kinds.as_mut_ptr());
    frame.results = side(&mut result_items, kinds.as_mut_ptr());
    change(&mut frame);
    let error = invoke(address, &raw mut frame);
    if error.is_null() { Ok(()) } else { Err(*unsafe { Box::from_raw(error.cast::<String>()) }) }
}

fn invoke(address: usize, frame: *mut CallFrame) -> *mut Error {
    let handler = unsafe {
        std::mem::transmute::<*const (), extern "C" fn(*mut CallFrame) -> *mut Error>(
            ptr::with_exposed_provenance(address),
        )
    };
    handler(frame)
}

fn call(address: usize, arguments: &mut [Memory], results: &mut [Memory]) -> Result<(), String> {
    let mut given: Vec<Buffer> = arguments.iter_mut().map(Memory::buffer).collect();
    let mut taken: Vec<Buffer> = results.iter_mut().map(Memory::buffer).collect();
    call_with(address, &mut given, &mut taken, |_| {})
}

fn step(handle: Handle, add: Memory) -> Result<(Vec<u8>, Vec<u8>), String> {
    let mut results = [bytes(&[8], &[0xAB; 8]), bytes(&[2, 3], &[0xAB; 6])];
    call(step_address(), &mut [bytes(&[8], &handle), add], &mut results)?;
    let [out, sums] = results;
    Ok((out.data, sums.data))
}

fn counter() -> Handle {
    register(Arc::new(Counter::default())).expect("slots are free")
}

#[test]
fn a_step_reads_arguments_writes_results_and_passes_the_handle_on() {
    let handle = counter();
    assert_eq!(step(handle, bytes(&[2], &[3, 4])), Ok((handle.to_vec(), vec![7; 6])));
    assert_eq!(step(handle, bytes(&[1], &[1])), Ok((handle.to_vec(), vec![8; 6])));
    close(handle);
}

#[test]
fn arguments_without_elements_may_have_no_memory() {
    let handle = counter();
    assert_eq!(step(handle, bytes(&[0], &[])), Ok((handle.to_vec(), vec![0; 6])));
    assert_eq!(step(handle, bytes(&[], &[9])), Ok((handle.to_vec(), vec![9; 6])));
    close(handle);
}

#[test]
fn a_panic_becomes_an_error() {
    let handle = counter();
    let error = call(reset_address(), &mut [bytes(&[8], &handle)], &mut [bytes(&[8], &[0; 8])]);
    assert_eq!(error, Err("13: a step panicked: a mistake on purpose".into()));
    assert!(step(handle, bytes(&[1], &[1])).is_ok());
    close(handle);
}

#[test]
fn stale_and_forged_handles_find_nothing() {
    let handle = counter();
    close(handle);
    close(handle);
    let later = counter();
    let error = step(handle, bytes(&[1], &[1])).expect_err("it was closed");
    assert!(error.starts_with("5: the handle ["), "{error}");
    let mut rng = 0x9E37_79B9_7F4A_7C15_u64;
    for _ in 0..10_000 {
        rng = rng.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let forged = (rng ^ (rng >> 29)).to_le_bytes();
        if forged != later {
            assert!(step(forged, bytes(&[1], &[1])).is_err());
        }
    }
    assert!(step([0; 8], bytes(&[1], &[1])).is_err());
    close(later);
}

#[test]
fn frames_that_do_not_fit_are_refused() {
    let handle = counter();
    let add = || bytes(&[1], &[1]);
    let fails = |arguments: &mut [Memory], results: &mut [Memory]| {
        call(step_address(), arguments, results).expect_err("it does not fit")
    };
    let out = || bytes(&[8], &[0; 8]);
    let text = fails(&mut [bytes(&[4], &[0; 4]), add()], &mut [out()]);
    assert_eq!(text, "3: argument 0 is U8[4]; accepted: the handle of one environment, U8[8]");
    assert!(fails(&mut [bytes(&[1, 8], &handle), add()], &mut [out()]).contains("U8[1, 8]"));
    assert!(fails(&mut [bytes(&[8], &handle), add()], &mut [bytes(&[7], &[0; 7])]).contains("result 0"));
    assert!(fails(&mut [], &mut [out()]).starts_with("3: 0 arguments"));
    assert!(fails(&mut [bytes(&[8], &handle), add()], &mut []).starts_with("3: 0 results"));
    let strange = Memory { dtype: 99, ..add() };
    assert!(fails(&mut [bytes(&[8], &handle), strange], &mut [out()]).contains("element type 99"));
    let negative = Memory { dims: vec![-1], ..add() };
    assert!(fails(&mut [bytes(&[8], &handle), negative], &mut [out()]).contains("shape [-1]"));
    let huge = Memory { dims: vec![i64::MAX, i64::MAX], ..add() };
    assert!(
        fails(&mut [bytes(&[8], &handle), huge], &mut [out()]).starts_with("13: argument 1 has the shape")
    );
    let many: Vec<Memory> = (0..33).map(|_| out()).collect();
    assert!(fails(&mut { many }, &mut [out()]).starts_with("3: 33 arguments"));
    close(handle);
}

#[test]
fn structs_of_other_sizes_are_refused() {
    let handle = counter();
    let run = |change: &dyn Fn(&mut CallFrame, &mut Buffer)| {
        let (mut given, mut add, mut out) = (bytes(&[8], &handle), bytes(&[1], &[1]), bytes(&[8], &[0; 8]));
        let mut arguments = [given.buffer(), add.buffer()];
        let mut results = [out.buffer()];
        let second = &raw mut arguments[1];
        call_with(step_address(), &mut arguments, &mut results, |frame| {
            change(frame, unsafe { &mut *second });
        })
    };
    assert_eq!(run(&|_, _| {}), Ok(()));
    assert_eq!(run(&|frame, _| frame.struct_size = 176), Ok(()));
    assert!(run(&|frame, _| frame.stage = 1).is_err());
    assert!(run(&|frame, _| frame.arguments.struct_size = 32).is_err());
    assert!(run(&|frame, _| frame.results.items = ptr::null_mut()).is_err());
    assert!(run(&|frame, _| unsafe { *frame.arguments.items.add(1) = ptr::null_mut() }).is_err());
    assert!(run(&|frame, _| unsafe { *frame.arguments.kinds.add(1) = 2 }).is_err());
    assert!(run(&|_, buffer| buffer.struct_size = 40).is_err());
    assert!(run(&|_, buffer| buffer.rank = -1).is_err());
    assert!(run(&|_, buffer| buffer.dims = ptr::null_mut()).is_err());
    assert!(run(&|_, buffer| buffer.data = ptr::null_mut()).is_err());
    close(handle);
}

#[test]
fn only_the_handle_may_share_memory() {
    let handle = counter();
    let (mut given, mut add) = (bytes(&[8], &handle), bytes(&[1], &[5]));
    let mut arguments = [given.buffer(), add.buffer()];
    let mut results = [given.buffer(), bytes(&[1], &[0]).buffer()];
    let mut sums = bytes(&[1], &[0]);
    results[1] = sums.buffer();
    assert_eq!(call_with(step_address(), &mut arguments, &mut results, |_| {}), Ok(()));
    assert_eq!((given.data.clone(), sums.data.clone()), (handle.to_vec(), vec![5]));

    let mut results = [given.buffer(), add.buffer()];
    let error = call_with(step_address(), &mut arguments, &mut results, |_| {}).expect_err("aliased");
    assert!(error.contains("share memory"), "{error}");
    let mut results = [given.buffer(), sums.buffer(), sums.buffer()];
    assert!(call_with(step_address(), &mut arguments, &mut results, |_| {}).is_err());
    close(handle);
}

/// What the handler reports to a query for its version.
fn metadata(api: Option<&Api>, unknown_first: bool, struct_size: usize) -> (Metadata, u64) {
    #[repr(C)]
    struct Guarded {
        metadata: Metadata,
        canary: u64,
    }
    let mut answer = Guarded {
        metadata: Metadata { struct_size, version: unsafe { zeroed() }, traits: 77 },
        canary: 0x0123_4567_89AB_CDEF,
    };
    let head = |kind, next| Extension { struct_size: 24, kind, next };
    let mut query = MetadataExtension {
        extension: head(METADATA_EXTENSION, ptr::null_mut()),
        metadata: &raw mut answer.metadata,
    };
    let mut unknown = head(4711, (&raw mut query).cast());
    let mut frame: CallFrame = unsafe { zeroed() };
    frame.struct_size = 168;
    frame.stage = 3;
    frame.api = api.map_or(ptr::null(), ptr::from_ref);
    frame.extension = if unknown_first { &raw mut unknown } else { (&raw mut query).cast() };
    assert!(invoke(step_address(), &raw mut frame).is_null());
    (answer.metadata, answer.canary)
}

#[test]
fn the_version_is_that_of_xla_within_those_we_know() {
    for (minor, reported) in [(0, 1), (1, 1), (3, 3), (5, 5), (9, 5)] {
        let (metadata, canary) = metadata(Some(&api(minor)), minor % 2 == 1, 48);
        let version = (metadata.version.major, metadata.version.minor, metadata.version.struct_size);
        assert_eq!(version, (0, reported, 24));
        assert_eq!((metadata.traits, canary), (0, 0x0123_4567_89AB_CDEF));
    }
    let mut next = api(0);
    next.version.major = 1;
    assert_eq!(metadata(Some(&next), false, 48).0.version.minor, 5);
    assert_eq!(metadata(None, true, 36).0.version.minor, 1);
    assert_eq!(metadata(None, false, 20).0.version.minor, 0, "a smaller struct is left alone");
}
