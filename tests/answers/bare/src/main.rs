//! Prints the hashes on a microcontroller without an operating system, through the debugger.
#![no_std]
#![no_main]

use core::panic::PanicInfo;

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprint, hprintln};
use embedded_alloc::LlffHeap as Heap;
use orthant::InstructionSet;

#[global_allocator]
static HEAP: Heap = Heap::empty();

const SIZE: usize = 12 << 20;
static mut MEMORY: [u8; SIZE] = [0; SIZE];

#[panic_handler]
fn panic(info: &PanicInfo) -> ! {
    hprintln!("{}", info);
    debug::exit(debug::EXIT_FAILURE);
    loop {}
}

#[entry]
fn main() -> ! {
    // SAFETY: this runs once, before any allocation, and nothing else refers to `MEMORY`.
    unsafe { HEAP.init(&raw mut MEMORY as usize, SIZE) }
    hprint!("{}", answers::answers(InstructionSet::BASELINE));
    debug::exit(debug::EXIT_SUCCESS);
    loop {}
}
