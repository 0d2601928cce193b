// SPDX-License-Identifier: MIT
//! The functions of libc that have to do with a program's signals, by family.

use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    Mask,
    Disposition,
    Jump,
    Context,
    /// Signal calls that libc makes inside and no preload can see.
    Inside,
}

/// What a program imports, by family.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Imported {
    pub mask: Vec<String>,
    pub disposition: Vec<String>,
    pub jump: Vec<String>,
    pub context: Vec<String>,
    pub inside: Vec<String>,
}

impl Imported {
    pub fn add(&mut self, name: &str) {
        let Some(family) = family(name) else { return };
        let list = self.list_mut(family);
        if let Err(at) = list.binary_search_by(|known| known.as_str().cmp(name)) {
            list.insert(at, name.into());
        }
    }

    pub fn is_empty(&self) -> bool {
        self.families().iter().all(|(_, list)| list.is_empty())
    }

    pub fn families(&self) -> [(Family, &[String]); 5] {
        [
            (Family::Mask, &self.mask),
            (Family::Disposition, &self.disposition),
            (Family::Jump, &self.jump),
            (Family::Context, &self.context),
            (Family::Inside, &self.inside),
        ]
    }

    fn list_mut(&mut self, family: Family) -> &mut Vec<String> {
        match family {
            Family::Mask => &mut self.mask,
            Family::Disposition => &mut self.disposition,
            Family::Jump => &mut self.jump,
            Family::Context => &mut self.context,
            Family::Inside => &mut self.inside,
        }
    }
}

fn family(name: &str) -> Option<Family> {
    let family = match name {
        "sigprocmask" | "pthread_sigmask" | "sigblock" | "sigsetmask" | "siggetmask"
        | "sighold" | "sigrelse" | "sigset" | "sigpause" | "__sigpause" | "__xpg_sigpause"
        | "sigsuspend" => Family::Mask,
        "sigaction" | "__sigaction" | "signal" | "bsd_signal" | "sysv_signal" | "__sysv_signal"
        | "ssignal" | "sigignore" | "siginterrupt" => Family::Disposition,
        "__sigsetjmp" | "sigsetjmp" | "setjmp" | "_setjmp" | "siglongjmp" | "longjmp"
        | "_longjmp" | "__longjmp_chk" => Family::Jump,
        "getcontext" | "setcontext" | "swapcontext" | "makecontext" => Family::Context,
        "posix_spawn" | "posix_spawnp" | "system" | "popen" | "pthread_create" | "pthread_kill"
        | "pthread_cancel" | "timer_create" | "aio_read" | "aio_write" | "lio_listio"
        | "getaddrinfo_a" | "abort" => Family::Inside,
        _ => return None,
    };
    Some(family)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_into_families_once() {
        let mut imported = Imported::default();
        for name in ["signal", "sigprocmask", "printf", "sigaction", "signal"] {
            imported.add(name);
        }
        assert_eq!(imported.mask, ["sigprocmask"]);
        assert_eq!(imported.disposition, ["sigaction", "signal"]);
        assert!(imported.jump.is_empty() && !imported.is_empty());
    }
}
