/* SPDX-License-Identifier: MIT */
/*
 * One process-directed signal and threads that block it lazily: it is taken off the process's
 * queue by a thread that turns out to block it, is sent again, taken by another, … and must end
 * with one that has it open. mask.pml has the steps inside a thread; an arrival is here what
 * other threads can tell apart: taken, sent again, over.
 *
 * Threads 0 and 1 block and unblock the signal TURNS times each and then wait; FOREVER, they go
 * on. With OPEN there is a thread 2 that has it open for good. Which thread takes it is any of
 * those that have it open in the kernel.
 */

#ifndef TURNS
#define TURNS 3
#endif
#ifndef SENDS
#define SENDS 2
#endif
#define THREADS 3

/* Of each thread, for this one signal. The kernel blocks it in the wrapper and the handler too. */
bool V[THREADS], K[THREADS];

bool pending;	/* for the process */
bool owed;	/* it was sent, and no handler has run since */
byte sent, handled, hops, blocks;

/* After so many promotions it is not blocked lazily any more (0: it always is). */
#ifndef LIMIT
#define LIMIT 0
#endif
#define may_be_lazy (!LIMIT || hops < LIMIT)

#define may_take(me) (pending && !K[me])

/* The kernel takes it off the queue. What V says then, it says until the wrapper is over. */
inline take(me)
{
	pending = 0;
	K[me] = 1;
	if
	:: !V[me] ->
#ifdef EXACTLY
		assert(owed);
#endif
		owed = 0;
		handled = (SENDS > 1 -> handled + 1 : handled);
		assert(handled <= sent)	/* none twice */
	:: else
	fi
}

inline wrapper(me)
{
	if
	:: V[me] ->
		/* sz_promote */
		d_step {
#ifndef BREAK_SEND
			pending = 1;
#endif
			hops = (!LIMIT || hops < LIMIT -> hops + 1 : hops);
			assert(LIMIT || hops <= blocks)	/* a lazy block pays for each hop */
		};
#ifdef BREAK_PROMOTE
		K[me] = 0
#endif
	:: !V[me] -> K[me] = 0
	fi
}

/* Before each instruction of the program it may arrive. */
inline may_arrive(me)
{
	do
	:: atomic { may_take(me) -> take(me) }; wrapper(me)
	:: break
	od
}

/* If it is pending and open when a system call returns, it arrives there. */
inline must_arrive(me)
{
	do
	:: atomic { may_take(me) -> take(me) }; wrapper(me)
	:: !may_take(me) -> break
	od
}

/* The rest of a thread's life: it takes what comes. At the end of all nothing is left. */
inline wait(me)
{
	do
	:: atomic { may_take(me) -> take(me) }; wrapper(me)
	:: timeout -> break
	od;
	assert(!pending && !owed)
}

proctype lazy(byte me)
{
	byte turns = TURNS;

	do
#ifndef FOREVER
	:: turns == 0 -> break
	:: turns > 0 ->
		turns--;
		blocks++;
#else
	:: true ->
#endif
		may_arrive(me);
		if
		:: may_be_lazy -> V[me] = 1
		:: !may_be_lazy -> d_step { V[me] = 1; K[me] = 1 }
		fi;
		may_arrive(me);
		if
		:: d_step { K[me] -> K[me] = 0; V[me] = 0 }; must_arrive(me)
		:: d_step { !K[me] -> V[me] = 0 }
		fi;
#ifdef PROMPT
		assert(!owed)	/* it is open here: what was sent has been delivered */
#endif
	od;
	wait(me)
}

proctype open(byte me)
{
	wait(me)
}

init
{
	atomic {
		run lazy(0);
		run lazy(1);
#ifdef OPEN
		run open(2)
#endif
	};
	do
	:: sent < SENDS -> atomic { sent++; pending = 1; owed = 1 }
	:: sent == SENDS -> break
	od
}

#ifdef FOREVER
ltl delivered { [] (owed -> <> !owed) }
#endif
