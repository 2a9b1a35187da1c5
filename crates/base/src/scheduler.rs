//! Whose turn is it, of several threads that work on the same thing?
//!
//! Stride scheduling (Waldspurger and Weihl 1995): every client has a share, and the one that has had least for its share comes next. What a
//! client has had is measured by the clock, or counted in looks at its budget: then the same client is interrupted at the same point on every
//! machine, and whatever the clients do is the same each time, but shares are kept only as far as a look takes about as long as it is said to. A client
//! asks for nothing: it looks at its [`Budget`](crate::Budget), as everything that takes long does, and a look may wait for its turn.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use rustix::time::{ClockId, clock_gettime};

/// So much a client does before another has its turn, in microseconds.
const SLICE: u64 = 10_000;

/// Virtual time is kept in parts of this share.
const WHOLE: u64 = 1_000;

/// How it is measured what clients have had.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// In time of the processors: a client with many threads has more of it.
    Clock,
    /// In looks at the budget.
    Looks,
}

/// Hands out turns.
#[derive(Debug)]
pub struct Scheduler {
    state: Mutex<State>,
    changed: Condvar,
    measure: Measure,
    /// How many run at once, from which total on.
    places: usize,
    alone_until: u64,
}

#[derive(Debug, Default)]
struct State {
    clients: Vec<Turn>,
    /// What all have had so far.
    total: u64,
}

#[derive(Debug)]
struct Turn {
    share: u64,
    /// Where it begins.
    offset: u64,
    /// Where it is: what it has had for its share, from there.
    virtual_time: u64,
    status: Status,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Status {
    Waiting,
    Running,
    Ended,
}

impl State {
    fn is_next(&self, client: usize) -> bool {
        let waiting = self.clients.iter().enumerate().filter(|(_, turn)| turn.status == Status::Waiting);
        waiting.min_by_key(|(number, turn)| (turn.virtual_time, *number)).is_some_and(|(number, _)| number == client)
    }

    fn running(&self) -> usize {
        self.clients.iter().filter(|turn| turn.status == Status::Running).count()
    }
}

impl Scheduler {
    /// One at a time.
    #[must_use]
    pub fn one_at_a_time(measure: Measure) -> Self {
        Self::with_places(measure, 1, u64::MAX)
    }

    /// So many at a time, once all together have had so many microseconds; one before that.
    #[must_use]
    pub fn with_places(measure: Measure, places: usize, alone_until: u64) -> Self {
        Self { state: Mutex::default(), changed: Condvar::new(), measure, places: places.max(1), alone_until }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A client with this share of the whole. All clients are to be there before one begins. Where looks are
    /// counted, one counts as `look` microseconds.
    #[must_use]
    pub fn client(self: &Arc<Self>, share: u64, look: u64) -> Arc<Client> {
        let mut state = self.lock();
        state.clients.push(Turn { share: share.max(1), offset: 0, virtual_time: 0, status: Status::Waiting });
        let number = state.clients.len() - 1;
        let [had, until, seen] = [0; 3].map(AtomicU64::new);
        Arc::new(Client { scheduler: Arc::clone(self), number, look, had, until, seen })
    }
}

/// What all threads of this process have had, in microseconds. While several clients run, each is charged what all of them have.
fn time_of_processors() -> u64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    u64::try_from(now.tv_sec * 1_000_000 + now.tv_nsec / 1_000).unwrap_or(0)
}

/// One of those who take turns.
#[derive(Debug)]
pub struct Client {
    scheduler: Arc<Scheduler>,
    number: usize,
    look: u64,
    /// What it has had, in microseconds.
    had: AtomicU64,
    /// Where its slice ends.
    until: AtomicU64,
    /// When it looked last, or got its turn.
    seen: AtomicU64,
}

impl Client {
    /// Waits for the first turn.
    pub fn begin(&self) {
        self.wait_for_turn(0);
    }

    /// Before all others it gets so many microseconds alone.
    pub fn goes_first(&self, microseconds: u64) {
        let mut state = self.scheduler.lock();
        let ahead = microseconds.saturating_mul(WHOLE) / state.clients[self.number].share;
        for (_, turn) in state.clients.iter_mut().enumerate().filter(|(number, _)| *number != self.number) {
            turn.offset = turn.offset.saturating_add(ahead);
            turn.virtual_time = turn.offset;
        }
    }

    /// All others together get so many microseconds before it begins; nothing has begun yet.
    pub fn begins_after(&self, microseconds: u64) {
        let mut state = self.scheduler.lock();
        let others = state.clients.iter().enumerate().filter(|(number, _)| *number != self.number);
        let shares: u64 = others.map(|(_, turn)| turn.share).sum();
        let turn = &mut state.clients[self.number];
        turn.offset = turn.offset.saturating_add(microseconds.saturating_mul(WHOLE) / shares.max(1));
        turn.virtual_time = turn.offset;
    }

    /// All others together get so many microseconds before it goes on.
    pub fn lets_others_first(&self, microseconds: u64) {
        let had = {
            let mut state = self.scheduler.lock();
            let others = state.clients.iter().enumerate().filter(|(number, _)| *number != self.number);
            let shares: u64 = others.filter(|(_, turn)| turn.status != Status::Ended).map(|(_, turn)| turn.share).sum();
            if shares == 0 {
                return;
            }
            let behind = microseconds.saturating_mul(WHOLE) / shares;
            let turn = &mut state.clients[self.number];
            turn.offset = turn.offset.saturating_add(behind);
            let had = self.had();
            self.until.store(had, Ordering::Relaxed);
            had
        };
        self.wait_for_turn(had);
    }

    /// Counts a look, and waits if it is another's turn.
    pub fn looked(&self) {
        let more = match self.scheduler.measure {
            Measure::Looks => self.look,
            Measure::Clock => {
                let now = time_of_processors();
                now.saturating_sub(self.seen.swap(now, Ordering::Relaxed))
            }
        };
        let had = self.had.fetch_add(more, Ordering::Relaxed) + more;
        if had >= self.until.load(Ordering::Relaxed) {
            self.wait_for_turn(had);
        }
    }

    /// What it has had so far, in microseconds.
    #[must_use]
    pub fn had(&self) -> u64 {
        self.had.load(Ordering::Relaxed)
    }

    /// Whether all others have ended.
    #[must_use]
    pub fn is_alone(&self) -> bool {
        let state = self.scheduler.lock();
        state.clients.iter().enumerate().all(|(number, turn)| number == self.number || turn.status == Status::Ended)
    }

    /// It takes no more turns.
    pub fn end(&self) {
        let mut state = self.scheduler.lock();
        state.clients[self.number].status = Status::Ended;
        self.scheduler.changed.notify_all();
    }

    fn wait_for_turn(&self, had: u64) {
        let mut state = self.scheduler.lock();
        // Another thread of the same client may have got the turn already.
        if state.clients[self.number].status == Status::Running && had < self.until.load(Ordering::Relaxed) {
            return;
        }
        self.hand_over(&mut state, had);
        loop {
            let places = if state.total < self.scheduler.alone_until { 1 } else { self.scheduler.places };
            match state.clients[self.number].status {
                Status::Running | Status::Ended => return,
                Status::Waiting if state.running() < places && state.is_next(self.number) => break,
                Status::Waiting => {}
            }
            state = self.scheduler.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.clients[self.number].status = Status::Running;
        self.seen.store(time_of_processors(), Ordering::Relaxed);
        self.until.store(self.had.load(Ordering::Relaxed) + SLICE, Ordering::Relaxed);
        self.scheduler.changed.notify_all();
    }

    /// Ends the turn, and counts what was done in it.
    fn hand_over(&self, state: &mut State, had: u64) {
        let turn = &mut state.clients[self.number];
        if turn.status != Status::Running {
            return;
        }
        turn.status = Status::Waiting;
        let before = turn.virtual_time;
        turn.virtual_time = before.max(turn.offset.saturating_add(had.saturating_mul(WHOLE) / turn.share));
        state.total += (turn.virtual_time - before) * turn.share / WHOLE;
        self.scheduler.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What clients with these shares do, one letter for a slice of each, until the first has had `slices`.
    fn order(shares: &[u64], slices: u64) -> String {
        let scheduler = Arc::new(Scheduler::one_at_a_time(Measure::Looks));
        let clients: Vec<Arc<Client>> = shares.iter().map(|&share| scheduler.client(share, SLICE)).collect();
        letters(&clients, |number| if number == 0 { slices } else { 4 * slices })
    }

    /// What clients do, one letter for a slice of each, until each has had this many.
    fn letters(clients: &[Arc<Client>], slices: impl Fn(usize) -> u64) -> String {
        let told = Mutex::new(String::new());
        std::thread::scope(|scope| {
            for (number, client) in clients.iter().enumerate() {
                let (told, ends) = (&told, slices(number));
                scope.spawn(move || {
                    client.begin();
                    for _ in 0..ends {
                        told.lock().unwrap().push(char::from(b'a' + u8::try_from(number).unwrap()));
                        client.looked();
                    }
                    client.end();
                });
            }
        });
        told.into_inner().unwrap()
    }

    #[test]
    fn shares_are_kept_and_the_order_is_always_the_same() {
        let once = order(&[600, 200, 200], 30);
        for _ in 0..20 {
            assert_eq!(order(&[600, 200, 200], 30), once);
        }
        let until = once.rfind('a').unwrap();
        let count = |letter: char| once[..=until].chars().filter(|&c| c == letter).count();
        assert_eq!(count('a'), 30);
        assert!((9..=11).contains(&count('b')) && (9..=11).contains(&count('c')), "{once}");
    }

    #[test]
    fn one_may_go_first() {
        let scheduler = Arc::new(Scheduler::one_at_a_time(Measure::Looks));
        let clients: Vec<Arc<Client>> = [100, 900].iter().map(|&share| scheduler.client(share, SLICE)).collect();
        clients[0].goes_first(5 * SLICE);
        let told = letters(&clients, |_| 10);
        assert!(told.starts_with("aaaaa") && told[..15].matches('b').count() >= 8, "{told}");
    }

    #[test]
    fn one_may_begin_later() {
        let scheduler = Arc::new(Scheduler::one_at_a_time(Measure::Looks));
        let clients: Vec<Arc<Client>> = [500, 250, 250].iter().map(|&share| scheduler.client(share, SLICE)).collect();
        clients[0].begins_after(10 * SLICE);
        let told = letters(&clients, |_| 10);
        assert!((9..=11).contains(&told.find('a').unwrap()), "{told}");
    }

    #[test]
    fn one_may_let_the_others_go_first() {
        let scheduler = Arc::new(Scheduler::one_at_a_time(Measure::Looks));
        let clients: Vec<Arc<Client>> = [900, 50, 50].iter().map(|&share| scheduler.client(share, SLICE)).collect();
        let told = Mutex::new(String::new());
        std::thread::scope(|scope| {
            for (number, client) in clients.iter().enumerate() {
                let told = &told;
                scope.spawn(move || {
                    client.begin();
                    for slice in 0..10 {
                        if number == 0 && slice == 2 {
                            client.lets_others_first(8 * SLICE);
                        }
                        told.lock().unwrap().push(char::from(b'a' + u8::try_from(number).unwrap()));
                        client.looked();
                    }
                    client.end();
                });
            }
        });
        let told = told.into_inner().unwrap();
        let third = told.match_indices('a').nth(2).unwrap().0;
        assert!((7..=12).contains(&(third - 2)), "{told}");
        assert!(told[third..].starts_with("aa"), "{told}");
        // Nobody is left to go first.
        clients[0].lets_others_first(u64::MAX);
    }

    #[test]
    fn by_the_clock_shares_are_times() {
        let scheduler = Arc::new(Scheduler::one_at_a_time(Measure::Clock));
        let clients = [scheduler.client(750, 1), scheduler.client(250, 1)];
        std::thread::scope(|scope| {
            for client in &clients {
                let first = &clients[0];
                scope.spawn(move || {
                    client.begin();
                    // The second looks a hundred times as often.
                    let work = if client.number == 0 { 200_000 } else { 2_000 };
                    while first.had() < 20 * SLICE {
                        std::hint::black_box((0..work).fold(0u64, |sum, one| std::hint::black_box(sum ^ one)));
                        client.looked();
                    }
                    client.end();
                });
            }
        });
        let ratio = clients[0].had() as f64 / clients[1].had() as f64;
        assert!(ratio > 1.5, "{ratio}");
    }

    #[test]
    fn whoever_is_left_goes_on() {
        let all = order(&[500, 500], 3);
        assert_eq!((all.matches('a').count(), all.matches('b').count()), (3, 12));
    }

    #[test]
    fn one_thread_after_the_other_gets_the_turn_of_its_client() {
        let scheduler = Arc::new(Scheduler::with_places(Measure::Looks, 2, 0));
        let clients = [scheduler.client(500, SLICE / 4), scheduler.client(500, SLICE / 4)];
        std::thread::scope(|scope| {
            for client in &clients {
                scope.spawn(move || {
                    client.begin();
                    std::thread::scope(|inner| {
                        for _ in 0..4 {
                            inner.spawn(|| (0..1000).for_each(|_| client.looked()));
                        }
                    });
                    client.end();
                });
            }
        });
        assert!(clients.iter().all(|client| client.had() == 1000 * SLICE));
        assert!(clients[0].is_alone());
    }
}
