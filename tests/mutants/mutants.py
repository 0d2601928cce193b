# SPDX-License-Identifier: MIT
"""Deliberately broken variants of the runtime. Each is one exact replacement in one file;
one that no longer applies fails the run, so that the table follows the sources."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    name: str
    file: str  # in runtime/
    old: str
    new: str


_RAW = "sz_syscall4(SYS_rt_sigprocmask, 2, (long)&none_, (long)&old_, 8)"
_EMPTIED = f"({{ sz_set none_ = 0, old_; {_RAW}; }});"
_EMPTY = f'#include "kernel.h"\nstatic void empty_(void)\n{{\n\t{_EMPTIED}\n}}\n'

MUTANTS = [
    Mutant("the mask never reaches the kernel", "x86_64/mask_call.S",
           "\tmov\t$NR_RT_SIGPROCMASK, %eax\n\tsyscall\n",
           "\tmov\t$NR_RT_SIGPROCMASK, %eax\n\tpush\t%rsi\n\txor\t%esi, %esi\n"
           "\tsyscall\n\tpop\t%rsi\n"),
    Mutant("siglongjmp forgets the mask", "jump.c",
           "if (env->__mask_was_saved) {", "if (0) {"),
    Mutant("sigsetjmp saves a mask that was not asked for", "x86_64/jump.S",
           "\ttest\t%esi, %esi\n\tjz\t2f\n", "\ttest\t%esi, %esi\n"),
    Mutant("new threads start with an empty mask", "spawn.c",
           "\treturn sz_real_pthread_create(thread, attributes, function, argument);",
           f"\tsz_set old_, none_ = 0;\n\t{_RAW};\n"
           "\tint result_ = sz_real_pthread_create(thread, attributes, function, argument);\n"
           "\tsz_syscall4(SYS_rt_sigprocmask, 2, (long)&old_, 0, 8);\n\treturn result_;"),
    Mutant("exec loses the mask", "exec.c",
           "#define ENVIRONMENT(envp)" + " " * 67 + "\\\n\t(sz_ensure_started(),",
           _EMPTY + "#define ENVIRONMENT(envp) \\\n\t(sz_ensure_started(), empty_(),"),
    Mutant("posix_spawn loses the mask", "spawn.c",
           "\t\treturn sz_real_##function(pid,",
           "\t\tsz_set old_, none_ = 0;" + " " * 4 + "\\\n\t\t" + _RAW + "; \\\n"
           "\t\tint result_ = sz_real_##function(pid, path, actions, attributes, argv, envp); \\\n"
           "\t\tsz_syscall4(SYS_rt_sigprocmask, 2, (long)&old_, 0, 8); return result_; \\\n"
           "\t\treturn sz_real_##function(pid,"),
    Mutant("fork loses the mask", "spawn.c",
           "SZ_INTERPOSE int system(",
           "pid_t __fork(void);\nSZ_INTERPOSE pid_t fork(void)\n{\n\tpid_t pid_ = __fork();\n"
           f"\tif (pid_ == 0)\n\t\t{_EMPTIED}\n\treturn pid_;\n}}\n\nSZ_INTERPOSE int system("),
    Mutant("the old mask is the new one", "x86_64/mask_call.S",
           "\tmov\t(%r8), %r11\n\tmov\tOLD, %rdx\n",
           "\tmov\tsz_thread@gottpoff(%rip), %r9\n\tmov\t%fs:TH_MASK(%r9), %r11\n"
           "\tmov\tOLD, %rdx\n"),
    Mutant("a query forgets real-time signals", "mask.h",
           "\t\t*old = mask;", "\t\t*old = mask & 0xffffffff;"),
    Mutant("a call with unblocked signals is taken for no change", "mask.h",
           "\tmask = how == 0 ? mask | set : how == 1 ? mask & ~set : set;",
           "\tmask = how == 0 ? mask | set : how == 1 ? mask & ~set : mask | set;"),
    Mutant("unblocking delivers late", "mask.c",
           "\tlong result = sz_mask_call(how, set, &before, caller);",
           "\tlong result;\n"
           "\tif (how == SIG_UNBLOCK && set && sz_thread.known && (sz_thread.mask & *set)) {\n"
           "\t\tbefore = sz_thread.mask;\n\t\tsz_thread.mask &= ~*set;\n\t\tresult = 0;\n"
           "\t} else\n\tresult = sz_mask_call(how, set, &before, caller);"),
    Mutant("a failed call is remembered and reported as success", "x86_64/mask_call.S",
           "\ttest\t%rax, %rax\n\tjnz\t9f\n", "\ttest\t%rax, %rax\n"),
    Mutant("32 and 33 can be blocked", "mask.c",
           "*(const sz_set *)set & ~SZ_LIBC_INTERNAL : 0;", "*(const sz_set *)set : 0;"),
    Mutant("sa_mask is ignored in the handler's view", "arrival.c",
           "a->mask = a->view | own;", "a->mask = a->view | SZ_BIT(d->sig);"),
    Mutant("SA_NODEFER is ignored", "arrival.c",
           "(shape->flags & SA_NODEFER ? 0 : SZ_BIT(d->sig))", "SZ_BIT(d->sig)"),
    Mutant("the temporary mask of sigsuspend is not seen", "arrival.c",
           "else if (d->uc->uc_mcontext.gregs[REG_RAX] == -EINTR)", "else if (0)"),
    Mutant("a cancelled thread goes on remembering", "cancel.c",
           "->forgetful, 1,", "->forgetful, 0,"),
    Mutant("system leaves a handler's change behind", "spawn.c",
           "\tSZ_READ(sz_thread.known) = 0; //", "\t//"),
    Mutant("a signal that the unblocking call let in finds no note", "arrival.c",
           "if (IN(rip, sz_mask_commit, sz_mask_committed) && regs[REG_RAX] == 0) {",
           "if (0) {"),
    Mutant("a handler's changed uc_sigmask is lost", "x86_64/handler.S",
           "\tmov\tUC_SIGMASK(%rbx), %rax\n\tbtr",
           "\tmov\tAR_ENTRY_MASK-AR_BELOW_UC(%rbx), %rax\n\tbtr"),
    Mutant("sigpending is always empty", "pending.c",
           "\treturn sz_libc_result(sz_syscall4(SYS_rt_sigpending, (long)set, sizeof(sz_set), 0, 0));",
           "\tmemset(set, 0, sizeof(sz_set));\n\treturn sz_libc_result(0);"),
    Mutant("vfork's child leaks its mask", "x86_64/vfork.S",
           "\tmov\t%r9, %fs:TH_MASK(%r8)\n\tmov\t%r10d, %fs:TH_KNOWN(%r8)\n", ""),
    Mutant("vfork's child leaks its dispositions", "disposition.c",
           "\t\t\tsz_disposition_unwrap(before);\n\t\tguarded = true;",
           "\t\t\tsz_disposition_unwrap(before);\n\t\tguarded = false;"),
    Mutant("clone's child leaks its mask", "clone.c",
           "\tsz_thread = before;\n", ""),
    Mutant("getcontext saves an empty mask", "x86_64/context.S",
           "\tmov\t%fs:TH_MASK(%rdx), %rax\n\tmov\t%rax, UC_SIGMASK(%rdi)\n",
           "\tmovq\t$0, UC_SIGMASK(%rdi)\n"),
    Mutant("setcontext forgets the mask", "context.c",
           "\treturn mask_op(&set, NULL, caller, SZ_FN_SETCONTEXT);", "\t(void)set;\n\treturn 0;"),
    Mutant("swapcontext forgets the mask", "context.c",
           "\treturn mask_op(&set, (sz_set *)&old_ucp->uc_sigmask, caller, SZ_FN_SWAPCONTEXT);",
           "\t(void)set;\n"
           "\treturn mask_op(NULL, (sz_set *)&old_ucp->uc_sigmask, caller, SZ_FN_SWAPCONTEXT);"),
    Mutant("uc_link forgets the mask", "context.c",
           "\tif (sz_mask_op(SIG_SETMASK, &set, NULL, (void *)link",
           "\tif (sz_mask_op(SIG_BLOCK, NULL, &set, (void *)link"),
    Mutant("sigaction is spared when only the flags differ", "disposition.c",
           "a->restorer == b->restorer &&\n\t       (uint32_t)a->flags == (uint32_t)b->flags;",
           "a->restorer == b->restorer;"),
    Mutant("sigaction is spared when only sa_mask differs", "disposition.c",
           "a->handler == b->handler && a->mask == b->mask &&", "a->handler == b->handler &&"),
    Mutant("ignoring again keeps what is pending", "disposition.c",
           "!(ignores(sig, act) && may_be_pending(sig))", "1"),
    Mutant("SA_RESETHAND is remembered after it reset", "disposition.h",
           "(SA_NOCLDSTOP | SA_NOCLDWAIT |", "(SA_RESETHAND | SA_NOCLDSTOP | SA_NOCLDWAIT |"),
    Mutant("the old action shows our wrapper", "guard.c",
           "\tif (result == 0 && !sz_guard_removed(sig, old))\n\t\tsz_disposition_unwrap(old);",
           "\tif (result == 0)\n\t\tsz_guard_removed(sig, old);"),
    Mutant("the old action's mask is empty", "sigaction.c",
           "\t*(sz_set *)&to->sa_mask = from->mask;\n", ""),
    Mutant("what is held back is not sent again", "promote.c",
           "\t\tsz_send_again(siginfo_of(uc)->si_signo, siginfo_of(uc));\n", ""),
    Mutant("what is held back stays open in the kernel", "promote.c",
           "\tarrival->kernel_after = sz_thread.mask;\n",
           "\tarrival->kernel_after = arrival->entry_mask;\n"),
    Mutant("what was sent to the process goes to the thread", "send_again.c",
           "\tif (sent_to_thread(sig, info)) {", "\tif (1) {"),
    Mutant("EINTR is never given back", "give_back.c",
           "\tregs[REG_RAX] = -EINTR;\n\tregs[REG_RIP] += 2;\n", ""),
    Mutant("exec does not flush", "exec.c", "sz_flush(), ", ""),
    Mutant("a guard leaves siginfo empty", "guard.c", "SA_RESTART | SA_SIGINFO;", "SA_RESTART;"),
    Mutant("real-time signals and stops are lazy", "lazy.h", "~(SZ_UNBLOCKABLE | SZ_BIT(SIGTSTP)",
           "~(SZ_UNBLOCKABLE"),
    Mutant("ignored signals are lazy", "guard.c",
           "#define IGNORED_BY_DEFAULT (SZ_BIT(SIGCHLD) |", "#define IGNORED_BY_DEFAULT (0 * SZ_BIT(SIGCHLD) |"),
    Mutant("a section's copy is never compared", "section.h",
           "if (__builtin_expect(off != 0 && off != SIGFASTBLOCK_INC, 0))", "if (0)"),
    Mutant("leaving a section delivers nothing", "section.c",
           "\tif (open)\n\t\tsz_section_open(SZ_CALLER);", "\t(void)open;"),
    Mutant("posix_spawn hands a section on", "spawn.c",
           "|| !sz_section_mask_to_hand_on((sz_set *)&mask))", "|| 1)"),
    Mutant("vfork's child leaves its section to the parent", "x86_64/vfork.S",
           "\tmov\t%rdx, %fs:(%rcx)\n", ""),
]
