// SPDX-License-Identifier: MIT
// What the runs ended with: each line that the target wrote, once.
#pragma once

void outcome_add(const char *line, const char *where);

// "line<tab>the first place that led to it", one a line.
void outcomes_print(void);
