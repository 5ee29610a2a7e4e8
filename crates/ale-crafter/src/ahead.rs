//! Worlds made ahead: threads without a task make the worlds that the next resets will need.
//!
//! A world depends on its base seed and the number of its episode only, so that this is a cache: a reset that finds its
//! world here takes it, any other makes its own, and both get the same one.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::game::Game;
use crate::layers::Layers;
use crate::options::Options;

/// Cells of the largest area whose worlds are made ahead: the thread that makes one does nothing else for that long.
const LARGEST: usize = 128 * 128;

/// The worlds of a batch that are made ahead.
#[derive(Debug)]
pub struct Ahead {
    options: Options,
    /// So many worlds at most.
    limit: usize,
    cache: Mutex<Cache>,
}

/// What world: the base seed's hash and the number of the episode.
type Key = (i64, u64);

#[derive(Debug, Default)]
struct Cache {
    /// Worlds that no thread has begun, the oldest order first.
    wanted: VecDeque<Key>,
    /// Games at the beginning of their episodes, the oldest first.
    ready: VecDeque<Box<Game>>,
    /// Games whose memory serves again.
    spare: Vec<Box<Game>>,
    /// So many of them at most: the worlds that are kept, and those that threads are making.
    most: usize,
    /// Memory for the noise, one for each thread that makes worlds.
    layers: Vec<Layers>,
}

impl Ahead {
    /// A cache for so many games with these options.
    pub fn new(options: &Options, games: usize) -> Self {
        let limit = Self::limit(options, games);
        let mut cache = Cache::default();
        cache.wanted.reserve(limit + 1);
        cache.ready.reserve(limit + 1);
        Self { options: *options, limit, cache: Mutex::new(cache) }
    }

    /// Makes the memory that so many threads need, so that making worlds allocates nothing.
    pub(crate) fn prepare(&self, threads: usize) {
        if self.limit == 0 {
            return;
        }
        let mut cache = self.cache();
        cache.most = self.limit + threads;
        let most = cache.most;
        cache.ready.reserve(most + 1);
        // One more until the next `shrink`.
        cache.spare.reserve(most + 1);
        cache.spare.resize_with(most, || Box::new(Game::new(self.options, 0)));
        cache.layers.resize_with(threads, || Layers::new(self.options.area));
    }

    /// So many worlds at most are kept for so many games.
    pub(crate) fn limit(options: &Options, games: usize) -> usize {
        if options.area.0 * options.area.1 <= LARGEST { games } else { 0 }
    }

    /// Starts the next episode of a game, with a world from here or with a new one, and orders the world after it.
    pub(crate) fn reset(&self, game: &mut Game, layers: &mut Layers) {
        let key = next(game);
        if !self.swap(key, game) {
            game.reset_with(layers);
        }
        // A child process may find this locked for ever by a thread that it does not have: its games make their own.
        if self.limit > 0
            && let Ok(mut cache) = self.cache.try_lock()
        {
            cache.order(next(game), self.limit);
        }
    }

    /// Puts the world with this key into the game, if it is here.
    fn swap(&self, key: Key, game: &mut Game) -> bool {
        let Ok(mut cache) = self.cache.try_lock() else { return false };
        if let Some(place) = cache.ready.iter().position(|ready| (ready.base(), ready.episode()) == key)
            && let Some(mut found) = cache.ready.remove(place)
        {
            std::mem::swap(game, &mut *found);
            cache.spare.push(found);
            return true;
        }
        cache.wanted.retain(|wanted| *wanted != key);
        false
    }

    /// Makes one world that was ordered. Says whether there was one.
    pub(crate) fn make(&self) -> bool {
        let mut cache = self.cache();
        let Some((base, episode)) = cache.wanted.pop_front() else { return false };
        let spare = cache.spare.pop();
        let layers = cache.layers.pop();
        drop(cache);
        let mut game = spare.unwrap_or_else(|| Box::new(Game::new(self.options, base)));
        let mut layers = layers.unwrap_or_else(|| Layers::new(self.options.area));
        game.seed(base);
        game.skip_to(episode.wrapping_sub(1));
        game.reset_with(&mut layers);
        let mut cache = self.cache();
        cache.layers.push(layers);
        cache.ready.push_back(game);
        cache.shrink(self.limit);
        true
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cache {
    fn order(&mut self, key: Key, limit: usize) {
        self.wanted.push_back(key);
        self.shrink(limit);
    }

    /// Drops what was ordered first: the game has gone on with another seed.
    fn shrink(&mut self, limit: usize) {
        while self.ready.len() + self.wanted.len() > limit {
            match self.ready.pop_front() {
                Some(game) => self.spare.push(game),
                None => _ = self.wanted.pop_front(),
            }
        }
        self.spare.truncate(self.most);
    }
}

/// The world that the next reset of a game will need.
fn next(game: &Game) -> Key {
    (game.base(), game.episode().wrapping_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Episodes of some games with worlds made ahead in between, beside games that make their own.
    #[test]
    fn a_world_made_ahead_is_the_same() {
        let options = Options::default();
        let ahead = Ahead::new(&options, 3);
        ahead.prepare(1);
        let mut layers = Layers::new(options.area);
        let mut games: Vec<Game> = (0..3).map(|base| Game::new(options, base)).collect();
        let mut twins = games.clone();
        let mut made = 0;
        for round in 0..12 {
            for (index, (game, twin)) in games.iter_mut().zip(&mut twins).enumerate() {
                if round == 5 {
                    game.seed(77);
                    twin.seed(77);
                }
                ahead.reset(game, &mut layers);
                twin.reset_with(&mut layers);
                assert_eq!(game, twin, "game {index}, round {round}");
                for action in 0..40 {
                    game.step(action % 17);
                    twin.step(action % 17);
                }
                assert_eq!(game, twin);
            }
            for _ in 0..round {
                made += usize::from(ahead.make());
            }
            let cache = ahead.cache();
            assert!(cache.ready.len() + cache.wanted.len() <= 3);
            assert_eq!(cache.ready.len() + cache.spare.len(), 4, "the same memory all the time");
        }
        assert!(made > 20, "{made} worlds");
    }

    #[test]
    fn a_locked_cache_is_left_alone() {
        let options = Options::default();
        let ahead = Ahead::new(&options, 1);
        let mut layers = Layers::new(options.area);
        let mut game = Game::new(options, 5);
        let mut twin = game.clone();
        let locked = ahead.cache();
        ahead.reset(&mut game, &mut layers);
        drop(locked);
        twin.reset_with(&mut layers);
        assert_eq!(game, twin);
        assert!(!ahead.make(), "nothing was ordered");
    }

    #[test]
    fn large_areas_are_not_made_ahead() {
        let options = Options { area: (300, 300), ..Options::default() };
        assert_eq!(Ahead::new(&options, 8).limit, 0);
    }
}
