//! What XLA calls.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::ptr;

use crate::Target;
use crate::abi::{CallFrame, Error};
use crate::fault::Fault;
use crate::frame::{Array, ArrayMut, Frame, answered_metadata};
use crate::handles;

type Method = fn(&dyn Target, &[Array<'_>], &mut [ArrayMut<'_>]) -> Result<(), Fault>;

/// The address of the handler that resets, as XLA registers it.
pub fn reset_address() -> usize {
    reset as extern "C" fn(*mut CallFrame) -> *mut Error as usize
}

/// The address of the handler that steps.
pub fn step_address() -> usize {
    step as extern "C" fn(*mut CallFrame) -> *mut Error as usize
}

extern "C" fn reset(frame: *mut CallFrame) -> *mut Error {
    handle(frame, |target, arguments, results| target.reset(arguments, results))
}

extern "C" fn step(frame: *mut CallFrame) -> *mut Error {
    handle(frame, |target, arguments, results| target.step(arguments, results))
}

fn handle(frame: *mut CallFrame, method: Method) -> *mut Error {
    // SAFETY: the addresses of the two handlers are given to XLA only, which calls them with a frame of its own that
    // stays valid until they return.
    #[expect(unsafe_code, reason = "the frame is a C struct")]
    let frame = unsafe {
        if !frame.is_null() && answered_metadata(frame) {
            return ptr::null_mut();
        }
        Frame::new(frame)
    };
    let Some(frame) = frame else {
        // Without a frame there is no way to report an error, and returning null would mean success.
        eprintln!("ale_rs: XLA called with a frame of an unknown interface; accepted: API 0.1 and later");
        process::abort();
    };
    // A panic must not leave an `extern "C"` function.
    let result = catch_unwind(AssertUnwindSafe(|| run(&frame, method)));
    match result {
        Ok(Ok(())) => ptr::null_mut(),
        Ok(Err(fault)) => frame.error(&fault),
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().map(ToString::to_string);
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            frame.error(&Fault::internal(format!("a step panicked: {text}")))
        }
    }
}

fn run(frame: &Frame<'_>, method: Method) -> Result<(), Fault> {
    let mut call = frame.call()?;
    let target = handles::find(call.handle)?;
    let (arguments, results) = call.arrays();
    method(&*target, arguments, results)?;
    call.pass_handle();
    Ok(())
}
