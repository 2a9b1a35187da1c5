//! Starts the workers of one process and waits for them.

use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tertium_explore::search::liveness::{Monitor, ProductRows};
use tertium_explore::search::{Finding, Observer, Progress, Summary};
use tertium_explore::successors::RowSuccessors;
use timely::WorkerConfig;
use timely::communication::allocator::ProcessBuilder;
use timely::communication::allocator::zero_copy::initialize::{CommsGuard, initialize_networking_from_sockets};
use timely::communication::{Allocator, AllocatorBuilder, Hooks, WorkerGuards, initialize_from};
use timely::worker::Worker;

use crate::cycles::{ClusterCycles, look_for_cycle};
use crate::failure::ClusterFailure;
use crate::meeting::{Meeting, Team};
use crate::peers::{PeerStream, PeerWatch};
use crate::rounds::Rounds;
use crate::search::{ClusterOptions, ClusterSearch, Question, take_part};

/// More workers than this are not run in one process.
const MOST_WORKERS: usize = 1024;

/// The connections of a process and what waits at them.
struct Connections {
    watch: Arc<PeerWatch>,
    sockets: Vec<TcpStream>,
    guard: Option<CommsGuard>,
}

/// How long a thread that fails may take to tell whose connection it was.
const AFTERWARDS: Duration = Duration::from_millis(500);

impl Connections {
    /// A worker that fails because a process is gone may notice that before it is known who.
    fn blame(&self, team: &Team, failure: ClusterFailure) -> ClusterFailure {
        // These are what everybody knows.
        let is_agreed = matches!(
            failure,
            ClusterFailure::Refused { .. } | ClusterFailure::Unwritable { .. } | ClusterFailure::Unresumable { .. }
        );
        let start = Instant::now();
        while !is_agreed && !self.sockets.is_empty() && self.watch.lost().is_none() && start.elapsed() < AFTERWARDS {
            std::thread::sleep(Duration::from_millis(5));
        }
        match self.watch.lost().filter(|_| !is_agreed) {
            Some(process) => {
                let address = team.addresses.get(process).cloned().unwrap_or_default();
                ClusterFailure::Lost { process, address }
            }
            None => failure,
        }
    }
}

/// Visits every state that is reachable from `initial` together with the processes that were met. All of them must ask the same. Of what was found, `wanted`
/// says to which findings runs are wanted.
///
/// # Errors
/// If a process or a worker is lost on the way. There is no answer then.
pub fn search<S: RowSuccessors, O: Observer>(
    meeting: Meeting,
    (successors, observer): (&S, &O),
    initial: &[Vec<u32>],
    wanted: &(dyn Fn(&Summary) -> Vec<Finding> + Sync),
    options: &ClusterOptions<'_>,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<ClusterSearch, ClusterFailure> {
    let question = Question { successors, observer, initial, wanted, options };
    session(meeting, progress, &|rounds, network, tell| {
        let found = take_part(rounds, &question, network, tell)?;
        rounds.part().map(|()| found)
    })
}

/// The same, and then looks in each of the products for an accepted fair run.
///
/// # Errors
/// If a process or a worker is lost on the way. There is no answer then.
pub fn search_with_cycles<S: RowSuccessors, O: Observer, M: Monitor>(
    meeting: Meeting,
    (successors, observer): (&S, &O),
    initial: &[Vec<u32>],
    wanted: &(dyn Fn(&Summary) -> Vec<Finding> + Sync),
    products: &[ProductRows<'_, S, M>],
    options: &ClusterOptions<'_>,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<(ClusterSearch, Vec<ClusterCycles>), ClusterFailure> {
    let question = Question { successors, observer, initial, wanted, options };
    session(meeting, progress, &|rounds, network, tell| {
        let found = take_part(rounds, &question, network, tell)?;
        let mut cycles = Vec::new();
        for (number, product) in products.iter().enumerate() {
            let named = (&*format!("product{number}"), product);
            cycles.push(look_for_cycle(rounds, named, initial, options, network, tell)?);
        }
        rounds.part().map(|()| (found, cycles))
    })
}

/// What one worker does: with its part in the rounds, the bytes that its process has sent, if it is the one to tell, and whom it tells how far it has come.
type Part<'w, T> =
    dyn Fn(&mut Rounds<'_>, &dyn Fn() -> u64, &mut dyn FnMut(Progress)) -> Result<T, ClusterFailure> + Sync + 'w;

/// Has all workers of this process do their parts, and says what the first of them has found.
fn session<T: Send + 'static>(
    meeting: Meeting,
    progress: &mut (dyn FnMut(Progress) + Send),
    part: &Part<'_, T>,
) -> Result<T, ClusterFailure> {
    let unable = |error: io::Error| ClusterFailure::Unable { cause: error.to_string() };
    let Meeting { team, sockets } = meeting;
    let (builders, connections) = connect(&team, sockets).map_err(unable)?;
    let outcome = run(builders, &team, &connections.watch, part, progress);
    match outcome {
        Ok(found) => {
            connections.watch.finish();
            // Waits until what was sent has gone, and the others have left too.
            let _ = tertium_base::panics::quietly(|| drop(connections.guard));
            Ok(found)
        }
        Err(failure) => {
            let failure = connections.blame(&team, failure);
            // The others notice by themselves who was lost. If this process left before they have, they would name it.
            if matches!(failure, ClusterFailure::Lost { .. }) {
                std::thread::sleep(AFTERWARDS);
            }
            // Whoever has not noticed does now. The threads that wait at the connections end with the process.
            for socket in &connections.sockets {
                let _ = socket.shutdown(Shutdown::Both);
            }
            std::mem::forget(connections.guard);
            Err(failure)
        }
    }
}

fn connect(team: &Team, sockets: Vec<Option<TcpStream>>) -> io::Result<(Vec<AllocatorBuilder>, Connections)> {
    let (hooks, watch) = (Hooks::default(), Arc::new(PeerWatch::new()));
    let workers = team.workers.clamp(1, MOST_WORKERS);
    let inside = ProcessBuilder::new_typed_vector(workers, hooks.refill.clone(), None);
    if sockets.len() == 1 {
        let builders = inside.into_iter().map(AllocatorBuilder::Process).collect();
        return Ok((builders, Connections { watch, sockets: Vec::new(), guard: None }));
    }
    let kept = sockets.iter().flatten().map(TcpStream::try_clone).collect::<io::Result<Vec<_>>>()?;
    let streams: Vec<Option<PeerStream>> = (sockets.into_iter().enumerate())
        .map(|(process, socket)| socket.map(|socket| PeerStream { socket, process, watch: Arc::clone(&watch) }))
        .collect();
    let (builders, guard) = initialize_networking_from_sockets(inside, streams, team.process, workers, hooks)?;
    let builders = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
    Ok((builders, Connections { watch, sockets: kept, guard: Some(guard) }))
}

/// What one worker does with its connections; says what was found.
type WorkerTask<'w, T> = dyn Fn(Allocator) -> Result<T, ClusterFailure> + Send + Sync + 'w;

fn run<T: Send + 'static>(
    builders: Vec<AllocatorBuilder>,
    team: &Team,
    watch: &PeerWatch,
    part: &Part<'_, T>,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<T, ClusterFailure> {
    let (first, progress) = (team.process * builders.len(), Mutex::new(progress));
    let work = |allocator: Allocator| {
        // Where a connection breaks, the library's threads panic, and then those that wait for them: the watch tells whose it was.
        let outcome = tertium_base::panics::quietly(|| {
            let worker = Worker::new(WorkerConfig::default(), allocator, None);
            let is_first = worker.index() == first;
            // What goes to other processes is counted once for all workers of one.
            let network = || if is_first { watch.sent() } else { 0 };
            let tell = &mut |state: Progress| {
                if is_first {
                    let mut tell = progress.lock().unwrap_or_else(PoisonError::into_inner);
                    (*tell)(state);
                }
            };
            part(&mut Rounds::new(worker, team, watch), &network, tell)
        });
        let outcome = outcome.unwrap_or_else(|| Err(failed()));
        if outcome.is_err() {
            watch.abandon();
        }
        outcome
    };
    let mut outcomes = run_scoped(builders, Arc::new(work), watch);
    // Of several reasons the one that names somebody is told.
    let is_lost = |outcome: &Result<_, _>| matches!(outcome, Err(ClusterFailure::Lost { .. }));
    let told = outcomes.iter().position(is_lost).or_else(|| outcomes.iter().position(Result::is_err));
    if outcomes.is_empty() { Err(failed()) } else { outcomes.swap_remove(told.unwrap_or(0)) }
}

fn failed() -> ClusterFailure {
    ClusterFailure::Unable { cause: "a worker has failed".to_owned() }
}

/// Runs a task on a thread for each builder, and waits for all of them. The library starts threads only for tasks that borrow nothing.
#[allow(
    unsafe_code,
    reason = "threads that borrow, as `std::thread::scope` has them, from a library that starts its own"
)]
fn run_scoped<'w, T: Send + 'static>(
    builders: Vec<AllocatorBuilder>,
    work: Arc<WorkerTask<'w, T>>,
    watch: &PeerWatch,
) -> Vec<Result<T, ClusterFailure>> {
    // SAFETY: the two types differ in a lifetime only. Every thread that the task is given to is joined below, before this function returns: it is given to one
    // thread at a time, which either starts, and then its handle is kept, or does not. Joining and dropping a handle both wait for the thread, so a
    // panic here waits too. When a thread has ended, its share of the task is dropped, and what the task returns borrows nothing.
    let work = unsafe { std::mem::transmute::<Arc<WorkerTask<'w, T>>, Arc<WorkerTask<'static, T>>>(work) };
    let mut workers: Vec<WorkerGuards<_>> = Vec::with_capacity(builders.len());
    let mut outcomes = Vec::new();
    for builder in builders {
        let task = Arc::clone(&work);
        match initialize_from(vec![builder], Box::new(()), move |allocator| task(allocator)) {
            Ok(worker) => workers.push(worker),
            Err(cause) => {
                // Without this one the others cannot go on, and notice that.
                watch.abandon();
                outcomes.push(Err(ClusterFailure::Unable { cause }));
            }
        }
    }
    for worker in workers {
        outcomes.extend(worker.join().into_iter().map(|joined| joined.unwrap_or_else(|_| Err(failed()))));
    }
    outcomes
}
