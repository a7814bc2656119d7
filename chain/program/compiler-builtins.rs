//! Stands in for the crate that every `no_std` crate is linked with: nothing of it is used. The linker
//! turns memcpy, memmove and memset into system calls.
#![feature(compiler_builtins)]
#![allow(internal_features)]
#![compiler_builtins]
#![no_std]
