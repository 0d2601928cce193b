// SPDX-License-Identifier: MIT
//! Compiles the programs in bpf/ and generates their Rust side.

use std::env;
use std::path::PathBuf;

use libbpf_cargo::SkeletonBuilder;

fn main() {
    println!("cargo:rerun-if-changed=../../bpf");
    if env::var("CARGO_CFG_TARGET_ARCH").as_deref() != Ok("x86_64") {
        return;
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let built = SkeletonBuilder::new()
        .source("../../bpf/signals.bpf.c")
        // Without v3, clang 14 fails on a result of __sync_fetch_and_add that is used.
        .clang_args(["-mcpu=v3", "-Wall", "-Werror"])
        .build_and_generate(out.join("signals.skel.rs"));
    if let Err(error) = built {
        panic!(
            "bpf/signals.bpf.c cannot be compiled; is clang installed (./setup build)? {error:#}"
        );
    }
}
