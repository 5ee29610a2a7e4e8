//! Weights as bytes. Nothing is added up, so that what is loaded goes on bit for bit.

use ale_sim::Error;
use ale_sim::bytes::{Reader, Writer, damaged};

use super::{Mark, PERIOD, Weights, for_each_bit};

/// A number that is at least `first` and at most `last`.
fn number(bytes: &mut Reader<'_>, first: usize, last: usize) -> Result<usize, Error> {
    let number = bytes.u64()?;
    let within = (first as u64..=last as u64).contains(&number);
    if within { Ok(number as usize) } else { Err(damaged()) }
}

impl<const A: usize, M: Mark> Weights<A, M> {
    pub(in crate::sarsa) fn save(&self, out: &mut Writer) {
        out.u64(self.gains.len() as u64).u64(self.episode as u64).u64(self.alive as u64);
        self.gains.iter().for_each(|&gain| _ = out.f64(gain));
        out.u64(self.rows.len() as u64);
        for (row, feature) in self.rows.iter().zip(self.slots.features()) {
            out.u32(*feature).u32(row.marked);
            row.weights[..self.actions].iter().for_each(|weight| _ = out.u32(weight.to_bits()));
            for_each_bit(row.marked, |action| _ = out.u32(row.marks[action].gain() as u32));
        }
        out.u64(self.period as u64).u64(self.base.len() as u64);
        self.base.iter().for_each(|base| self.save_numbers(base, out));
        self.save_numbers(&self.closed, out);
        self.save_numbers(&self.sums, out);
        out.u32(self.open).flag(self.counted);
        for_each_bit(self.open, |action| _ = out.u64(self.opened[action] as u64));
        out.u64(self.on.len() as u64);
        for &number in &self.on {
            let row = &self.rows[number as usize];
            out.u32(number).u32(row.since).u32(row.count.to_bits());
        }
        for (action, list) in self.waiting.iter().enumerate() {
            let waits = |&&(number, since): &&(u32, u32)| {
                let row = &self.rows[number as usize];
                self.seen[number as usize] == self.stamp
                    && row.since == since
                    && row.marked >> action & 1 == 1
            };
            out.u64(list.iter().filter(waits).count() as u64);
            list.iter().filter(waits).for_each(|&(number, since)| _ = out.u32(number).u32(since));
        }
    }

    fn save_numbers(&self, numbers: &[f64; A], out: &mut Writer) {
        numbers[..self.actions].iter().for_each(|&number| _ = out.f64(number));
    }

    fn load_numbers(&self, bytes: &mut Reader<'_>) -> Result<[f64; A], Error> {
        let mut numbers = [0.0; A];
        for number in &mut numbers[..self.actions] {
            *number = bytes.f64()?;
        }
        Ok(numbers)
    }

    /// Reads [`Weights::save`].
    pub(in crate::sarsa) fn load(&mut self, bytes: &mut Reader<'_>) -> Result<(), Error> {
        let mut new = Self::new(self.num_features, self.actions, self.decay.clone());
        let gains = number(bytes, 1, (bytes.rest().len() / 8).min(M::MOST))?;
        (new.episode, new.alive) = (number(bytes, 1, gains)?, number(bytes, 1, gains)?);
        new.gains = (0..gains).map(|_| bytes.f64()).collect::<Result<_, _>>()?;
        new.load_rows(bytes)?;
        new.period = number(bytes, 1, gains)?;
        for _ in 0..number(bytes, 0, (gains + 1 - new.period).min(PERIOD))? {
            let base = new.load_numbers(bytes)?;
            new.base.push(base);
        }
        (new.closed, new.sums) = (new.load_numbers(bytes)?, new.load_numbers(bytes)?);
        (new.open, new.counted) = (bytes.u32()?, bytes.flag()?);
        if u64::from(new.open) >> self.actions != 0 {
            return Err(damaged());
        }
        for action in (0..self.actions).filter(|action| new.open >> action & 1 == 1) {
            new.opened[action] = number(bytes, new.period, gains - 1)?;
        }
        new.load_on(bytes)?;
        *self = new;
        Ok(())
    }

    fn load_rows(&mut self, bytes: &mut Reader<'_>) -> Result<(), Error> {
        for number in 0..bytes.u64()? {
            let (feature, marked) = (bytes.u32()?, bytes.u32()?);
            let known = feature as usize >= self.num_features || self.slots.get(feature).is_some();
            if known || u64::from(marked) >> self.actions != 0 {
                return Err(damaged());
            }
            self.slots.insert(feature);
            self.add_rows();
            let row = &mut self.rows[number as usize];
            row.marked = marked;
            for weight in &mut row.weights[..self.actions] {
                *weight = f32::from_bits(bytes.u32()?);
            }
            for action in (0..self.actions).filter(|action| marked >> action & 1 == 1) {
                let mark = bytes.u32()? as usize;
                if mark >= self.gains.len() {
                    return Err(damaged());
                }
                row.marks[action] = M::of(mark);
            }
        }
        Ok(())
    }

    /// The features that are on, and what follows from them.
    fn load_on(&mut self, bytes: &mut Reader<'_>) -> Result<(), Error> {
        self.widen(self.gains.len() + 1 - self.alive);
        for _ in 0..bytes.u64()? {
            let (number, since, count) = (bytes.u32()?, bytes.u32()?, f32::from_bits(bytes.u32()?));
            let stay = self.period..self.period + self.base.len();
            let new = self.seen.get(number as usize).is_some_and(|seen| *seen != self.stamp);
            if !new || !stay.contains(&(since as usize)) || !count.is_finite() {
                return Err(damaged());
            }
            self.seen[number as usize] = self.stamp;
            self.on.push(number);
            let row = &mut self.rows[number as usize];
            (row.since, row.count) = (since, count);
            self.count_marks(number);
        }
        for action in 0..self.actions {
            for _ in 0..bytes.u64()? {
                let waits = (bytes.u32()?, bytes.u32()?);
                if waits.0 as usize >= self.rows.len() {
                    return Err(damaged());
                }
                self.waiting[action].push(waits);
            }
        }
        Ok(())
    }
}
