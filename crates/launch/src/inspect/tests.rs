// SPDX-License-Identifier: MIT

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::Command;

use super::*;

const SYSTEM: System = System { uid: 0, gid: 0, no_new_privileges: false, shadow_stacks: false };

fn compile(folder: &Path, source: &str, options: &[&str]) -> PathBuf {
    let (input, output) = (folder.join("program.c"), folder.join("program"));
    fs::write(&input, source).unwrap();
    let done = Command::new("gcc").arg(&input).args(options).arg("-o").arg(&output).status();
    assert!(done.expect("gcc is needed for this test").success());
    output
}

fn obstacles(path: &Path, system: &System) -> Vec<Obstacle> {
    inspect(path, system).obstacles
}

#[test]
fn a_dynamic_program_is_treatable_and_its_imports_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let source = "#include <signal.h>\n#include <ucontext.h>\n#include <stdlib.h>\n\
                  int main(void) { ucontext_t u; sigset_t s; sigemptyset(&s);\n\
                  sigprocmask(SIG_BLOCK, &s, 0); return getcontext(&u) + system(\"true\"); }";
    let result = inspect(&compile(folder.path(), source, &[]), &SYSTEM);
    assert!(result.treatable(), "{:?}", result.obstacles);
    let program = result.program.unwrap();
    assert_eq!(program.linking, Linking::Dynamic);
    assert_eq!(program.machine, "x86-64");
    assert_eq!(program.imported.mask, ["sigprocmask"]);
    assert_eq!(program.imported.context, ["getcontext"]);
    assert_eq!(program.imported.inside, ["system"]);
}

#[test]
fn a_static_program_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = compile(folder.path(), "int main(void) { return 0; }", &["-static"]);
    assert_eq!(obstacles(&path, &SYSTEM), [Obstacle::Static]);
}

#[test]
fn a_program_with_a_sanitizer_is_not() {
    let folder = tempfile::tempdir().unwrap();
    for (option, name) in
        [("-fsanitize=address", "AddressSanitizer"), ("-fsanitize=thread", "ThreadSanitizer")]
    {
        let path = compile(folder.path(), "int main(void) { return 0; }", &[option]);
        assert_eq!(obstacles(&path, &SYSTEM), [Obstacle::Sanitizer { name }]);
    }
}

#[test]
fn a_library_is_no_program() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["-shared", "-fPIC", "-Wl,-soname,libx.so.1"];
    let path = compile(folder.path(), "int x(void) { return 0; }", &options);
    assert_eq!(obstacles(&path, &SYSTEM), [Obstacle::Library]);
    let path = compile(folder.path(), "int main(void) { return 0; }", &["-static-pie"]);
    assert_eq!(obstacles(&path, &SYSTEM), [Obstacle::Static]);
}

#[test]
fn a_foreign_header_names_the_machine() {
    let folder = tempfile::tempdir().unwrap();
    let mut header = fs::read("/bin/ls").unwrap();
    header[18..20].copy_from_slice(&183u16.to_le_bytes());
    let path = folder.path().join("foreign");
    fs::write(&path, header).unwrap();
    let machine = "AArch64".to_string();
    assert_eq!(obstacles(&path, &SYSTEM), [Obstacle::Machine { machine, bits: Bits::Sixtyfour }]);
}

#[test]
fn own_system_call_instructions_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let source = "int main(void) { long r; register long m asm(\"r10\") = 8;\n\
                  asm volatile(\"mov $14, %%eax; syscall\" : \"=a\"(r)\n\
                  : \"D\"(0L), \"S\"(0L), \"d\"(0L), \"r\"(m) : \"rcx\", \"r11\", \"memory\");\n\
                  return r; }";
    let path = compile(folder.path(), source, &[]);
    let expected = OwnCalls { rt_sigprocmask: 1, rt_sigaction: 0 };
    assert_eq!(obstacles(&path, &SYSTEM), [Obstacle::OwnCalls(expected)]);
}

#[test]
fn setuid_matters_where_it_changes_the_user() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ls");
    fs::copy("/bin/ls", &path).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o4755)).unwrap();
    if system::on_nosuid(&path) {
        return println!("skipped: the folder for temporary files is mounted nosuid");
    }
    let owner = path.metadata().unwrap().uid();
    let same = System { uid: owner, ..SYSTEM };
    let other = System { uid: owner + 1, ..SYSTEM };
    assert_eq!(obstacles(&path, &same), []);
    assert_eq!(obstacles(&path, &other), [Obstacle::SecureExec { by: "setuid" }]);
    let bound = System { no_new_privileges: true, ..other };
    assert_eq!(obstacles(&path, &bound), []);
}

#[test]
fn shadow_stacks_matter_where_they_are_in_effect() {
    let folder = tempfile::tempdir().unwrap();
    let source = "int main(void) { return 0; }";
    let path = compile(folder.path(), source, &["-fcf-protection=full", "-Wl,-z,shstk"]);
    let on = System { shadow_stacks: true, ..SYSTEM };
    assert_eq!(obstacles(&path, &on), [Obstacle::ShadowStack]);
    let off = inspect(&path, &SYSTEM);
    assert!(off.treatable());
    assert!(off.notes.iter().any(|note| note.contains("shadow stacks")));
}

#[test]
fn a_script_is_as_treatable_as_what_runs_it() {
    let folder = tempfile::tempdir().unwrap();
    let fixed = compile(folder.path(), "int main(void) { return 0; }", &["-static"]);
    let script = folder.path().join("script");
    fs::write(&script, "#!/bin/sh\nexit 0\n").unwrap();
    let result = inspect(&script, &SYSTEM);
    assert!(result.treatable());
    assert_eq!(result.interpreters, [PathBuf::from("/bin/sh")]);
    fs::write(&script, format!("#!{} -x\n", fixed.display())).unwrap();
    assert_eq!(obstacles(&script, &SYSTEM), [Obstacle::Static]);
    fs::write(&script, "#!/bin/missing\n").unwrap();
    assert!(matches!(obstacles(&script, &SYSTEM)[..], [Obstacle::Unreadable { .. }]));
}

#[test]
fn broken_files_are_told_and_never_crash_us() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken");
    let whole = fs::read("/bin/ls").unwrap();
    for length in [0, 4, 5, 16, 63, 64, 100] {
        fs::write(&path, &whole[..length]).unwrap();
        assert_eq!(obstacles(&path, &SYSTEM), [Obstacle::Format], "first {length} bytes");
    }
    // Without its section headers the kernel still runs it.
    fs::write(&path, &whole[..whole.len() - 64]).unwrap();
    assert_eq!(obstacles(&path, &SYSTEM), []);
    fs::write(&path, b"\0\x01\x02binary").unwrap();
    assert_eq!(obstacles(&path, &SYSTEM), [Obstacle::Format]);
    assert!(matches!(obstacles(folder.path(), &SYSTEM)[..], [Obstacle::Unreadable { .. }]));
}

#[test]
fn a_go_program_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("main.go");
    fs::write(&source, "package main\nfunc main() {}\n").unwrap();
    let output = folder.path().join("program");
    let mut build = Command::new("go");
    build.arg("build").arg("-o").arg(&output).arg(&source);
    build.env("GOCACHE", folder.path().join("cache")).env("GOFLAGS", "-mod=mod");
    match build.status() {
        Ok(done) => assert!(done.success()),
        Err(_) => return println!("skipped: there is no Go compiler"),
    }
    assert!(obstacles(&output, &SYSTEM).contains(&Obstacle::Go));
}
