/* SPDX-License-Identifier: MIT */
/*
 * One thread, its mask in two copies, and a signal between any two instructions.
 *
 * The names are those of runtime/: V is sz_thread.mask, K is sz_thread.kernel; a program counter
 * is a label of mask_call.S or handler.S, or an instruction behind it. A frame is what the
 * kernel pushes for a signal: frame 0 is main, frame t runs. One turn of the loop in `thread` is
 * one instruction that matters; before each the kernel delivers what it may, so that a signal
 * sent between any two instructions arrives there.
 *
 * Beside it runs the reference, plain kernel semantics, in the variables that begin with plain_:
 * its mask changes where ours takes effect (the store of V, or the system call), and it delivers
 * where the kernel delivers. Whatever the program sees of ours is compared with it, at once.
 *
 * OPERATIONS, SENDS and DEPTH bound it; SECTIONS adds critical sections, JUMPS handlers that
 * jump out, NODEFER a handler that leaves its own signal open. The switches that begin with BREAK
 * break the protocol, and spin must find out (run.py).
 */

#ifndef OPERATIONS
#define OPERATIONS 2
#endif
#ifndef SENDS
#define SENDS 2
#endif
#ifndef DEPTH
#define DEPTH 4
#endif

/*
 * Three signals that are sent; the last may not be blocked lazily. A fourth is only blocked, by
 * the handlers of the first and of the last; the second one's handler blocks the first.
 */
#define SIGNALS 3
#define ALL 15
#define BIT(s) (1 << (s))
#define sz_lazy_ok 11
#ifdef NODEFER
#define own(s) (s == 0 -> 8 : (s == 1 -> 3 : 12))
#else
#define own(s) (s == 0 -> 9 : (s == 1 -> 3 : 12))
#endif

/* Program counters. */
#define PROGRAM 1
#define MASK_FUNCTION 2
#define sz_mask_lazy_start 10
#define LAZY_K 11
#define LAZY_STORE 12
#define sz_mask_lazy_done 13
#define sz_mask_call_start 20
#define CALL_K 21
#define CALL_SYSCALL 22
#define sz_mask_commit 23
#define COMMIT_K 24
#define COMMIT_KNOWN 25
#define sz_mask_committed 26
#define CHANGE_HELD 27
#define JUMP 28
#define ENTER_COPY 30
#define LEAVE_WORD 31
#define LEAVE_SLOW 32
#define LEAVE_HELD 33
#define sz_entries 40
#define sz_arrival_restart 41
#define PREPARE_REPAIR 42
#define PREPARE_RESUME 43
#define PREPARE_FILL 44
#define sz_arrival_commit 45
#define ARRIVAL_K 46
#define ARRIVAL_KNOWN 47
#define ARRIVAL_PROMOTING 48
#define sz_arrival_done 49
#define HANDLER_OVER 59
#define sz_promote 50
#define PROMOTE_BLOCK 51
#define PROMOTE_AFTER 52
#define PROMOTE_SEND 53
#define sz_arrival_special 54
#define SPECIAL_BLOCK 55
#define SPECIAL_SEND 56
#define SPECIAL_OPEN 57
#define sz_return 60
#define RETURN_SAVE_K 61
#define RETURN_SAVE_KNOWN 62
#define sz_returning 63
#define RETURN_V 64
#define RETURN_K 65
#define RETURN_KNOWN 66
#define RETURN_SYSCALL 67
#define END 99

#define in(p, from, to) (p >= from && p < to)
#define not_yet_arrived(p) in(p, sz_entries, sz_arrival_commit)
#define returning(p) (p >= sz_returning && p <= RETURN_SYSCALL)
#define committing(p) in(p, sz_arrival_commit, sz_arrival_done)

/* How an arrival ends: not TRUST where the kernel's mask is not what we know of it. */
#define TRUST 0
#define FORGET 1
#define FOREIGN 2
#define kept (a[t].exit == FOREIGN && a[t].after == a[t].view)

/* The kernel's side. */
byte blocked;	/* what it really blocks */
byte pending;
byte t;		/* the frame that runs */
byte pc[DEPTH];
byte uc_sigmask[DEPTH];
byte sig[DEPTH];

/* sz_thread, and the section's word: a count in steps of one, and PEND. */
byte V, K;
byte promoting;	/* the frame that is to send its signal again, or 0 */
bool known, held, PEND;
short word, copy;

typedef arrival_t {
	byte mask, kernel, entry_mask, view, after, kernel_after, before_mask, before_kernel;
	byte left_mask, left_kernel, promoting, previous, exit;
	byte next;	/* in prepare: whose arrival is being filled in */
	bool known, left_known, ours, special, section
}
arrival_t a[DEPTH];

/* The registers of a mask function, in each frame. */
byte how[DEPTH], set[DEPTH], old[DEPTH], new[DEPTH], kernel_old[DEPTH], then[DEPTH];

#define BLOCK 0
#define UNBLOCK 1
#define SETMASK 2
#define NOTHING 3	/* no set was given */
#define applied(h, m, s) \
	(h == BLOCK -> (m | (s)) : (h == UNBLOCK -> (m & ~(s)) : (h == SETMASK -> (s) : m)))
#define BY_KERNEL 16	/* `new` where the kernel applies the change to what it holds */

/* The program. */
byte operations = OPERATIONS;
byte sends = SENDS;
bool final;

/* The reference. */
byte plain_mask;
byte plain_uc[DEPTH];	/* its uc_sigmask */
bool plain_section;
byte fate[DEPTH];	/* of the signal for which a frame was pushed: */
#define HELD_BACK 0	/* it is pending in the reference; ours is to be sent again */
#define DELIVERED 1	/* the reference's handler is on its first instruction */
#define SENT_AGAIN 2
#define RUN 3
#define plain_blocked (plain_section -> ALL : plain_mask)

/*
 * When a signal is sent that the kernel blocks makes a difference only where the kernel looks.
 */
#define kernel_looks \
	(pc[t] == PROGRAM || pc[t] == CALL_SYSCALL || pc[t] == PROMOTE_BLOCK || \
	 pc[t] == PROMOTE_SEND || pc[t] == SPECIAL_BLOCK || pc[t] == SPECIAL_SEND || \
	 pc[t] == SPECIAL_OPEN || pc[t] == RETURN_SYSCALL)
#define may_send(s) (!(pending & BIT(s)) && (!(blocked & BIT(s)) || kernel_looks))

/* Nothing can come between this instruction and the one before. */
#define alone \
	(pc[t] != PROGRAM && pc[t] != END && !(pending & ~blocked) && \
	 (!sends || final || (blocked == ALL && !kernel_looks)))

byte i, f, x, y;

inline plain_deliver(n)
{
	fate[n] = DELIVERED;
	plain_uc[n] = plain_mask;
	plain_mask = plain_mask | own(sig[n])
}

/* The kernel pushes a frame; the lowest number first, as Linux does. */
inline deliver()
{
	x = pending & ~blocked;
	y = (x & 1 -> 0 : (x & 2 -> 1 : 2));
	pending = pending & ~BIT(y);
	t++;
	printf("frame %d: signal %d arrives at %d of frame %d\n", t, y, pc[t - 1], t - 1);
	pc[t] = sz_entries;
	sig[t] = y;
	uc_sigmask[t] = blocked;
	blocked = blocked | own(y);
	if
	:: plain_blocked & BIT(y)
	:: else -> plain_deliver(t)
	fi;
	x = 0; y = 0
}

inline drop_frame()
{
	pc[t] = 0; sig[t] = 0; uc_sigmask[t] = 0; plain_uc[t] = 0; fate[t] = 0;
	a[t].mask = 0; a[t].kernel = 0; a[t].entry_mask = 0; a[t].view = 0; a[t].after = 0;
	a[t].kernel_after = 0; a[t].before_mask = 0; a[t].before_kernel = 0; a[t].left_mask = 0;
	a[t].left_kernel = 0; a[t].promoting = 0; a[t].previous = 0; a[t].exit = 0; a[t].next = 0;
	a[t].known = 0; a[t].left_known = 0; a[t].ours = 0; a[t].special = 0; a[t].section = 0;
	t--
}

inline function_over(next)
{
	how[t] = 0; set[t] = 0; old[t] = 0; new[t] = 0; kernel_old[t] = 0;
	pc[t] = next;
	then[t] = 0
}

inline sigreturn()
{
	assert(fate[t] == SENT_AGAIN || fate[t] == RUN);	/* else the signal is lost */
	blocked = uc_sigmask[t];
	/* else it would come back at once, for ever */
	assert(fate[t] == RUN || (blocked & BIT(sig[t])) || !(plain_blocked & BIT(sig[t])));
	plain_mask = (fate[t] == RUN -> plain_uc[t] : plain_mask);
	drop_frame();
	/* An edit of uc_sigmask may have opened what an arrival below was to hold back. */
	if
	:: not_yet_arrived(pc[t]) && fate[t] == HELD_BACK && !(plain_blocked & BIT(sig[t])) ->
		plain_deliver(t)
	:: else
	fi
}

/* Where the program itself runs: what it sees, and that nothing that is open is late. */
inline look()
{
	assert(!known || V == plain_mask);
	assert(!known || held || !(K & ~V));
	x = pending;
	for (i : 1 .. t) {
		x = (fate[i] == HELD_BACK -> x | BIT(sig[i]) : x)
	}
	assert(!(x & ~plain_blocked));
	i = 0; x = 0
}

/* arrival.c: frame f goes on where its window may be left. */
inline resume()
{
	if
	:: pc[f] >= sz_return && pc[f] <= RETURN_SYSCALL -> pc[f] = sz_return
	:: committing(pc[f]) -> pc[f] = sz_arrival_done
#ifndef BREAK_LAZY_RESTART
	:: in(pc[f], sz_mask_lazy_start, sz_mask_lazy_done) -> pc[f] = sz_mask_lazy_start
#endif
#ifndef BREAK_CALL_RESTART
	:: in(pc[f], sz_mask_call_start, sz_mask_commit) -> pc[f] = sz_mask_call_start
#endif
#ifndef BREAK_COMMIT_REPAIR
	:: in(pc[f], sz_mask_commit, sz_mask_committed) -> pc[f] = sz_mask_committed
#endif
	:: else
	fi
}

/* The arrival of frame f; x is what is blocked lazily, y what the kernel blocked before. */
inline fill()
{
	y = uc_sigmask[f];
	x = (known -> V & ~K & ~y : 0);
	a[f].exit = (known && K == y -> TRUST : (x -> FOREIGN : FORGET));
	a[f].before_mask = (a[f].exit == FOREIGN -> V : 0);
	a[f].before_kernel = (a[f].exit == FOREIGN -> K : 0);
	a[f].entry_mask = y;
#ifdef BREAK_VIEW_OF_WRAPPER
	a[f].view = y | x;
#else
	a[f].view = (a[f].exit == TRUST -> V : y | x);
#endif
	a[f].kernel = y | own(sig[f]);
	a[f].known = 1;
	assert(word + copy == 0 || word + copy == 1);	/* else it would be reported */
	a[f].section = word > 0;
	a[f].ours = a[f].section || (x & BIT(sig[f]));
	a[f].previous = promoting;
	a[f].promoting = (a[f].ours -> f : promoting);
	/* To be held back is nothing that the interrupted code could see. */
#ifdef BREAK_HELD_BACK
	a[f].mask = a[f].view | own(sig[f]);
#else
	a[f].mask = (a[f].ours -> a[f].view : a[f].view | own(sig[f]));
#endif
#ifdef BREAK_SPECIAL
	a[f].special = (promoting > 0);
#else
#ifndef BREAK_CHAIN
	a[f].special = (promoting || (a[f].kernel & ~a[f].mask));
#endif
#endif
	x = 0; y = 0
}

/* The handler of the program is entered. */
inline run_handler()
{
	if
	:: pc[t] == PROGRAM ->
		assert(uc_sigmask[t] == plain_uc[t]);
		a[t].mask = 0; a[t].kernel = 0; a[t].known = 0; a[t].previous = 0; a[t].promoting = 0;
		a[t].special = 0;
		fate[t] = RUN
	:: else
	fi
}

/* f becomes the first of the chain, the lowest frame. */
inline sz_promote_all()
{
	do
	:: promoting ->
		f = promoting;
		assert(fate[f] == HELD_BACK && (plain_blocked & BIT(sig[f])));
		assert(blocked & BIT(sig[f]));
#ifndef BREAK_SEND
		pending = pending | BIT(sig[f]);
		fate[f] = SENT_AGAIN;
#endif
		promoting = a[f].previous
	:: else -> break
	od
}

inline instruction()
{
	printf("frame %d at %d: V %d K %d known %d held %d blocked %d pending %d plain_mask %d\n",
	       t, pc[t], V, K, known, held, blocked, pending, plain_mask);
	if
	/* mask.h: sz_mask_free; the load of V is the moment at which a query takes place */
	:: pc[t] == MASK_FUNCTION ->
		if
		:: !known || how[t] == NOTHING -> pc[t] = sz_mask_call_start
		:: known && how[t] != NOTHING && applied(how[t], V, set[t]) == V ->
			assert(V == plain_mask);
			function_over(then[t])
		:: else -> pc[t] = sz_mask_lazy_start
		fi

	/* mask_call.S: sz_mask_lazy */
	:: pc[t] == sz_mask_lazy_start ->
		if
		:: !known || held -> pc[t] = sz_mask_call_start
		:: else ->
			old[t] = V;
			new[t] = applied(how[t], V, set[t]);
			pc[t] = LAZY_K
		fi
	:: pc[t] == LAZY_K ->
		if
#ifdef BREAK_LAZY_OPENS
		:: new[t] & ~(K | sz_lazy_ok) ->
#else
		:: (new[t] & ~(K | sz_lazy_ok)) || (K & ~new[t]) ->
#endif
			old[t] = 0; new[t] = 0;
			pc[t] = sz_mask_call_start
		:: else -> pc[t] = LAZY_STORE
		fi
	:: pc[t] == LAZY_STORE ->
		assert(old[t] == plain_mask);
		plain_mask = applied(how[t], plain_mask, set[t]);
		assert(new[t] == plain_mask);
		V = new[t];
		function_over(then[t])

	/* mask_call.S: sz_mask_call */
	:: pc[t] == sz_mask_call_start ->
		if
		:: held -> pc[t] = CHANGE_HELD
		:: else -> old[t] = V; pc[t] = CALL_K
		fi
	:: pc[t] == CALL_K ->
		new[t] = (known && old[t] != K -> applied(how[t], old[t], set[t]) : BY_KERNEL);
#ifdef BREAK_V_FIRST
		V = (new[t] == BY_KERNEL -> applied(how[t], V, set[t]) : new[t]);
#endif
		pc[t] = CALL_SYSCALL
	:: pc[t] == CALL_SYSCALL ->
		kernel_old[t] = blocked;
		old[t] = (new[t] == BY_KERNEL -> blocked : old[t]);
		assert(old[t] == plain_mask);
		blocked = (new[t] == BY_KERNEL -> applied(how[t], blocked, set[t]) : new[t]);
		plain_mask = applied(how[t], plain_mask, set[t]);
		assert(blocked == plain_mask);
		new[t] = blocked;
		pc[t] = sz_mask_commit
	:: pc[t] == sz_mask_commit ->
		assert(!known || K == kernel_old[t]);	/* else the runtime steps aside */
		V = new[t];
		pc[t] = COMMIT_K
	:: pc[t] == COMMIT_K -> K = new[t]; pc[t] = COMMIT_KNOWN
	:: pc[t] == COMMIT_KNOWN -> known = 1; pc[t] = sz_mask_committed
	:: pc[t] == sz_mask_committed -> function_over(then[t])

	/* mask.c: change_held */
	:: pc[t] == CHANGE_HELD ->
		assert(blocked == ALL);
		assert(V == plain_mask);
		V = applied(how[t], V, set[t]);
		plain_mask = V;
		function_over(then[t])

	/* siglongjmp to main: the frames above are gone */
	:: pc[t] == JUMP ->
		do
		:: t > 0 ->
			assert(fate[t] != HELD_BACK);	/* else the signal is lost */
			drop_frame();
			function_over(PROGRAM)
		:: else -> break
		od

	/* sigzero.h */
	:: pc[t] == ENTER_COPY -> copy--; pc[t] = PROGRAM
	:: pc[t] == LEAVE_WORD ->
#ifdef BREAK_COPY
		copy++;
#else
		word--;
		plain_section = (word > 0);
#endif
		pc[t] = (PEND && !word -> LEAVE_SLOW : PROGRAM)
	/* section.c */
	:: pc[t] == LEAVE_SLOW -> PEND = 0; pc[t] = LEAVE_HELD
	:: pc[t] == LEAVE_HELD ->
		held = 0;
		how[t] = NOTHING;
		then[t] = PROGRAM;
		pc[t] = sz_mask_call_start

	/* handler.S: on the way in */
	:: pc[t] == sz_entries -> pc[t] = sz_arrival_restart
	/* arrival.c: the lowest that has not arrived yet comes first; it may be this one */
	:: pc[t] == sz_arrival_restart ->
		a[t].next = t;
#ifndef BREAK_BELOW
		do
		:: not_yet_arrived(pc[a[t].next - 1]) -> a[t].next--
		:: else -> break
		od;
#endif
		pc[t] = PREPARE_REPAIR
	:: pc[t] == PREPARE_REPAIR ->
		f = a[t].next - 1;
		if
		:: committing(pc[f]) ->
			V = a[f].mask; K = a[f].kernel; known = a[f].known;
			promoting = a[f].promoting
#ifndef BREAK_LEFT
		:: returning(pc[f]) ->
			V = a[f].left_mask; K = a[f].left_kernel; known = a[f].left_known
#endif
#ifndef BREAK_COMMIT_REPAIR
		:: in(pc[f], sz_mask_commit, sz_mask_committed) ->
			V = uc_sigmask[f + 1]; K = uc_sigmask[f + 1]; known = 1
#endif
		:: else
		fi;
		f = 0;
		pc[t] = PREPARE_RESUME
	:: pc[t] == PREPARE_RESUME -> f = a[t].next - 1; resume(); f = 0; pc[t] = PREPARE_FILL
	:: pc[t] == PREPARE_FILL ->
		f = a[t].next;
		fill();
		pc[t] = (f == t -> pc[t] : sz_arrival_restart);
		pc[f] = sz_arrival_commit;
		a[t].next = 0; f = 0
	:: pc[t] == sz_arrival_commit -> V = a[t].mask; pc[t] = ARRIVAL_K
	:: pc[t] == ARRIVAL_K -> K = a[t].kernel; pc[t] = ARRIVAL_KNOWN
	:: pc[t] == ARRIVAL_KNOWN -> known = a[t].known; pc[t] = ARRIVAL_PROMOTING
	:: pc[t] == ARRIVAL_PROMOTING -> promoting = a[t].promoting; pc[t] = sz_arrival_done
	:: pc[t] == sz_arrival_done ->
		a[t].mask = 0; a[t].kernel = 0;
		if
		:: a[t].ours ->
			assert(fate[t] == HELD_BACK || fate[t] == SENT_AGAIN);	/* else the program waits for it */
			pc[t] = sz_promote
		:: else ->
			assert(fate[t] == DELIVERED);	/* else the program blocks it */
#ifndef BREAK_VIEW
			uc_sigmask[t] = a[t].view;
#endif
			pc[t] = (a[t].special -> sz_arrival_special : PROGRAM)
		fi;
		run_handler()

	/* promote.c */
	:: pc[t] == sz_promote -> pc[t] = PROMOTE_BLOCK
	:: pc[t] == PROMOTE_BLOCK -> blocked = ALL; pc[t] = PROMOTE_AFTER
	:: pc[t] == PROMOTE_AFTER ->
		K = ALL;
#ifndef BREAK_PEND
		PEND = (a[t].section -> 1 : PEND);
#endif
		held = (a[t].section -> 1 : held);
#ifdef BREAK_AFTER
		a[t].after = a[t].view;
#else
		a[t].after = V;
#endif
#ifdef BREAK_PROMOTE
		a[t].kernel_after = a[t].entry_mask;
#else
		a[t].kernel_after = (a[t].section -> ALL : V);
#endif
		a[t].exit = (a[t].section && a[t].exit == FORGET -> TRUST : a[t].exit);
		pc[t] = PROMOTE_SEND
	:: pc[t] == PROMOTE_SEND -> f = 0; sz_promote_all(); f = 0; pc[t] = sz_return

	/* special.c */
	:: pc[t] == sz_arrival_special -> pc[t] = SPECIAL_BLOCK
	:: pc[t] == SPECIAL_BLOCK -> blocked = ALL; pc[t] = SPECIAL_SEND
	:: pc[t] == SPECIAL_SEND -> f = 0; sz_promote_all(); f = 0; pc[t] = SPECIAL_OPEN
	:: pc[t] == SPECIAL_OPEN ->
		K = V;
		blocked = V;
		pc[t] = PROGRAM;
		run_handler()

	/* handler.S: on the way out */
	:: pc[t] == HANDLER_OVER ->
		a[t].after = uc_sigmask[t];
		a[t].kernel_after = (uc_sigmask[t] == a[t].view -> a[t].entry_mask :
			uc_sigmask[t] | (a[t].entry_mask & ~a[t].view));
		pc[t] = sz_return
	:: pc[t] == sz_return -> a[t].left_mask = V; pc[t] = RETURN_SAVE_K
	:: pc[t] == RETURN_SAVE_K -> a[t].left_kernel = K; pc[t] = RETURN_SAVE_KNOWN
	:: pc[t] == RETURN_SAVE_KNOWN -> a[t].left_known = known; pc[t] = sz_returning
	:: pc[t] == sz_returning ->
#ifdef BREAK_EXIT
		uc_sigmask[t] = a[t].after;
#else
		uc_sigmask[t] = a[t].kernel_after;
#endif
		pc[t] = RETURN_V
	:: pc[t] == RETURN_V -> V = (kept -> a[t].before_mask : a[t].after); pc[t] = RETURN_K
	:: pc[t] == RETURN_K ->
		K = (kept -> a[t].before_kernel : a[t].kernel_after);
		pc[t] = RETURN_KNOWN
	:: pc[t] == RETURN_KNOWN ->
		known = (kept || a[t].exit == TRUST);
		pc[t] = RETURN_SYSCALL
	:: pc[t] == RETURN_SYSCALL -> sigreturn()
	fi
}

inline call_mask_function(h, s, next)
{
	d_step {
		printf("frame %d: how %d, set %d, then %d\n", t, h, s, next);
		look();
		how[t] = h; set[t] = s; then[t] = next;
		pc[t] = MASK_FUNCTION
	}
}

active proctype thread()
{
	byte s;

	pc[0] = PROGRAM;
	if
	:: known = 1
	:: known = 0
	fi;
	do
	:: t < DEPTH - 1 && (pending & ~blocked) -> d_step { deliver() }
	:: t == DEPTH - 1 && (pending & ~blocked) -> break	/* deeper than the bound */
	:: !(pending & ~blocked) && pc[t] == END -> break
	:: !(pending & ~blocked) && pc[t] != END ->
		if
		:: sends > 0 && !final && (may_send(0) || may_send(1) || may_send(2)) ->
			if
			:: may_send(0) -> pending = pending | BIT(0)
			:: may_send(1) -> pending = pending | BIT(1)
			:: may_send(2) -> pending = pending | BIT(2)
			fi;
			sends--
		:: pc[t] != PROGRAM ->
			d_step {
				do
				:: true ->
					instruction();
					if
					:: alone
					:: else -> break
					fi
				od
			}
		:: pc[t] == PROGRAM && operations > 0 ->
			operations--;
			if
			:: select (s : 0 .. SIGNALS - 1); call_mask_function(BLOCK, BIT(s), PROGRAM)
			:: select (s : 0 .. SIGNALS - 1); call_mask_function(UNBLOCK, BIT(s), PROGRAM)
			:: select (s : 0 .. 3); call_mask_function(SETMASK, s << 1, PROGRAM)
			:: call_mask_function(NOTHING, 0, PROGRAM)	/* a flush */
#ifdef SECTIONS
			:: !word ->
				d_step { look(); word++; plain_section = 1; pc[t] = ENTER_COPY }
#endif
			:: t > 0 ->
				select (s : 0 .. ALL);
				d_step {
					printf("frame %d: uc_sigmask = %d\n", t, s);
					look();
					uc_sigmask[t] = s;
					plain_uc[t] = s
				}
#ifdef JUMPS
			:: t > 0 && !word ->
				select (s : 0 .. 1);
				call_mask_function(SETMASK, s, JUMP)
#endif
			fi;
			s = 0
		:: pc[t] == PROGRAM && word ->
#ifdef BREAK_COPY
			d_step { look(); word--; plain_section = 0; pc[t] = LEAVE_WORD }
#else
			d_step { look(); copy++; pc[t] = LEAVE_WORD }
#endif
		:: pc[t] == PROGRAM && !word && t > 0 -> d_step { look(); pc[t] = HANDLER_OVER }
		:: pc[t] == PROGRAM && !word && t == 0 && operations == 0 && !final ->
			final = 1;
			call_mask_function(SETMASK, 0, END)
		fi
	od;
	if
	:: pc[t] == END ->
		d_step {
			look();
			assert(!V && !K && !blocked && !pending && !word && !copy && !held && !PEND)
		}
	:: else
	fi
}
