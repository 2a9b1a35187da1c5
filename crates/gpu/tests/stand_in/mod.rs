//! A device that is a program: the search as a C++ compiler compiles it with stand-ins for what a graphics processor has.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use tertium_gpu::device::{Device, DeviceError, Kernel};
use tertium_gpu::source::SearchSource;

/// The program, and the folder it lies in.
pub struct StandIn {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    folder: PathBuf,
}

/// The first C++ compiler that can be run.
pub fn compiler() -> Option<&'static str> {
    let runs = |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    ["g++", "c++", "clang++"].into_iter().find(runs)
}

fn failed(error: impl std::fmt::Display) -> DeviceError {
    DeviceError::Failed(error.to_string())
}

impl StandIn {
    pub fn new(source: &SearchSource) -> Result<Self, DeviceError> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let compiler = compiler().ok_or_else(|| DeviceError::Missing("no C++ compiler".to_owned()))?;
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("stand-in-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(failed)?;
        let (text, program) = (folder.join("search.cpp"), folder.join("search"));
        let whole = format!("{}{}{}", include_str!("stand_in.h"), source.text(), include_str!("main.h"));
        std::fs::write(&text, whole).map_err(failed)?;
        let made = Command::new(compiler)
            .args(["-std=c++17", "-O1", "-w", "-o"])
            .arg(&program)
            .arg(&text)
            .output()
            .map_err(failed)?;
        if !made.status.success() {
            return Err(failed(String::from_utf8_lossy(&made.stderr)));
        }
        let mut child = Command::new(&program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(failed)?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (Some(input), Some(output)) = (input, output) else { return Err(failed("no pipes")) };
        Ok(Self { child, input, output, folder })
    }

    fn tell(&mut self, words: &[u64]) -> Result<(), DeviceError> {
        let mut command = [0; 8];
        command[..words.len()].copy_from_slice(words);
        let bytes: Vec<u8> = command.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.input.write_all(&bytes).and_then(|()| self.input.flush()).map_err(failed)
    }

    fn hear(&mut self, bytes: usize) -> Result<Vec<u8>, DeviceError> {
        let mut heard = vec![0; bytes];
        self.output.read_exact(&mut heard).map_err(failed)?;
        Ok(heard)
    }

    fn hear_number(&mut self) -> Result<u64, DeviceError> {
        let bytes = self.hear(8)?;
        Ok(u64::from_le_bytes(bytes.try_into().map_err(|_| failed("eight bytes"))?))
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Device for StandIn {
    fn free_bytes(&self) -> u64 {
        // Pages of it are there once they are written to.
        1 << 32
    }

    fn allocate(&mut self, bytes: u64) -> Result<u64, DeviceError> {
        self.tell(&[0, bytes])?;
        self.hear_number()
    }

    fn release(&mut self, address: u64) -> Result<(), DeviceError> {
        self.tell(&[1, address])
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        self.tell(&[2, address, bytes.len() as u64])?;
        self.input.write_all(bytes).and_then(|()| self.input.flush()).map_err(failed)
    }

    fn read(&mut self, address: u64, bytes: usize) -> Result<Vec<u8>, DeviceError> {
        self.tell(&[3, address, bytes as u64])?;
        self.hear(bytes)
    }

    fn launch(&mut self, kernel: Kernel, work: u64, arguments: &[u64]) -> Result<(), DeviceError> {
        // Commands before the kernels are about memory.
        let number = 4 + Kernel::ALL.iter().position(|&other| other == kernel).expect("it is one of them") as u64;
        let mut words = vec![number, work.clamp(1, 64)];
        words.extend_from_slice(arguments);
        self.tell(&words)?;
        self.hear_number().map(|_| ())
    }
}
