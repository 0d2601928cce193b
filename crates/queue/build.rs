// SPDX-License-Identifier: MIT
//! Compiles bpf/queue.bpf.c and generates its Rust side.

use std::env;
use std::path::PathBuf;

use libbpf_cargo::SkeletonBuilder;

fn main() {
    println!("cargo:rerun-if-changed=../../bpf");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let built = SkeletonBuilder::new()
        .source("../../bpf/queue.bpf.c")
        .clang_args(["-mcpu=v3", "-Wall", "-Werror"])
        .build_and_generate(out.join("queue.skel.rs"));
    if let Err(error) = built {
        panic!("bpf/queue.bpf.c cannot be compiled; is clang installed (./setup build)? {error:#}");
    }
}
