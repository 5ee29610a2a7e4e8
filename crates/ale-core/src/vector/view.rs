//! How the observation of a sub-environment is made.

use std::sync::Arc;

use super::options::Observation;
use super::pictures::Stored;
use crate::env::Env;
use crate::frame::WIDTH;
use crate::preprocess::{Brighter, Brightest, Bytes, Colors, Pooled, Resize, Rows, Scratch, Size, Stack};

/// The kind of observation, and what it needs of earlier steps.
#[derive(Clone)]
pub(super) enum View {
    /// A stack of resized frames.
    Frames { resize: Arc<Resize>, stack: Stack, tone: Tone, padded: bool },
    /// The screen as it is: the pixels of the console, and what is written of them.
    Screen { kind: Observation, pixels: Vec<u8> },
    /// RAM.
    Ram,
}

/// What the pixels of a resized frame are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    /// The palette's gray values.
    Gray,
    /// Red, green and blue.
    Color,
    /// Gray values of the colours: see [`crate::palette::Luma`].
    Luma,
}

/// The frames at the end of a step.
pub(super) struct Shown<'a> {
    pub(super) last: &'a [u8],
    /// The frame before, if the two are shown as one.
    pub(super) before: Option<&'a [u8]>,
}

impl View {
    /// `luma`: gray values are those of the colours instead of the palette's.
    pub(super) fn new(observation: Observation, resize: Option<Arc<Resize>>, luma: bool) -> Self {
        match (observation, resize) {
            (Observation::Frames { color, stack, padded, .. }, Some(resize)) => {
                let stack = Stack::new(stack, resize.target_len());
                let gray = if luma { Tone::Luma } else { Tone::Gray };
                let tone = if color { Tone::Color } else { gray };
                Self::Frames { resize, stack, tone, padded }
            }
            (kind @ (Observation::Screen { .. } | Observation::Indices), _) => {
                Self::Screen { kind, pixels: Vec::new() }
            }
            _ => Self::Ram,
        }
    }

    /// Whether `other` shows the same, in the same size.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Frames { resize: a, stack: s, tone, .. },
                Self::Frames { resize: b, stack: t, tone: other, .. },
            ) => a.target() == b.target() && s.len() == t.len() && tone == other,
            (Self::Screen { kind: a, .. }, Self::Screen { kind: b, .. }) => a == b,
            (Self::Ram, Self::Ram) => true,
            _ => false,
        }
    }

    /// Whether frames have to be drawn for it.
    pub(super) fn needs_pictures(&self) -> bool {
        !matches!(self, Self::Ram)
    }

    /// Whether it is made of the palette's gray values.
    pub(super) fn is_gray(&self) -> bool {
        matches!(self, Self::Frames { tone: Tone::Gray, .. })
    }

    /// After a reset the stack has nothing but the screen as it is now.
    pub(super) fn start(&mut self, env: &Env, scratch: &mut Scratch) {
        let Self::Frames { resize, stack, tone, padded } = self else { return };
        stack.clear();
        push(resize, stack, *tone, env, &Shown { last: env.screen(), before: None }, scratch);
        if *padded {
            stack.fill();
        }
    }

    /// After steps that belong to a reset the stack has nothing but its newest frame.
    pub(super) fn start_with_newest(&mut self) {
        let Self::Frames { stack, padded, .. } = self else { return };
        if *padded { stack.fill() } else { stack.forget() }
    }

    /// The newest frame.
    pub(super) fn newest(&self) -> &[u8] {
        let Self::Frames { stack, .. } = self else { return &[] };
        stack.newest()
    }

    /// Shows a frame of before once more.
    pub(super) fn push_frame(&mut self, frame: &[u8]) {
        let Self::Frames { stack, .. } = self else { return };
        stack.push().copy_from_slice(frame);
    }

    /// Keeps the screen if it is what is shown.
    pub(super) fn keep_screen(&mut self, env: &Env) {
        let Self::Screen { pixels, .. } = self else { return };
        pixels.clear();
        pixels.extend_from_slice(env.screen());
    }

    /// The newest frame after a step that ran to its end.
    pub(super) fn push(&mut self, env: &Env, shown: &Shown<'_>, scratch: &mut Scratch) {
        let Self::Frames { resize, stack, tone, .. } = self else { return };
        push(resize, stack, *tone, env, shown, scratch);
    }

    /// [`View::push`] of frames that were drawn in the colours of the view: gray ones have gray values already.
    pub(super) fn push_drawn(&mut self, env: &Env, shown: &Shown<'_>, scratch: &mut Scratch) {
        match self {
            Self::Frames { resize, stack, tone: Tone::Gray, .. } => {
                resize.apply(&Brightest::new(shown.last, shown.before), stack.push(), scratch);
            }
            _ => self.push(env, shown, scratch),
        }
    }

    /// The newest frame after a step that ended early.
    ///
    /// Reference: such a step never shows its last frame. It repeats the frame before, brightened by the second-to-last
    /// frame if that one was reached.
    pub(super) fn push_again(&mut self) {
        let Self::Frames { stack, .. } = self else { return };
        stack.push_again();
    }

    /// See [`View::push_again`]: the frame that was shown before, and one more.
    pub(super) fn push_brightened(
        &mut self,
        env: &Env,
        stored: &Stored,
        before: &[u8],
        scratch: &mut Scratch,
        native: &mut Vec<u8>,
    ) {
        let Self::Frames { resize, stack, tone, .. } = self else { return };
        let palette = env.palette();
        if *tone == Tone::Color {
            brightest(stored, before, &palette.rgb, native);
            resize.apply(&Bytes::new(native, 3 * WIDTH), stack.push(), scratch);
        } else {
            brightest(stored, before, &palette.gray, native);
            resize.apply(&Bytes::new(native, WIDTH), stack.push(), scratch);
        }
    }

    /// Writes the observation.
    pub(super) fn write(&self, env: &Env, out: &mut [u8]) {
        match self {
            Self::Frames { stack, .. } => stack.write(out),
            Self::Screen { kind, pixels } => {
                let color = *kind == Observation::Screen { color: true };
                let (screen, below) = out.split_at_mut(pixels.len() * if color { 3 } else { 1 });
                match kind {
                    Observation::Indices => screen.copy_from_slice(pixels),
                    _ if color => env.palette().write_rgb(pixels, screen),
                    _ => env.palette().write_gray(pixels, screen),
                }
                below.fill(0);
            }
            Self::Ram => out.copy_from_slice(env.ram()),
        }
    }
}

fn push(resize: &Resize, stack: &mut Stack, tone: Tone, env: &Env, shown: &Shown<'_>, scratch: &mut Scratch) {
    let palette = env.palette();
    let Shown { last, before } = *shown;
    match tone {
        Tone::Gray => resize.apply(&Pooled::new(last, before, palette.shades()), stack.push(), scratch),
        Tone::Color => resize.apply(&Pooled::new(last, before, &palette.rgb), stack.push(), scratch),
        Tone::Luma => resize.apply(&Brighter::new(last, before, palette.luma()), stack.push(), scratch),
    }
}

/// The bytewise maximum of the frames that were shown and another one.
fn brightest<C: Colors>(stored: &Stored, before: &[u8], colors: &C, out: &mut Vec<u8>) {
    let row_len = WIDTH * C::CHANNELS;
    out.clear();
    out.resize(before.len() * C::CHANNELS, 0);
    let shown = Pooled::new(&stored.last, stored.before.as_deref(), colors);
    let other = Pooled::new(before, None, colors);
    let mut other_row = [0; 3 * WIDTH];
    let other_row = &mut other_row[..row_len];
    for (row, bytes) in out.chunks_exact_mut(row_len).enumerate() {
        shown.read(row, bytes);
        other.read(row, other_row);
        for (byte, &other) in bytes.iter_mut().zip(&*other_row) {
            *byte = (*byte).max(other);
        }
    }
}

/// The resize of a screen of this height.
pub(super) fn resize_of(height: usize, size: Size, color: bool) -> Resize {
    Resize::new(Size { height, width: WIDTH }, size, if color { 3 } else { 1 })
}
