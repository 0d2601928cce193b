/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Follows the user stack of the current task by unwind rules.
 *
 * An address of the process is looked up in `addresses`. If it is not there, the kernel says which
 * file is mapped at it, and the rule of that place may be known from another process. If not even
 * that, user space is asked with a copy of the stack.
 */
#pragma once

/* Of a signal frame, from where the stack pointer stands when the handler has returned. */
#define SIGNAL_BP 120
#define SIGNAL_BX 128
#define SIGNAL_SP 160
#define SIGNAL_IP 168

#define NO_SAVED 0

struct walk {
	__u64 pc, sp, bp, bx;
	__u64 bottom;		/* where sp was first */
	__u64 hash;
	__u32 image, generation;
	__u32 depth;
	__u8 reach;
	__u8 guess;
	__u8 interrupted;	/* pc is where a signal came in, not behind a call */
	__u8 copy;		/* whether user space is needed: enum copy */
};

enum copy { COPY_NO, COPY_ONCE, COPY_ALWAYS };

/* What is mapped at an address. */
struct mapped {
	__u64 at;
	__u64 offset;
	struct file_key file;
	__u8 kind;
};

enum { MAPPED_FILE = 1, MAPPED_VDSO, MAPPED_MEMORY };

static long look(struct task_struct *task, struct vm_area_struct *vma, struct mapped *mapped)
{
	__u64 start = vma->vm_start;
	struct file *file = vma->vm_file;

	mapped->offset = mapped->at - start + vma->vm_pgoff * PAGE;
	if (file) {
		struct inode *inode = BPF_CORE_READ(file, f_inode);

		mapped->file.inode = BPF_CORE_READ(inode, i_ino);
		mapped->file.device = BPF_CORE_READ(inode, i_sb, s_dev);
		mapped->kind = MAPPED_FILE;
	} else if ((__u64)BPF_CORE_READ(vma, vm_mm, context.vdso) == start) {
		mapped->offset = mapped->at - start;
		mapped->kind = MAPPED_VDSO;
	} else {
		mapped->kind = MAPPED_MEMORY;
	}
	return 0;
}

static __always_inline __u64 place_of(__u32 file, __u64 offset)
{
	return ((__u64)file << FILE_SHIFT) | (offset & ((1ULL << FILE_SHIFT) - 1));
}

/* True if the rule is known now. If not, `place` still may be. */
static __always_inline bool learn(struct walk *walk, const struct address_key *key,
				  struct known *known)
{
	struct mapped mapped = { .at = key->at };
	struct rule *rule;
	__u32 *file;
	long error;

	error = bpf_find_vma(bpf_get_current_task_btf(), key->at, look, &mapped, 0);
	if (error) {
		/* -ENOENT: nothing is mapped there, so the frame before was wrong. */
		walk->reach = error == -2 ? REACH_CUT : REACH_BUSY;
		return false;
	}
	if (mapped.kind == MAPPED_MEMORY) {
		known->place = place_of(FILE_NONE, key->at);
		known->rule = (struct rule){ .cfa = 16, .bp = -16, .step = STEP_FRAME,
					     .base = BASE_BP, .guess = 1 };
	} else {
		__u32 number = FILE_VDSO;

		walk->copy = COPY_ONCE;
		if (mapped.kind == MAPPED_FILE) {
			file = bpf_map_lookup_elem(&files, &mapped.file);
			if (!file)
				return false;
			number = *file;
		}
		known->place = place_of(number, mapped.offset);
		rule = bpf_map_lookup_elem(&rules, &known->place);
		if (!rule)
			return false;
		walk->copy = COPY_NO;
		known->rule = *rule;
	}
	bpf_map_update_elem(&addresses, key, known, BPF_ANY);
	return true;
}

#define NO_WINDOW (~0ULL)

static __always_inline bool word(struct scratch *scratch, __u64 address, __u64 *value)
{
	__u64 at = address - scratch->start;

	if (at > sizeof(scratch->words) - sizeof(__u64) || at % sizeof(__u64)) {
		scratch->start = address - WINDOW_BELOW;
		if (bpf_probe_read_user(scratch->words, sizeof(scratch->words),
					(void *)scratch->start)) {
			/* It may be too near to the end of the stack for so much. */
			scratch->start = NO_WINDOW;
			return !bpf_probe_read_user(value, sizeof(*value), (void *)address);
		}
		at = WINDOW_BELOW;
	}
	*value = scratch->words[(at / sizeof(__u64)) & (WINDOW_WORDS - 1)];
	return true;
}

static __always_inline bool leave_signal(struct scratch *scratch, struct walk *walk)
{
	__u64 frame = walk->sp;

	walk->interrupted = 1;
	return word(scratch, frame + SIGNAL_BP, &walk->bp) &&
	       word(scratch, frame + SIGNAL_BX, &walk->bx) &&
	       word(scratch, frame + SIGNAL_SP, &walk->sp) &&
	       word(scratch, frame + SIGNAL_IP, &walk->pc);
}

static __always_inline bool leave_frame(struct scratch *scratch, struct walk *walk,
					const struct rule *rule)
{
	__u64 base = rule->base == BASE_SP ? walk->sp : rule->base == BASE_BP ? walk->bp : walk->bx;
	__u64 cfa = base + rule->cfa;

	if (rule->step == STEP_DEREF) {
		if (!word(scratch, cfa, &cfa))
			return false;
		cfa += rule->add;
	}
	/* The stack grows down; a frame that does not would be followed for ever. */
	if (cfa <= walk->sp || !word(scratch, cfa - 8, &walk->pc))
		return false;
	if (rule->bp != NO_SAVED && !word(scratch, cfa + rule->bp, &walk->bp))
		return false;
	if (rule->bx != NO_SAVED && !word(scratch, cfa + rule->bx, &walk->bx))
		return false;
	walk->sp = cfa;
	walk->interrupted = 0;
	return true;
}

/* One frame: notes it in the scratch stack and goes on to its caller. 1 ends the walk. */
static long step(__u32 index, struct walk *walk)
{
	struct address_key key = { .image = walk->image, .generation = walk->generation };
	struct known fresh = {}, *found;
	struct hot *hot;
	struct rule rule;
	struct scratch *scratch;
	__u64 place;
	__u32 zero = 0;

	scratch = bpf_map_lookup_elem(&scratches, &zero);
	if (!scratch || index >= MAX_DEPTH)
		return 1;
	/* The call before the return address, since a call may be the last of a function. */
	key.at = walk->pc - !walk->interrupted;
	hot = &scratch->hot[(key.at ^ key.at >> 9 ^ key.image * 5) & (HOT - 1)];
	if (hot->key.at == key.at && hot->key.image == key.image &&
	    hot->key.generation == key.generation) {
		place = hot->known.place;
		rule = hot->known.rule;
	} else if ((found = bpf_map_lookup_elem(&addresses, &key))) {
		place = found->place;
		rule = found->rule;
		hot->key = key;
		hot->known = *found;
	} else {
		bool learnt = learn(walk, &key, &fresh);

		place = fresh.place;
		rule = fresh.rule;
		if (!learnt) {
			if (walk->reach == REACH_DEEP)
				walk->reach = REACH_WAITING;
			if (!place)
				place = place_of(FILE_NONE, key.at);
			rule.step = STEP_END;
		}
		if (!learnt && index > 0 && walk->reach == REACH_CUT)
			return 1;
	}
	scratch->stack.places[index] = place;
	walk->depth = index + 1;
	walk->hash = (walk->hash ^ place) * 0x9e3779b97f4a7c15ULL;
	walk->hash ^= walk->hash >> 29;
	walk->guess |= rule.guess;
	switch (rule.step) {
	case STEP_END:
		if (walk->reach == REACH_DEEP)
			walk->reach = REACH_END;
		return 1;
	case STEP_COPY:
		walk->copy = COPY_ALWAYS;
		walk->reach = REACH_WAITING;
		return 1;
	case STEP_SIGNAL:
		if (leave_signal(scratch, walk))
			return 0;
		break;
	default:
		/* By convention the outermost frame pointer is 0. */
		if (rule.guess && !walk->bp) {
			walk->reach = REACH_END;
			return 1;
		}
		if (leave_frame(scratch, walk, &rule)) {
			if (walk->pc)
				return 0;
			walk->reach = REACH_END;
			return 1;
		}
	}
	walk->reach = REACH_CUT;
	return 1;
}
