/* SPDX-License-Identifier: MIT */
/*
 * Guards (guard.c): several change the disposition of one signal at the same time, in the kernel
 * and in what a guard stands for, in threads or in handlers on top of each other.
 *
 * Each change installs a record of its own, so that whatever is found later says whose it is. A
 * record may be found as long as no change that began when its own was complete is complete
 * itself. A handler that interrupts a change is, for that change, a thread that is faster; with
 * ABANDON it never comes back, and one change stays as it is.
 *
 * FEW leaves out one shape, and that a guard is not wanted though it could be. ALONE: a guard is
 * put in only by who is the only one that is changing, and may be switched only if nobody has
 * begun since.
 *
 * A loop that ends with a compare-and-swap is one step here: it depends on that word alone.
 */

#ifndef CHANGES
#define CHANGES 2
#endif
#ifndef LOOKS
#define LOOKS 2
#endif
#define RECORDS (CHANGES + 1)	/* record 0 is what the program began with */
#define NONE 15
#define BIT(n) (1 << (n))

/* What the kernel holds: the entry of a record, or of a guard. */
#define GUARD 16
byte kernel;

/* Guards, one a shape; stands_for, and its count of changes. */
#define GUARDS 2
byte record[GUARDS], count[GUARDS];
bool retired[GUARDS] = 1;
byte current;			/* guard + 1 */

/* The shape of a record; no guard can stand for one that is UNFIT. */
byte shape[RECORDS];
#define UNFIT 2

/* disposition.c's table: how many are changing, and whether any has begun or ended since. */
byte changing, ticket;

/* Which were complete when a change began, and which are now. */
byte before[RECORDS];
byte complete = 1;
byte next_record = 1;

bool putting;			/* somebody is putting a guard in */

byte abandoned;			/* the record of a change that never ends */

#define LOCALS byte r, old, found, g, seen, my_count, my_ticket, i; bool switched, sole, mine

/* May who began to look when `seen` were complete find record n? */
inline must_be_valid(n)
{
	assert(n != NONE);
	i = 1;
	do
	:: i < RECORDS -> assert(!((seen & BIT(i)) && (before[i] & BIT(n)))); i++
	:: else -> break
	od;
	i = 0
}

inline retire(n)
{
	d_step { count[n]++; retired[n] = 1 }
}

#ifdef BREAK_RETIRE_KNOWN
#define KNOWN false
#else
#define KNOWN true
#endif

/* From here on memory does not know any more what the kernel has. */
inline retire_known(but)
{
	g = current;
	if
	:: g > 0 && g - 1 != but && !retired[g - 1] && KNOWN -> retire(g - 1)
	:: else
	fi;
	g = 0
}

/* What the exchange returned. */
inline removed()
{
	if
	:: found >= GUARD -> retire(found - GUARD); old = record[found - GUARD]
	:: found < GUARD -> old = found
	fi;
	found = 0
}

inline change_begins()
{
	d_step { changing++; ticket++; my_ticket = ticket; sole = (changing == 1) }
}

inline change_ends()
{
	d_step { changing--; ticket++; my_ticket = 0; sole = 0 }
}

inline install(n)
{
	retire_known(GUARDS);
	d_step { found = kernel; kernel = n };
	removed()
}

inline put_in(n, to)
{
	d_step {
		old = record[to];
		count[to]++;
		my_count = count[to];
		record[to] = n;
		retired[to] = 1
	};
	retire_known(to);
	d_step { found = kernel; kernel = GUARD + to };
	if
	:: found == GUARD + to -> found = 0
	:: found != GUARD + to -> removed()
	fi;
	current = to + 1;
	/* It may be switched, if it has not been retired since. */
	d_step { retired[to] = (count[to] == my_count -> 0 : retired[to]); my_count = 0 };
#ifdef ALONE
	if
	:: changing != 1 || ticket != my_ticket -> retire(to)
	:: else
	fi
#endif
}

inline guard_switch()
{
	g = current;
	if
	:: g == 0
	:: g > 0 ->
		d_step {
			switched = !retired[g - 1] && shape[r] == g - 1;
			old = (switched -> record[g - 1] : 0);
			record[g - 1] = (switched -> r : record[g - 1])
		}
	fi;
	g = 0
}

#ifdef ALONE
#define may_put_in (shape[r] != UNFIT && sole && !PUTTING)
#else
#define may_put_in (shape[r] != UNFIT && !PUTTING)
#endif

#ifdef BREAK_PUTTING
#define PUTTING false
#else
#define PUTTING putting
#endif

/* Only one puts a guard in at a time; the others do without, they do not wait. */
inline may_begin()
{
	d_step { mine = may_put_in; putting = putting || mine }
}

/* sigaction(sig, act, old) */
proctype change()
{
	LOCALS;

	d_step {
		r = next_record;
		next_record++;
		seen = complete;
		before[r] = complete
	};
	{
		guard_switch();
		if
		:: switched -> switched = 0
		:: !switched ->
			change_begins();
			if
			:: may_begin()
#ifndef FEW
			:: true		/* a guard is not wanted always */
#endif
			fi;
			if
			:: mine -> put_in(r, shape[r]); d_step { mine = 0; putting = 0 }
			:: !mine -> install(r)
			fi;
			change_ends()
		fi;
		d_step { must_be_valid(old); complete = complete | BIT(r); old = 0; seen = 0 }
	} unless { abandoned == r }
}

/* Puts a guard over what is there: nothing changes for the program. */
proctype cover()
{
	LOCALS;

	change_begins();
	r = kernel;
	if
	:: r < GUARD -> may_begin()
	:: else
	fi;
	if
	:: mine ->
		put_in(r, shape[r]);
		d_step { mine = 0; putting = 0 };
		if
		:: old != r -> r = old; install(r)
		:: old == r
		fi
	:: else
	fi;
	change_ends()
}

/* What a signal that arrives finds. */
inline arrival()
{
	found = kernel;
	r = (found >= GUARD -> record[found - GUARD] : found);
	found = 0
}

/* What a query finds in memory, if it does. */
inline remembered()
{
	r = NONE;
	g = current;
	d_step { r = (g > 0 && !retired[g - 1] -> record[g - 1] : NONE); g = 0 }
}

proctype look()
{
	LOCALS;
	byte last, looks = LOOKS;
	bool slow;

	do
	:: looks > 0 ->
		looks--;
		seen = complete;
		if
		:: found = kernel;	/* between, others may be fast */
			d_step { r = (found >= GUARD -> record[found - GUARD] : found); found = 0 };
			slow = 1
		:: d_step { arrival() }
		:: remembered()
		fi;
		d_step {
			if
			:: r != NONE ->
				must_be_valid(r);
				/* Time does not go back. */
				assert(slow || !(before[last] & BIT(r)));
				last = (slow -> last : r)
			:: else
			fi;
			r = 0; slow = 0; seen = 0
		}
	:: looks == 0 -> break
	od
}

init
{
	LOCALS;

	atomic {
		if
		:: shape[0] = 0
		:: shape[0] = UNFIT
		fi;
		r = 1;
		do
		:: r < RECORDS ->
			if
			:: shape[r] = 0
#ifndef FEW
			:: shape[r] = 1
#endif
			:: shape[r] = UNFIT
			fi;
			r++
		:: else -> break
		od;
		/* It may be guarded already. */
		record[0] = NONE;
		record[1] = NONE;
		if
		:: shape[0] == 0 -> kernel = GUARD; record[0] = 0; retired[0] = 0; current = 1
		:: true
		fi;
#ifdef ABANDON
		select (r : 1 .. CHANGES);
		found = r;
#endif
		r = 0;
		do
		:: r < CHANGES -> run change(); r++
		:: else -> break
		od;
		r = 0;
#ifdef COVER
		run cover();
		run cover();
#endif
		run look()
	};
#ifdef ABANDON
	abandoned = found;
	found = 0;
#endif
	/* When all is quiet, memory and kernel agree. */
	_nr_pr == 1;
	d_step {
		seen = complete;
		arrival();
		must_be_valid(r);
		old = r;
		g = current;
		r = (g > 0 && !retired[g - 1] -> record[g - 1] : NONE);
		assert(r == NONE || r == old)
	}
}
