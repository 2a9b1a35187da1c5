//! Rounds of a timely dataflow: what one worker sends to another in a round has arrived when the round is over.
//!
//! Every process is one worker of the dataflow; the threads that search with it are none. Rounds are timestamps. A worker that has nothing more to send advances its input; progress tracking (Murray et al. 2013) tells everybody when no
//! message of the round is on its way any more. All workers go through the same rounds in the same order.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use timely::container::CapacityContainerBuilder;
use timely::dataflow::channels::pact::Exchange;
use timely::dataflow::operators::{Input as _, Operator as _, Probe as _};
use timely::dataflow::{InputHandle, ProbeHandle};
use timely::worker::Worker;

use crate::failure::ClusterFailure;
use crate::meeting::Team;
use crate::peers::PeerWatch;

/// More threads are not used: the store counts on it.
const MOST_THREADS: usize = 128;
/// How long a worker that has nothing to do sleeps before it looks whether everybody is still there.
const NAP: Duration = Duration::from_millis(20);

/// Bytes that are sent as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Payload(pub Vec<u8>);

impl Serialize for Payload {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'d> Deserialize<'d> for Payload {
    fn deserialize<D: Deserializer<'d>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Payload;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Payload, E> {
                Ok(Payload(bytes.to_vec()))
            }

            fn visit_byte_buf<E: de::Error>(self, bytes: Vec<u8>) -> Result<Payload, E> {
                Ok(Payload(bytes))
            }
        }
        deserializer.deserialize_byte_buf(Bytes)
    }
}

/// Bytes from one worker to another.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Parcel {
    to: u64,
    from: u64,
    round: u64,
    payload: Payload,
}

/// One worker's part in the rounds.
pub(crate) struct Rounds<'t> {
    worker: Worker,
    input: InputHandle<u64, CapacityContainerBuilder<Vec<Parcel>>>,
    probe: ProbeHandle<u64>,
    inbox: Rc<RefCell<Vec<Parcel>>>,
    round: u64,
    team: &'t Team,
    watch: &'t PeerWatch,
}

impl<'t> Rounds<'t> {
    pub fn new(mut worker: Worker, team: &'t Team, watch: &'t PeerWatch) -> Self {
        let inbox: Rc<RefCell<Vec<Parcel>>> = Rc::default();
        let (mut input, probe, arrived) = (InputHandle::new(), ProbeHandle::new(), Rc::clone(&inbox));
        worker.dataflow::<u64, _, _>(|scope| {
            let by_owner = Exchange::new(|parcel: &Parcel| parcel.to);
            scope
                .input_from(&mut input)
                .unary::<CapacityContainerBuilder<Vec<()>>, _, _, _>(by_owner, "parcels", move |_, _| {
                    move |input, _| {
                        input.for_each_time(|_, parcels| {
                            parcels.for_each(|parcels| arrived.borrow_mut().append(parcels));
                        });
                    }
                })
                .probe_with(&probe);
        });
        Self { worker, input, probe, inbox, round: 0, team, watch }
    }

    /// Which of all processes this is.
    pub fn index(&self) -> usize {
        self.worker.index()
    }

    /// How many threads search in this process.
    pub fn threads(&self) -> usize {
        self.team.workers.clamp(1, MOST_THREADS)
    }

    /// How many processes there are.
    pub fn peers(&self) -> usize {
        self.worker.peers()
    }

    pub fn send(&mut self, to: usize, bytes: Vec<u8>) {
        let from = self.worker.index() as u64;
        self.input.send(Parcel { to: to as u64, from, round: self.round, payload: Payload(bytes) });
        self.input.flush();
    }

    /// Whether everybody is still there.
    fn look(&self) -> Result<(), ClusterFailure> {
        if let Some(process) = self.watch.lost() {
            let address = self.team.addresses.get(process).cloned().unwrap_or_default();
            return Err(ClusterFailure::Lost { process, address });
        }
        Ok(())
    }

    /// Takes in what has arrived so far in this round; `take` gets the sender and the bytes.
    pub fn poll(
        &mut self,
        take: &mut dyn FnMut(u64, Vec<u8>) -> Result<(), ClusterFailure>,
    ) -> Result<(), ClusterFailure> {
        self.worker.step();
        self.look()?;
        self.drain(take)
    }

    /// Takes in what has arrived.
    pub fn drain(
        &mut self,
        take: &mut dyn FnMut(u64, Vec<u8>) -> Result<(), ClusterFailure>,
    ) -> Result<(), ClusterFailure> {
        let arrived = std::mem::take(&mut *self.inbox.borrow_mut());
        for parcel in arrived {
            if parcel.round == self.round {
                take(parcel.from, parcel.payload.0)?;
            } else if parcel.round == self.round + 1 {
                // Somebody knows already that this round is over.
                self.inbox.borrow_mut().push(parcel);
            } else {
                return Err(ClusterFailure::Unreadable { cause: format!("it is of round {}", parcel.round) });
            }
        }
        Ok(())
    }

    /// Sends no more in this round.
    pub fn close(&mut self) {
        self.input.advance_to(self.round + 1);
        self.input.flush();
    }

    /// Whether everything has arrived in the round that was closed.
    pub fn is_over(&self) -> bool {
        !self.probe.less_than(&(self.round + 1))
    }

    /// Waits a while for what arrives, and takes it in.
    pub fn wait(
        &mut self,
        take: &mut dyn FnMut(u64, Vec<u8>) -> Result<(), ClusterFailure>,
    ) -> Result<(), ClusterFailure> {
        self.worker.step_or_park(Some(NAP));
        self.look()?;
        self.drain(take)
    }

    /// Goes to the next round, once the last one is over.
    pub fn begin_next(&mut self) {
        self.round += 1;
    }

    /// Sends no more in this round, and takes in all that arrives in it.
    pub fn finish(
        &mut self,
        take: &mut dyn FnMut(u64, Vec<u8>) -> Result<(), ClusterFailure>,
    ) -> Result<(), ClusterFailure> {
        if self.peers() == 1 {
            return Ok(());
        }
        self.close();
        while !self.is_over() {
            self.wait(take)?;
        }
        self.drain(take)?;
        self.begin_next();
        Ok(())
    }

    /// Nobody leaves before everybody has all that it needs.
    pub fn part(&mut self) -> Result<(), ClusterFailure> {
        self.gather(()).map(drop)
    }

    /// One round in which everybody tells everybody something; what was told, in the order of processes.
    pub fn gather<T: Serialize + for<'d> Deserialize<'d>>(&mut self, ours: T) -> Result<Vec<T>, ClusterFailure> {
        if self.peers() == 1 {
            return Ok(vec![ours]);
        }
        let unreadable = |error: serde_json::Error| ClusterFailure::Unreadable { cause: error.to_string() };
        let bytes = serde_json::to_vec(&ours).map_err(unreadable)?;
        for process in 0..self.peers() {
            self.send(process, bytes.clone());
        }
        let mut told: Vec<(u64, T)> = Vec::new();
        self.finish(&mut |from, bytes| {
            told.push((from, serde_json::from_slice(&bytes).map_err(unreadable)?));
            Ok(())
        })?;
        told.sort_by_key(|&(from, _)| from);
        let everybody = told.len() == self.peers() && told.iter().zip(0..).all(|((from, _), process)| *from == process);
        if !everybody {
            return Err(ClusterFailure::Unreadable { cause: "not every process has spoken once".to_owned() });
        }
        Ok(told.into_iter().map(|(_, told)| told).collect())
    }
}
