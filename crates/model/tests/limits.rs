//! A limit ends in `Stopped`, whatever the size of the input.

use std::io::Read;
use std::time::Duration;

use tertium_base::memory::{self, CountingAllocator};
use tertium_base::{Budget, StopReason, Stopped};
use tertium_model::{Format, read_stream};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// An endless structure: after a beginning, pieces without end, the last ones with a running number.
struct Endless {
    pending: Vec<u8>,
    at: usize,
    number: u64,
    piece: fn(u64) -> String,
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.at == self.pending.len() {
            self.pending.clear();
            self.at = 0;
            while self.pending.len() < 64 * 1024 {
                self.number += 1;
                self.pending.extend((self.piece)(self.number).bytes());
            }
        }
        let count = buffer.len().min(self.pending.len() - self.at);
        buffer[..count].copy_from_slice(&self.pending[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

fn endless(start: &str, piece: fn(u64) -> String) -> Endless {
    Endless { pending: start.as_bytes().to_vec(), at: 0, number: 0, piece }
}

#[test]
fn endless_inputs_stop_at_the_memory_limit() {
    type Case = (Format, &'static str, fn(u64) -> String);
    let cases: [Case; 8] = [
        (Format::Json, "{\"states\":{\"x\":{}", |n| format!(",\"s{n}\":{{\"p\":\"t\"}}")),
        (Format::Json, "{\"states\":{\"x\":{}", |n| format!(",\"a_long_name_of_a_state_{n}\":{{\"p\":\"maybe\"}}")),
        (Format::Json, "{\"states\":{\"a\":{}},\"may\":[[\"a\",\"a\"]", |_| ",[\"a\",\"a\"]".to_owned()),
        (Format::Json, "{\"may\":[[\"a\",\"a\"]", |n| format!(",[\"a\",\"s{n}\"]")),
        (Format::Json, "{\"states\":{\"a\":{}},\"hyper\":[[\"a\",[\"a\"", |_| ",\"a\"".to_owned()),
        (Format::Json, "{\"states\":{\"a\":{}},\"edges\":[[\"a\",\"t\",\"a\"]", |n| format!(",[\"a\",\"x{n}\",\"a\"]")),
        (Format::Kmts, "state a\n", |n| format!("a -must:act{n}-> a\n")),
        (Format::Kmts, "state a\nfair {a -> a", |_| ",a -> a".to_owned()),
    ];
    for (format, start, piece) in cases {
        let before = memory::in_use();
        let limit = before + (20 << 20);
        let budget = Budget::unlimited().with_memory(Some(limit));
        let result = read_stream("endless", format, endless(start, piece), &budget);
        assert_eq!(result.unwrap_err(), Stopped(StopReason::Memory), "{start}");
    }
    assert!(memory::peak() < 120 << 20, "{} bytes at the peak", memory::peak());
}

#[test]
fn endless_words_are_refused_or_stopped() {
    let budget = Budget::unlimited().with_memory(Some(memory::in_use() + (30 << 20)));
    for (format, start) in
        [(Format::Json, "{\"states\":{\""), (Format::Kmts, "state \""), (Format::Kmts, "property p : ")]
    {
        let result = read_stream("endless", format, endless(start, |_| "x".repeat(100)), &budget);
        assert!(result.is_err(), "{start}");
    }
}

#[test]
fn endless_inputs_stop_with_the_time() {
    for (format, start) in [(Format::Json, "{\"x\":[0"), (Format::Kmts, "#")] {
        let budget = Budget::unlimited().with_time(Some(Duration::from_millis(200)));
        let input = endless(start, |_| ",[1,2,{\"a\":3}]".to_owned());
        let result = read_stream("endless", format, input, &budget);
        assert_eq!(result.unwrap_err(), Stopped(StopReason::Time));
    }
}
