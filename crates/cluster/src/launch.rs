//! Connects a process with the others, has it do its part, and leaves.

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
use timely::communication::{Allocator, AllocatorBuilder, Hooks, initialize_from};
use timely::worker::Worker;

use crate::cycles::{ClusterCycles, look_for_cycle};
use crate::failure::ClusterFailure;
use crate::meeting::{Meeting, Team};
use crate::peers::{PeerStream, PeerWatch};
use crate::rounds::Rounds;
use crate::search::{ClusterOptions, ClusterSearch, Question, take_part};

/// The connections of a process and what waits at them.
struct Connections {
    watch: Arc<PeerWatch>,
    sockets: Vec<TcpStream>,
    guard: Option<CommsGuard>,
}

/// Whether all processes know of a failure and leave together.
fn is_agreed(failure: &ClusterFailure) -> bool {
    use ClusterFailure::{Refused, Unresumable, Unwritable};
    matches!(failure, Refused { .. } | Unwritable { .. } | Unresumable { .. })
}

/// How long a thread that fails may take to tell whose connection it was.
const AFTERWARDS: Duration = Duration::from_millis(500);

impl Connections {
    /// A process that fails because another one is gone may notice that before it is known who.
    fn blame(&self, team: &Team, failure: ClusterFailure) -> ClusterFailure {
        let start = Instant::now();
        while !self.sockets.is_empty() && self.watch.lost().is_none() && start.elapsed() < AFTERWARDS {
            std::thread::sleep(Duration::from_millis(5));
        }
        match self.watch.lost() {
            Some(process) => {
                let address = team.addresses.get(process).cloned().unwrap_or_default();
                ClusterFailure::Lost { process, address }
            }
            None => failure,
        }
    }

    /// Leaves without having finished; why. As long as this process's worker is there, its connections break, and do not end as if all were well.
    fn break_off(&self, team: &Team, failure: ClusterFailure) -> ClusterFailure {
        let failure = self.blame(team, failure);
        // The others notice by themselves who was lost. If this process left before they have, they would name it.
        if matches!(failure, ClusterFailure::Lost { .. }) {
            std::thread::sleep(AFTERWARDS);
        }
        // Whoever has not noticed does now.
        for socket in &self.sockets {
            let _ = socket.shutdown(Shutdown::Both);
        }
        failure
    }
}

/// Visits every state that is reachable from `initial` together with the processes that were met. All of them must ask the same. Of what was found, `wanted`
/// says to which findings runs are wanted.
///
/// # Errors
/// If a process is lost on the way. There is no answer then.
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
/// If a process is lost on the way. There is no answer then.
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

/// What a process does: with its part in the rounds, the bytes that it has sent, and whom it tells how far it has come.
type Part<'w, T> =
    dyn Fn(&mut Rounds<'_>, &dyn Fn() -> u64, &mut dyn FnMut(Progress)) -> Result<T, ClusterFailure> + Sync + 'w;

/// Does the part of this process.
fn session<T: Send + 'static>(
    meeting: Meeting,
    progress: &mut (dyn FnMut(Progress) + Send),
    part: &Part<'_, T>,
) -> Result<T, ClusterFailure> {
    let unable = |error: io::Error| ClusterFailure::Unable { cause: error.to_string() };
    let Meeting { team, sockets } = meeting;
    let (builder, connections) = connect(&team, sockets).map_err(unable)?;
    let progress = Mutex::new(progress);
    let work = |allocator: Allocator| {
        // A worker without a clock never sleeps.
        let worker = Worker::new(WorkerConfig::default(), allocator, Some(Instant::now()));
        let mut rounds = Rounds::new(worker, &team, &connections.watch);
        let tell = &mut |state: Progress| progress.lock().unwrap_or_else(PoisonError::into_inner)(state);
        // Where a connection breaks, the library's threads panic, and then those that wait for them: the watch tells whose it was.
        let part = || part(&mut rounds, &|| connections.watch.sent(), tell);
        let outcome = tertium_base::panics::quietly(part).unwrap_or_else(|| Err(failed()));
        let outcome = match outcome {
            Err(failure) if !is_agreed(&failure) => Err(connections.break_off(&team, failure)),
            outcome => outcome,
        };
        // What panics now cannot change what was found.
        let _ = tertium_base::panics::quietly(|| drop(rounds));
        outcome
    };
    let work = |allocator| tertium_base::panics::quietly(|| work(allocator)).unwrap_or_else(|| Err(failed()));
    let outcome = run_scoped(builder, Arc::new(work));
    if outcome.as_ref().err().is_none_or(is_agreed) {
        connections.watch.finish();
        // Waits until what was sent has gone, and the others have left too.
        let _ = tertium_base::panics::quietly(|| drop(connections.guard));
    } else {
        // The threads that wait at the connections end with the process.
        std::mem::forget(connections.guard);
    }
    outcome
}

fn connect(team: &Team, sockets: Vec<Option<TcpStream>>) -> io::Result<(AllocatorBuilder, Connections)> {
    let (hooks, watch) = (Hooks::default(), Arc::new(PeerWatch::new()));
    // One thread speaks with the other processes; those that search with it are its own.
    let inside = ProcessBuilder::new_typed_vector(1, hooks.refill.clone(), None);
    if sockets.len() == 1 {
        let builder = inside.into_iter().map(AllocatorBuilder::Process).next();
        let builder = builder.ok_or_else(|| io::Error::other("there is no worker"))?;
        return Ok((builder, Connections { watch, sockets: Vec::new(), guard: None }));
    }
    let kept = sockets.iter().flatten().map(TcpStream::try_clone).collect::<io::Result<Vec<_>>>()?;
    let streams: Vec<Option<PeerStream>> = (sockets.into_iter().enumerate())
        .map(|(process, socket)| socket.map(|socket| PeerStream { socket, process, watch: Arc::clone(&watch) }))
        .collect();
    let (builders, guard) = initialize_networking_from_sockets(inside, streams, team.process, 1, hooks)?;
    let builder = builders.into_iter().map(AllocatorBuilder::Tcp).next();
    let builder = builder.ok_or_else(|| io::Error::other("there is no worker"))?;
    Ok((builder, Connections { watch, sockets: kept, guard: Some(guard) }))
}

/// What a process's worker does with its connections; says what was found.
type WorkerTask<'w, T> = dyn Fn(Allocator) -> Result<T, ClusterFailure> + Send + Sync + 'w;

fn failed() -> ClusterFailure {
    ClusterFailure::Unable { cause: "its search has failed".to_owned() }
}

/// Runs a task on a thread for the builder, and waits for it. The library starts threads only for tasks that borrow nothing.
#[allow(
    unsafe_code,
    reason = "threads that borrow, as `std::thread::scope` has them, from a library that starts its own"
)]
fn run_scoped<'w, T: Send + 'static>(
    builder: AllocatorBuilder,
    work: Arc<WorkerTask<'w, T>>,
) -> Result<T, ClusterFailure> {
    // SAFETY: the two types differ in a lifetime only. The thread that the task is given to either does not start, or is joined below, before this function returns; joining and dropping its
    // handle both wait for it, so a panic here waits too. When it has ended, its share of the task is dropped, and what the task returns borrows nothing.
    let work = unsafe { std::mem::transmute::<Arc<WorkerTask<'w, T>>, Arc<WorkerTask<'static, T>>>(work) };
    let worker = initialize_from(vec![builder], Box::new(()), move |allocator| work(allocator));
    let joined = worker.map_err(|cause| ClusterFailure::Unable { cause })?.join().into_iter().next();
    joined.and_then(Result::ok).unwrap_or_else(|| Err(failed()))
}
