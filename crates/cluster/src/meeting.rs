//! How processes find each other: every one listens on its own address and connects to those before it, and both sides say who they
//! are before anything else is sent.
//!
//! Whoever connects and does not say the right words at once is sent away; a process of another version is refused. Nothing is encrypted and nobody proves
//! who he is: the network is trusted.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tertium_base::Budget;

use crate::failure::ClusterFailure;

/// What every connection begins with.
const WORDS: [u8; 8] = *b"tertium\x01";
/// How long a peer may take to say who it is.
const MANNERS: Duration = Duration::from_secs(10);
/// How long to wait between two attempts.
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(50);
/// Longer introductions are not read.
const LONGEST_HELLO: usize = 1 << 16;
/// Longer tasks are not read.
const LONGEST_TASK: usize = 1 << 28;

/// Who takes part, and which of them this process is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Team {
    /// The addresses of all processes.
    pub addresses: Vec<String>,
    /// Which of them this is.
    pub process: usize,
    /// How many threads work in each process.
    pub workers: usize,
    /// The version of the program; only equal ones work together.
    pub version: String,
    /// How long to wait for the others.
    pub patience: Duration,
}

/// What a process says of itself.
#[derive(Debug, Serialize, Deserialize, PartialEq, Eq)]
struct Hello {
    version: String,
    process: usize,
    processes: usize,
    workers: usize,
}

/// Processes that have met.
#[derive(Debug)]
pub struct Meeting {
    pub(crate) team: Team,
    /// A connection to each other process.
    pub(crate) sockets: Vec<Option<TcpStream>>,
}

fn unable(cause: impl ToString) -> ClusterFailure {
    ClusterFailure::Unable { cause: cause.to_string() }
}

impl Team {
    /// A process that works alone, with so many threads.
    #[must_use]
    pub fn alone(workers: usize) -> Self {
        let (addresses, version) = (vec!["here".to_owned()], String::new());
        Self { addresses, process: 0, workers, version, patience: Duration::ZERO }
    }

    fn hello(&self) -> Hello {
        let (version, processes) = (self.version.clone(), self.addresses.len());
        Hello { version, process: self.process, processes, workers: self.workers }
    }

    /// Meets all others.
    ///
    /// # Errors
    /// If one does not come in time or will not do, or the budget is spent.
    pub fn meet(self, budget: &Budget) -> Result<Meeting, ClusterFailure> {
        let mut sockets: Vec<Option<TcpStream>> = self.addresses.iter().map(|_| None).collect();
        if self.process >= sockets.len() {
            return Err(unable(format!("there is no process {} of {}", self.process, sockets.len())));
        }
        if sockets.len() > 1 {
            let deadline = Instant::now() + self.patience;
            let listener = TcpListener::bind(&self.addresses[self.process])
                .and_then(|listener| listener.set_nonblocking(true).map(|()| listener))
                .map_err(|error| unable(format!("cannot listen on {}: {error}", self.addresses[self.process])))?;
            for (process, socket) in sockets.iter_mut().enumerate().take(self.process) {
                *socket = Some(self.connect(process, deadline, budget)?);
            }
            self.accept(&listener, &mut sockets, deadline, budget)?;
        }
        for socket in sockets.iter().flatten() {
            prepare(socket).map_err(unable)?;
        }
        Ok(Meeting { team: self, sockets })
    }

    fn absent(&self, process: usize, cause: impl ToString) -> ClusterFailure {
        ClusterFailure::Absent { process, address: self.addresses[process].clone(), cause: cause.to_string() }
    }

    /// Connects to a process before this one, again and again until it is there.
    fn connect(&self, process: usize, deadline: Instant, budget: &Budget) -> Result<TcpStream, ClusterFailure> {
        loop {
            let error = match TcpStream::connect(&self.addresses[process]) {
                Ok(stream) => match introduce(&stream, &self.hello()) {
                    Ok(hello) => return self.fits(process, &hello).map(|()| stream),
                    Err(error) => error,
                },
                Err(error) => error,
            };
            if Instant::now() >= deadline || budget.check().is_err() {
                return Err(self.absent(process, error));
            }
            std::thread::sleep(BETWEEN_ATTEMPTS);
        }
    }

    /// Waits for the processes behind this one.
    fn accept(
        &self,
        listener: &TcpListener,
        sockets: &mut [Option<TcpStream>],
        deadline: Instant,
        budget: &Budget,
    ) -> Result<(), ClusterFailure> {
        while let Some(missing) = (self.process + 1..sockets.len()).find(|&process| sockets[process].is_none()) {
            match listener.accept() {
                Ok((stream, _)) => {
                    // Whoever does not know the words is nobody that is waited for.
                    let Ok(hello) = introduce(&stream, &self.hello()) else { continue };
                    let is_expected = hello.process > self.process && hello.process < sockets.len();
                    if is_expected && sockets[hello.process].is_none() {
                        self.fits(hello.process, &hello)?;
                        sockets[hello.process] = Some(stream);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if Instant::now() >= deadline || budget.check().is_err() {
                        return Err(self.absent(missing, "it has not called"));
                    }
                    std::thread::sleep(BETWEEN_ATTEMPTS);
                }
                Err(error) => return Err(unable(error)),
            }
        }
        Ok(())
    }

    /// Whether who was met is who it should be.
    fn fits(&self, process: usize, theirs: &Hello) -> Result<(), ClusterFailure> {
        let ours = self.hello();
        let refused = |cause: String| Err(ClusterFailure::Refused { process, cause });
        if theirs.version != ours.version {
            return refused(format!("its version is {}, not {}", theirs.version, ours.version));
        }
        if theirs.process != process || theirs.processes != ours.processes {
            return refused(format!("it takes itself for process {} of {}", theirs.process, theirs.processes));
        }
        if theirs.workers != ours.workers {
            return refused(format!("it has {} workers, not {}", theirs.workers, ours.workers));
        }
        Ok(())
    }
}

impl Meeting {
    /// Which process this is.
    #[must_use]
    pub fn process(&self) -> usize {
        self.team.process
    }

    /// Gives every process the task of process 0, which is the one that knows it; the others' is not asked for.
    ///
    /// # Errors
    /// If a process is gone.
    pub fn share_task(&mut self, task: Vec<u8>) -> Result<Vec<u8>, ClusterFailure> {
        let lost = |team: &Team, process: usize| {
            let address = team.addresses[process].clone();
            move |_| ClusterFailure::Lost { process, address }
        };
        if self.team.process > 0 {
            let socket = self.sockets[0].as_ref().ok_or_else(|| unable("there is no process 0"))?;
            return read_frame(socket, LONGEST_TASK).map_err(lost(&self.team, 0));
        }
        for (process, socket) in self.sockets.iter().enumerate() {
            if let Some(socket) = socket {
                write_frame(socket, &task).map_err(lost(&self.team, process))?;
            }
        }
        Ok(task)
    }
}

/// Says who one is and hears who the other is.
fn introduce(stream: &TcpStream, ours: &Hello) -> io::Result<Hello> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(MANNERS))?;
    stream.set_write_timeout(Some(MANNERS))?;
    stream.set_nodelay(true)?;
    let mut writer = stream;
    writer.write_all(&WORDS)?;
    write_frame(stream, &serde_json::to_vec(ours)?)?;
    let mut words = [0; WORDS.len()];
    let mut reader = stream;
    reader.read_exact(&mut words)?;
    if words != WORDS {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "something else answers there"));
    }
    let theirs = serde_json::from_slice(&read_frame(stream, LONGEST_HELLO)?)?;
    Ok(theirs)
}

/// From now on a peer may be silent for as long as it works; if its machine is gone, the system notices within seconds.
fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_read_timeout(None)?;
    stream.set_write_timeout(None)?;
    rustix::net::sockopt::set_socket_keepalive(stream, true)?;
    rustix::net::sockopt::set_tcp_keepidle(stream, Duration::from_secs(5))?;
    rustix::net::sockopt::set_tcp_keepintvl(stream, Duration::from_secs(2))?;
    rustix::net::sockopt::set_tcp_keepcnt(stream, 3)?;
    Ok(())
}

fn write_frame(mut stream: &TcpStream, bytes: &[u8]) -> io::Result<()> {
    stream.write_all(&(bytes.len() as u64).to_le_bytes())?;
    stream.write_all(bytes)
}

fn read_frame(mut stream: &TcpStream, longest: usize) -> io::Result<Vec<u8>> {
    let mut len = [0; 8];
    stream.read_exact(&mut len)?;
    let len = u64::from_le_bytes(len);
    let len = usize::try_from(len).ok().filter(|&len| len <= longest);
    let len = len.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "too long a message"))?;
    let mut bytes = vec![0; len];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}
