//! The Atari vector environment behind a handle of XLA.

use ale_batch::Choice;
use ale_core::Action;
use ale_core::vector::{Autoreset, Rows};
use ale_xla::{Array, Code, DType, Fault};

use crate::vector_info::ALWAYS;
use crate::vector_rows::Inner;
use crate::xla::{Column, XlaBatch, fault, floats, ints, write_flags, write_ints};

impl XlaBatch for Inner {
    fn num_envs(&self) -> usize {
        self.env.num_envs()
    }

    fn first_env_index(&self) -> i64 {
        self.info.first().into()
    }

    fn reset_columns(&self) -> Vec<Column> {
        let rows = self.env.batch_size();
        let mut columns = vec![Column::new("obs", DType::U8, &self.shape)];
        columns.push(Column::new("env_id", DType::I32, &[rows]));
        columns.extend(ALWAYS.iter().map(|(name, _)| Column::new(*name, DType::I32, &[rows])));
        columns
    }

    fn step_columns(&self) -> Vec<Column> {
        let rows = self.env.batch_size();
        let mut columns = self.reset_columns();
        columns.insert(1, Column::new("rewards", DType::I32, &[rows]));
        columns.insert(2, Column::new("terminations", DType::Bool, &[rows]));
        columns.insert(3, Column::new("truncations", DType::Bool, &[rows]));
        if self.ends_within_steps() {
            columns.push(Column::new("final_obs", DType::U8, &self.shape));
            columns.push(Column::new("_final_obs", DType::Bool, &[rows]));
            let last = |name: &str| Column::new(format!("final_info/{name}"), DType::I32, &[rows]);
            columns.extend(ALWAYS.iter().map(|(name, _)| last(name)));
            columns.push(Column::new("_final_info", DType::Bool, &[rows]));
        }
        columns
    }

    fn xla_reset(&mut self, choices: &[Choice], columns: &mut [&mut [u8]]) -> Result<(), Fault> {
        self.choices.clear();
        self.choices.extend_from_slice(choices);
        if !self.env.synchronous() {
            self.env.send_reset(&self.choices).map_err(|error| fault(&error))?;
        }
        let [obs, numbers @ ..] = columns else { return Err(no_columns()) };
        self.xla_run(obs, None, true)?;
        self.write_infos(numbers);
        Ok(())
    }

    fn xla_step(&mut self, arguments: &[Array<'_>], columns: &mut [&mut [u8]]) -> Result<(), Fault> {
        self.set_xla_actions(arguments)?;
        if !self.env.synchronous() {
            self.env.send(None, &self.actions).map_err(|error| fault(&error))?;
        }
        let [obs, rewards, terminations, truncations, numbers @ ..] = columns else {
            return Err(no_columns());
        };
        let (numbers, last) = numbers.split_at_mut(1 + ALWAYS.len());
        let [final_obs, rest @ ..] = last else {
            self.xla_run(obs, None, false)?;
            self.write_step(rewards, terminations, truncations, numbers);
            return Ok(());
        };
        self.xla_run(obs, Some(&mut *final_obs), false)?;
        self.write_step(rewards, terminations, truncations, numbers);
        let row = final_obs.len() / self.records.len().max(1);
        for (bytes, record) in final_obs.chunks_exact_mut(row.max(1)).zip(&self.records) {
            if record.last.is_none() {
                bytes.fill(0);
            }
        }
        let ended = || self.records.iter().map(|record| record.last.is_some());
        if let [obs_ended, infos @ .., info_ended] = rest {
            write_flags(obs_ended, ended());
            write_flags(info_ended, ended());
            for (column, (_, read)) in infos.iter_mut().zip(ALWAYS) {
                let last = self.records.iter().map(|record| record.last.as_ref().map_or(0, read));
                write_ints(column, last);
            }
        }
        Ok(())
    }
}

impl Inner {
    /// Whether an episode may end within a step and the next one begin.
    fn ends_within_steps(&self) -> bool {
        self.env.batch_options().autoreset == Autoreset::SameStep
    }

    /// Plays the call; observations go into XLA's memory, numbers into `self.records`.
    fn xla_run(&mut self, obs: &mut [u8], final_obs: Option<&mut [u8]>, reset: bool) -> Result<(), Fault> {
        let mut batch = self.memory();
        let mut parts = batch.final_obs.each_mut().map(Vec::as_mut_slice);
        if let Some(final_obs) = final_obs {
            parts[0] = final_obs;
        }
        let rows = Rows {
            obs: [obs, &mut [], &mut [], &mut []],
            final_obs: parts,
            extra: batch.extra.each_mut().map(Vec::as_mut_slice),
            records: &mut batch.records,
        };
        let mut never = || false;
        let done = match (self.env.synchronous(), reset) {
            (true, true) => self.env.reset(&self.choices, rows, &mut never),
            (true, false) => self.env.step(&self.actions, rows, &mut never),
            (false, _) => self.env.recv(rows, &mut never),
        };
        self.keep(batch);
        done.map_err(|error| fault(&error))
    }

    fn write_step(
        &self,
        rewards: &mut [u8],
        terminations: &mut [u8],
        truncations: &mut [u8],
        numbers: &mut [&mut [u8]],
    ) {
        write_ints(rewards, self.records.iter().map(|record| record.reward));
        write_flags(terminations, self.records.iter().map(|record| record.terminated));
        write_flags(truncations, self.records.iter().map(|record| record.truncated));
        self.write_infos(numbers);
    }

    /// Takes indices of actions, or numbers of actions with their strengths.
    fn set_xla_actions(&mut self, arguments: &[Array<'_>]) -> Result<(), Fault> {
        let rows = self.env.batch_size();
        let (indices, strengths) = match arguments {
            [indices] => (indices, None),
            [numbers, strengths] => (numbers, Some(strengths)),
            _ => return Err(Fault::invalid(format!("{} arguments; accepted: actions", arguments.len()))),
        };
        for (what, array, dtype) in
            [("actions", Some(indices), DType::I32), ("strengths", strengths, DType::F32)]
        {
            if let Some(array) = array
                && (array.dtype != dtype || array.dims != [rows as i64])
            {
                let text =
                    format!("{what} are {:?}{:?}; accepted: {dtype:?}[{rows}]", array.dtype, array.dims);
                return Err(Fault::invalid(text));
            }
        }
        self.actions.clear();
        let mut strengths = strengths.map(floats);
        let by_number = strengths.is_some();
        for (row, index) in ints(indices).enumerate() {
            let index = i64::from(index);
            let (action, count) = if by_number {
                (usize::try_from(index).ok().and_then(Action::from_number), Action::ALL.len())
            } else {
                let setup = self.env.options();
                (setup.action(index).ok(), setup.actions.len())
            };
            let Some(action) = action else {
                let text = format!("Invalid action_id: {index}, available actions: {count} (row {row})");
                return Err(Fault::new(Code::OutOfRange, text));
            };
            let strength = strengths.as_mut().and_then(Iterator::next).unwrap_or(1.0);
            if !strength.is_finite() {
                let text =
                    format!("the action of row {row} has the strength {strength}; accepted: finite numbers");
                return Err(Fault::invalid(text));
            }
            self.actions.push((action, strength));
        }
        Ok(())
    }

    fn write_infos(&self, columns: &mut [&mut [u8]]) {
        let (records, first) = (&self.records, self.info.first());
        let [ids, infos @ ..] = columns else { return };
        write_ints(ids, records.iter().map(|record| record.env_id.wrapping_add(first)));
        for (column, (_, read)) in infos.iter_mut().zip(ALWAYS) {
            write_ints(column, records.iter().map(|record| read(&record.now)));
        }
    }
}

fn no_columns() -> Fault {
    Fault::new(Code::Internal, "a result without columns")
}
