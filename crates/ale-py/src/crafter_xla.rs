//! The Crafter vector environment behind a handle of XLA.
//!
//! Numbers are as wide as jax's own: what the methods give with 64 bits (rewards, returns, lengths, positions) has 32 here.

use ale_batch::{Autoreset, Choice, PARTS, Record, Rows};
use ale_crafter::tables::{ACHIEVEMENTS, ACTIONS, ITEMS};
use ale_crafter::{Info, MAP, SYMBOLIC};
use ale_xla::{Array, Code, DType, Fault};

use crate::crafter_info::key;
use crate::crafter_rows::Inner;
use crate::xla::{Column, XlaBatch, fault, ints, write_flags, write_ints};

type WorldRecord = Record<f64, Info>;

/// A key of `info`: its name, its type, how many numbers a row has, and how they are written.
type Key = (&'static str, DType, &'static [usize], fn(&WorldRecord, &Info, &mut [u8]));

const KEYS: [Key; 8] = [
    (key::INVENTORY, DType::U8, &[ITEMS], |_, info, row| row.copy_from_slice(&info.inventory)),
    (key::ACHIEVEMENTS, DType::U32, &[ACHIEVEMENTS], |_, info, row| write_words(row, info.achievements)),
    (key::UNLOCKED, DType::Bool, &[ACHIEVEMENTS], |_, info, row| {
        write_flags(row, (0..ACHIEVEMENTS).map(|bit| info.unlocked >> bit & 1 == 1));
    }),
    (key::PLAYER_POS, DType::I32, &[2], |_, info, row| {
        write_ints(row, <[i32; 2]>::from(info.position).into_iter());
    }),
    (key::REWARD, DType::F32, &[], |record, _, row| write_float(row, record.reward)),
    (key::DISCOUNT, DType::F32, &[], |_, info, row| write_float(row, f64::from(u8::from(!info.dead)))),
    (key::EPISODE_RETURN, DType::F32, &[], |_, info, row| write_float(row, info.episode_return)),
    (key::EPISODE_LENGTH, DType::I32, &[], |_, info, row| {
        write_ints(row, std::iter::once(i32::try_from(info.episode_length).unwrap_or(i32::MAX)));
    }),
];

impl XlaBatch for Inner {
    fn num_envs(&self) -> usize {
        self.env.num_envs()
    }

    fn first_env_index(&self) -> i64 {
        self.first
    }

    fn reset_columns(&self) -> Vec<Column> {
        let rows = self.env.batch_size();
        let mut columns = self.sights("obs");
        columns.push(Column::new("env_id", DType::I32, &[rows]));
        columns.extend(self.info_columns(""));
        if self.env.layout().extra[MAP] > 0 {
            columns.push(Column::new("semantic", DType::U8, &self.map_shape));
        }
        columns
    }

    fn step_columns(&self) -> Vec<Column> {
        let rows = self.env.batch_size();
        let mut columns = self.reset_columns();
        let outcome = [("rewards", DType::F32), ("terminations", DType::Bool), ("truncations", DType::Bool)];
        let outcome = outcome.map(|(name, dtype)| Column::new(name, dtype, &[rows]));
        columns.splice(self.parts.len()..self.parts.len(), outcome);
        if self.ends_within_steps() {
            columns.extend(self.sights("final_obs"));
            columns.push(Column::new("_final_obs", DType::Bool, &[rows]));
            columns.extend(self.info_columns("final_info/"));
            columns.push(Column::new("_final_info", DType::Bool, &[rows]));
        }
        columns
    }

    fn xla_reset(&mut self, choices: &[Choice], columns: &mut [&mut [u8]]) -> Result<(), Fault> {
        if !self.env.synchronous() {
            self.env.send_reset(choices).map_err(|error| fault(&error))?;
        }
        let (obs, info) = columns.split_at_mut(self.parts.len());
        self.xla_run(Some(choices), obs, &mut [], info.get_mut(1 + KEYS.len()).map(|map| &mut **map))?;
        self.write_info(info);
        Ok(())
    }

    fn xla_step(&mut self, arguments: &[Array<'_>], columns: &mut [&mut [u8]]) -> Result<(), Fault> {
        self.set_xla_actions(arguments)?;
        if !self.env.synchronous() {
            self.env.send(None, self.memory.actions()).map_err(|error| fault(&error))?;
        }
        let parts = self.parts.len();
        let (obs, rest) = columns.split_at_mut(parts);
        let (outcome, rest) = rest.split_at_mut(3);
        let maps = usize::from(self.env.layout().extra[MAP] > 0);
        let (info, ends) = rest.split_at_mut(1 + KEYS.len() + maps);
        let (final_obs, ends) = ends.split_at_mut(if ends.is_empty() { 0 } else { parts });
        self.xla_run(None, obs, final_obs, info.get_mut(1 + KEYS.len()).map(|map| &mut **map))?;
        self.write_info(info);
        let records = self.memory.records();
        if let [rewards, terminations, truncations] = outcome {
            for (row, record) in rewards.chunks_exact_mut(size_of::<f32>()).zip(records) {
                write_float(row, if self.reward { record.reward } else { 0.0 });
            }
            write_flags(terminations, records.iter().map(|record| record.terminated));
            write_flags(truncations, records.iter().map(|record| record.truncated));
        }
        for column in final_obs {
            let len = column.len() / records.len().max(1);
            for (row, record) in column.chunks_exact_mut(len.max(1)).zip(records) {
                if record.last.is_none() {
                    row.fill(0);
                }
            }
        }
        if let [obs_ended, infos @ .., info_ended] = ends {
            write_flags(obs_ended, records.iter().map(|record| record.last.is_some()));
            write_flags(info_ended, records.iter().map(|record| record.last.is_some()));
            write_infos(records, infos, |record| record.last.as_ref());
        }
        Ok(())
    }
}

impl Inner {
    /// Whether an episode may end within a step and the next one begin.
    fn ends_within_steps(&self) -> bool {
        self.env.batch_options().autoreset == Autoreset::SameStep
    }

    /// The columns of an observation: one, or one for each part.
    fn sights(&self, name: &str) -> Vec<Column> {
        let column = |(kind, part, shape): &(&str, usize, Vec<usize>)| {
            let name = if self.dictionary { format!("{name}/{kind}") } else { name.to_owned() };
            if *part == SYMBOLIC {
                return Column::new(name, DType::F32, &[shape[0], shape[1] / size_of::<f32>()]);
            }
            Column::new(name, DType::U8, shape)
        };
        self.parts.iter().map(column).collect()
    }

    fn info_columns(&self, group: &str) -> impl Iterator<Item = Column> {
        let rows = self.env.batch_size();
        KEYS.iter().map(move |(name, dtype, numbers, _)| {
            let dims: Vec<usize> = std::iter::once(rows).chain(numbers.iter().copied()).collect();
            Column::new(format!("{group}{name}"), *dtype, &dims)
        })
    }

    /// Plays the call; observations and maps go into XLA's memory, numbers into the records. Without choices it is a step.
    fn xla_run(
        &mut self,
        choices: Option<&[Choice]>,
        obs: &mut [&mut [u8]],
        final_obs: &mut [&mut [u8]],
        map: Option<&mut [u8]>,
    ) -> Result<(), Fault> {
        let mut batch = self.new_batch([true; PARTS]);
        let mut rows = Rows {
            obs: Default::default(),
            final_obs: batch.final_obs.each_mut().map(Vec::as_mut_slice),
            extra: batch.extra.each_mut().map(Vec::as_mut_slice),
            records: &mut batch.records,
        };
        for ((_, part, _), column) in self.parts.iter().zip(obs) {
            rows.obs[*part] = column;
        }
        for ((_, part, _), column) in self.parts.iter().zip(final_obs) {
            rows.final_obs[*part] = column;
        }
        if let Some(map) = map {
            rows.extra[MAP] = map;
        }
        let mut never = || false;
        let done = match (self.env.synchronous(), choices) {
            (true, Some(choices)) => self.env.reset(choices, rows, &mut never),
            (true, None) => self.env.step(self.memory.actions(), rows, &mut never),
            (false, _) => self.env.recv(rows, &mut never),
        };
        self.keep(batch);
        done.map_err(|error| fault(&error))
    }

    /// Writes the columns `env_id` and the info of now.
    fn write_info(&self, columns: &mut [&mut [u8]]) {
        let records = self.memory.records();
        let [ids, infos @ ..] = columns else { return };
        write_ints(ids, records.iter().map(|record| record.env_id));
        write_infos(records, infos, |record| Some(&record.now));
    }

    fn set_xla_actions(&mut self, arguments: &[Array<'_>]) -> Result<(), Fault> {
        let rows = self.env.batch_size();
        let [actions] = arguments else {
            return Err(Fault::invalid(format!("{} arguments; accepted: actions", arguments.len())));
        };
        if actions.dtype != DType::I32 || actions.dims != [rows as i64] {
            let text = format!("actions are {:?}{:?}; accepted: I32[{rows}]", actions.dtype, actions.dims);
            return Err(Fault::invalid(text));
        }
        self.memory.set_actions(ints(actions).map(i64::from)).map_err(|(row, action)| {
            let last = ACTIONS - 1;
            let text = format!("the action of row {row} is {action}; accepted: 0 to {last}");
            Fault::new(Code::OutOfRange, text)
        })
    }
}

/// Writes the columns of the info that `choose` takes of each record, zeros where it takes none.
fn write_infos(
    records: &[WorldRecord],
    columns: &mut [&mut [u8]],
    choose: impl Fn(&WorldRecord) -> Option<&Info>,
) {
    for (column, (.., write)) in columns.iter_mut().zip(KEYS) {
        let len = column.len() / records.len().max(1);
        for (row, record) in column.chunks_exact_mut(len.max(1)).zip(records) {
            match choose(record) {
                Some(info) => write(record, info, row),
                None => row.fill(0),
            }
        }
    }
}

fn write_words(row: &mut [u8], words: [u32; ACHIEVEMENTS]) {
    for (bytes, word) in row.chunks_exact_mut(4).zip(words) {
        bytes.copy_from_slice(&word.to_ne_bytes());
    }
}

fn write_float(row: &mut [u8], number: f64) {
    row.copy_from_slice(&(number as f32).to_ne_bytes());
}
