//! The two sound channels: six registers, a divider and two shift registers each.
//!
//! Sound never influences anything else. A sample is one clock of the generators; which register
//! values it sees is decided when samples are made, so writes only store.

/// Registers and generators of both channels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Audio {
    pub(crate) channels: [Channel; 2],
}

/// One channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Channel {
    /// AUDC, 4 bits: which step.
    pub(crate) control: u8,
    /// AUDF, 5 bits: the divider.
    pub(crate) frequency: u8,
    /// AUDV, 4 bits.
    pub(crate) volume: u8,
    pub(crate) count: u8,
    pub(crate) poly4: u8,
    pub(crate) poly5: u8,
}

impl Default for Audio {
    fn default() -> Self {
        let channel = Channel { control: 0, frequency: 0, volume: 0, count: 0, poly4: 1, poly5: 1 };
        Self { channels: [channel.clone(), channel] }
    }
}

impl Audio {
    /// A write to AUDC0 … AUDV1, counted from 0.
    pub(crate) fn write(&mut self, register: u8, value: u8) {
        let channel = &mut self.channels[usize::from(register & 1)];
        match register >> 1 {
            0 => channel.control = value & 15,
            1 => channel.frequency = value & 31,
            _ => channel.volume = value & 15,
        }
    }

    /// Fills the buffer with the next samples.
    pub(crate) fn make_samples(&mut self, samples: &mut [u8]) {
        for sample in samples {
            *sample = 128;
            for channel in &mut self.channels {
                *sample += channel.clock();
            }
        }
    }
}

/// Shifts a bit in from the right.
const fn shift(register: u8, bit: u8) -> u8 {
    register << 1 | bit
}

const fn bit(register: u8, number: u8) -> u8 {
    register >> number & 1
}

impl Channel {
    /// One clock; what the channel adds to the sample, at most 60.
    fn clock(&mut self) -> u8 {
        self.count += 1;
        if self.count > self.frequency {
            self.count = 0;
            self.step();
        }
        if bit(self.poly4, 3) == 1 { 4 * self.volume } else { 0 }
    }

    fn step(&mut self) {
        match self.control {
            0 | 11 => self.poly4 = shift(self.poly4, 1),
            1 => self.step_poly4(),
            2 => self.if_poly31(Self::step_poly4),
            3 => self.if_poly5(Self::step_poly4),
            4 | 5 => self.toggle(),
            6 => self.if_poly31(Self::toggle),
            7 => self.if_poly5(Self::toggle),
            8 => self.step_poly9(),
            9 => {
                self.step_poly5();
                self.poly4 = shift(self.poly4, bit(self.poly5, 5));
            }
            10 => self.if_poly31(|channel| channel.poly4 = shift(channel.poly4, bit(channel.poly5, 4))),
            12 | 13 => self.sixth(),
            14 => self.if_poly31(Self::sixth),
            _ => self.if_poly5(Self::sixth),
        }
    }

    fn if_poly31(&mut self, action: impl FnOnce(&mut Self)) {
        self.step_poly5();
        if self.poly5 & 15 == 8 {
            action(self);
        }
    }

    fn if_poly5(&mut self, action: impl FnOnce(&mut Self)) {
        self.step_poly5();
        if bit(self.poly5, 4) == 1 {
            action(self);
        }
    }

    fn step_poly4(&mut self) {
        let p = self.poly4;
        self.poly4 = if p & 15 == 0 { 1 } else { shift(p, bit(p, 3) ^ bit(p, 2)) };
    }

    fn step_poly5(&mut self) {
        let p = self.poly5;
        self.poly5 = if p & 31 == 0 { 1 } else { shift(p, bit(p, 4) ^ bit(p, 2)) };
    }

    fn step_poly9(&mut self) {
        let idle = self.poly5 & 31 == 0 && self.poly4 & 15 == 0;
        self.poly5 = if idle { 1 } else { shift(self.poly5, bit(self.poly4, 3) ^ bit(self.poly5, 4)) };
        self.poly4 = shift(self.poly4, bit(self.poly5, 5));
    }

    fn toggle(&mut self) {
        self.poly4 = shift(self.poly4, 1 ^ bit(self.poly4, 0));
    }

    fn sixth(&mut self) {
        let p = self.poly4;
        self.poly4 = shift(!p, u8::from(bit(p, 2) == 0 && p & 7 != 0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(control: u8, frequency: u8, volume: u8, count: usize) -> Vec<u8> {
        let mut audio = Audio::default();
        audio.write(0, control);
        audio.write(2, frequency);
        audio.write(4, volume);
        let mut samples = vec![0; count];
        audio.make_samples(&mut samples);
        samples
    }

    #[test]
    fn silence_is_128() {
        assert!(samples(4, 0, 0, 64).iter().all(|&sample| sample == 128));
    }

    #[test]
    fn control_4_is_a_square_wave_of_two_clocks_a_period() {
        let wave = samples(4, 0, 15, 12);
        assert_eq!(wave[4..], [188, 128, 188, 128, 188, 128, 188, 128].map(|v: u8| v)[..]);
    }

    #[test]
    fn the_four_bit_register_repeats_after_fifteen_steps() {
        let wave = samples(1, 0, 1, 60);
        assert_eq!(wave[15..30], wave[30..45]);
        assert_eq!(wave[15..30].iter().filter(|&&v| v == 132).count(), 8);
    }

    #[test]
    fn the_divider_slows_by_frequency_plus_one() {
        let fast = samples(1, 0, 1, 30);
        let slow = samples(1, 2, 1, 90);
        let thinned: Vec<u8> = slow.iter().skip(2).step_by(3).copied().collect();
        assert_eq!(fast, thinned);
    }
}
