/* Memory of the buffers: page-aligned, and touched so that no page fault falls into a call. */
#ifndef BUFFERS_H
#define BUFFERS_H
#include <stdlib.h>
#include <string.h>

enum { PAGE_BYTES = 4096 };

static inline float *make_buffer(size_t bytes) {
  void *memory = 0;
  if (posix_memalign(&memory, PAGE_BYTES, bytes)) exit(1);
  memset(memory, 0, bytes);
  return (float *)memory;
}
#endif
