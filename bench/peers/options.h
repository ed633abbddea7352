/* The command line that all programs here share. C and C++. */
#ifndef OPTIONS_H
#define OPTIONS_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
  const char *peer;    /* name in the output */
  const char *op;      /* one operation, see workload.h */
  const char *variant; /* algorithm, where a peer offers several */
  int ranks;           /* for programs that start their ranks themselves */
  size_t min, max;     /* bytes, see workload.h */
  size_t step;         /* factor from one size to the next */
  double budget_us;    /* time of the timed calls of one size */
};

static inline void refuse(const char *what, const char *got) {
  fprintf(stderr, "Cannot measure: %s, got \"%s\"\n", what, got);
  exit(2);
}

/* Reads `--name value` pairs; ends the program at one that it does not know. */
static inline struct options read_options(int argc, char **argv) {
  struct options o = {"peer", "allreduce", "", 2, 4, (size_t)64 << 20, 4, 300e3};
  for (int i = 1; i < argc; i += 2) {
    const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
    if (!strcmp(name, "--peer")) o.peer = value;
    else if (!strcmp(name, "--op")) o.op = value;
    else if (!strcmp(name, "--variant")) o.variant = value;
    else if (!strcmp(name, "--ranks")) o.ranks = atoi(value);
    else if (!strcmp(name, "--min")) o.min = strtoull(value, 0, 10);
    else if (!strcmp(name, "--max")) o.max = strtoull(value, 0, 10);
    else if (!strcmp(name, "--step")) o.step = strtoull(value, 0, 10);
    else if (!strcmp(name, "--budget-ms")) o.budget_us = atof(value) * 1e3;
    else refuse("an option of options.h was expected", name);
  }
  if (o.min < 4 || o.min % 4 || o.max < o.min) refuse("sizes of whole floats were expected", "");
  if (o.step < 2) refuse("a step of at least 2 was expected", "");
  return o;
}
#endif
