//! A device of CUDA. Its driver and its compiler are looked for when the device is made; where they are not, that is said.

use std::ffi::{CString, c_void};

use cudarc::driver::{result, sys};
use cudarc::nvrtc::{self, CompileOptions};
use tertium_base::narrow::to_u32;

use crate::device::{Device, DeviceError, Kernel};
use crate::source::{Optimisation, SearchSource};

/// What the search asks of a device.
const PRELUDE: &str = include_str!("prelude.cu");
/// Threads of a block.
const BLOCK: u64 = 128;
/// So many blocks for each multiprocessor are started at most; threads take several states then.
const BLOCKS_EACH: u64 = 16;
/// Kept free: for the compiler's own use, and for what is read and written.
const RESERVE: u64 = 1 << 30;

/// The first device, with the kernels of one search.
#[derive(Debug)]
pub struct CudaDevice {
    context: sys::CUcontext,
    ordinal: sys::CUdevice,
    module: sys::CUmodule,
    kernels: Vec<(Kernel, sys::CUfunction)>,
    multiprocessors: u64,
    name: String,
}

fn failed(error: impl std::fmt::Debug) -> DeviceError {
    DeviceError::Failed(format!("{error:?}"))
}

/// Whether the libraries are there; the bindings end the program where one of them is not.
fn libraries() -> Result<(), DeviceError> {
    // SAFETY: libraries are loaded by their names, as whoever uses them does.
    #[expect(unsafe_code, reason = "the argument stands above")]
    let (driver, compiler) = unsafe { (sys::is_culib_present(), nvrtc::sys::is_culib_present()) };
    match (driver, compiler) {
        (true, true) => Ok(()),
        (false, _) => Err(DeviceError::Missing("the driver (libcuda) is not installed".to_owned())),
        (true, false) => Err(no_compiler()),
    }
}

/// The kernels of a search, compiled for an architecture such as `sm_90`; no device is needed for that.
///
/// # Errors
/// If there is no compiler, or it refuses the source.
pub fn compile(source: &SearchSource, architecture: &str) -> Result<Vec<u8>, DeviceError> {
    // SAFETY: libraries are loaded by their names, as whoever uses them does.
    #[expect(unsafe_code, reason = "the argument stands above")]
    let is_there = unsafe { nvrtc::sys::is_culib_present() };
    if !is_there {
        return Err(no_compiler());
    }
    let text = format!("#define BLOCK_THREADS {BLOCK}\n{PRELUDE}{}", source.text());
    let with = |more: &[&str]| {
        let mut options = vec![format!("--gpu-architecture={architecture}"), "--std=c++17".to_owned()];
        options.extend(more.iter().map(|&option| option.to_owned()));
        nvrtc::compile_ptx_with_opts(&text, CompileOptions { options, ..CompileOptions::default() })
    };
    // Long programs take the compiler half a minute otherwise. Older ones do not know the option.
    let quick = match source.optimisation() {
        Optimisation::Full => None,
        Optimisation::Some => with(&["--Ofast-compile=min"]).ok(),
        Optimisation::Least => with(&["--Ofast-compile=max"]).ok(),
    };
    let compiled = quick.map_or_else(|| with(&[]), Ok).map_err(failed)?;
    Ok(match compiled.as_bytes() {
        Some(bytes) => bytes.to_vec(),
        None => compiled.to_src().into_bytes(),
    })
}

fn no_compiler() -> DeviceError {
    DeviceError::Missing("the run-time compiler of CUDA (libnvrtc) is not installed".to_owned())
}

impl CudaDevice {
    /// Compiles the kernels of a search for the first device.
    ///
    /// # Errors
    /// If there is no device, no driver or no compiler, or if one of them fails.
    pub fn new(source: &SearchSource) -> Result<Self, DeviceError> {
        libraries()?;
        result::init().map_err(|error| DeviceError::Missing(format!("{error:?}")))?;
        let ordinal = result::device::get(0).map_err(|error| DeviceError::Missing(format!("{error:?}")))?;
        let name = result::device::get_name(ordinal).map_err(failed)?;
        let attribute = |which| {
            // SAFETY: the device was handed out by the driver.
            #[expect(unsafe_code, reason = "the argument stands above")]
            let value = unsafe { result::device::get_attribute(ordinal, which) };
            value.map_err(failed)
        };
        let major = attribute(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = attribute(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        let multiprocessors = attribute(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let image = compile(source, &format!("sm_{major}{minor}"))?;
        Self::load((ordinal, name), u64::try_from(multiprocessors).unwrap_or(1), image, source)
    }

    fn load(
        (ordinal, name): (sys::CUdevice, String),
        multiprocessors: u64,
        mut image: Vec<u8>,
        source: &SearchSource,
    ) -> Result<Self, DeviceError> {
        image.push(0);
        // SAFETY: the device was handed out by the driver; the context is retained until this value is dropped, and current for this thread.
        // The image was made by the compiler, ends in a zero, and is copied by the driver.
        #[expect(unsafe_code, reason = "the argument stands above")]
        unsafe {
            let context = result::primary_ctx::retain(ordinal).map_err(failed)?;
            result::ctx::set_current(context).map_err(failed)?;
            let module = result::module::load_data(image.as_ptr().cast::<c_void>()).map_err(failed)?;
            let mut device = Self { context, ordinal, module, kernels: Vec::new(), multiprocessors, name };
            for kernel in source.kernels() {
                let name = CString::new(kernel.name()).map_err(failed)?;
                device.kernels.push((kernel, result::module::get_function(module, name).map_err(failed)?));
            }
            Ok(device)
        }
    }

    /// What the device is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for CudaDevice {
    fn drop(&mut self) {
        // SAFETY: both were handed out by the driver, and nothing uses them any more. What cannot be given back is lost with the program.
        #[expect(unsafe_code, reason = "the argument stands above")]
        unsafe {
            let _ = result::ctx::set_current(self.context);
            let _ = result::module::unload(self.module);
            let _ = result::primary_ctx::release(self.ordinal);
        }
    }
}

impl Device for CudaDevice {
    fn free_bytes(&self) -> u64 {
        result::mem_get_info().map_or(0, |(free, _)| (free as u64).saturating_sub(RESERVE))
    }

    fn allocate(&mut self, bytes: u64) -> Result<u64, DeviceError> {
        let size = usize::try_from(bytes.max(1)).map_err(|_| DeviceError::Memory)?;
        // SAFETY: the memory is as large as what is filled with zeros.
        #[expect(unsafe_code, reason = "the argument stands above")]
        unsafe {
            let address = result::malloc_sync(size).map_err(|_| DeviceError::Memory)?;
            result::memset_d8_sync(address, 0, size).map_err(failed)?;
            Ok(address)
        }
    }

    fn release(&mut self, address: u64) -> Result<(), DeviceError> {
        // SAFETY: whoever gives memory back was given it by `allocate`, and does not use it any more.
        #[expect(unsafe_code, reason = "the argument stands above")]
        unsafe {
            result::free_sync(address).map_err(failed)
        }
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        // SAFETY: the search writes inside memory that it allocated; the driver refuses addresses of nothing.
        #[expect(unsafe_code, reason = "the argument stands above")]
        unsafe {
            result::memcpy_htod_sync(address, bytes).map_err(failed)
        }
    }

    fn read(&mut self, address: u64, bytes: usize) -> Result<Vec<u8>, DeviceError> {
        let mut read = vec![0; bytes];
        if bytes > 0 {
            // SAFETY: as above; there is room for as many bytes as are read.
            #[expect(unsafe_code, reason = "the argument stands above")]
            unsafe {
                result::memcpy_dtoh_sync(&mut read, address).map_err(failed)?;
            }
        }
        Ok(read)
    }

    fn launch(&mut self, kernel: Kernel, work: u64, arguments: &[u64]) -> Result<(), DeviceError> {
        let blocks = work.div_ceil(BLOCK).clamp(1, self.multiprocessors * BLOCKS_EACH);
        let blocks = to_u32(usize::try_from(blocks).map_err(failed)?);
        let found = self.kernels.iter().find(|(other, _)| *other == kernel);
        let &(_, function) = found.ok_or_else(|| failed(format!("there is no kernel `{}`", kernel.name())))?;
        let mut values = arguments.to_vec();
        let mut addresses: Vec<*mut c_void> =
            values.iter_mut().map(|value| std::ptr::from_mut(value).cast::<c_void>()).collect();
        let threads = to_u32(usize::try_from(BLOCK).map_err(failed)?);
        // SAFETY: all parameters of all kernels are integers of 64 bits, and `search` gives as many as each has; they live until the kernel
        // has ended, which is waited for. What they address was allocated by the search.
        #[expect(unsafe_code, reason = "the argument stands above")]
        unsafe {
            let stream = std::ptr::null_mut();
            result::launch_kernel(function, (blocks, 1, 1), (threads, 1, 1), 0, stream, &mut addresses)
                .map_err(failed)?;
        }
        result::ctx::synchronize().map_err(failed)
    }
}
