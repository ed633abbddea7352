// Meeting of the ranks of a group: each publishes one cache line that says what it is about to do
// (and carries small data along), then looks at everybody else's. See ../exchangeLayout.ts for
// the words of a request and of a line, and for why two sets of lines are enough.

import { reduce } from "./reduce";

const LINE: usize = 64;
const INLINE_OFFSET: usize = 32;
const INLINE_BYTES: u32 = 32;
const SLOT_BYTES: usize = 4096;
// Up to this, a loop over vectors costs less than a call of memory.copy.
const LOOP_BYTES: usize = 512;

const DONE: i32 = 0;
const WAITING: i32 = 1;
const MISMATCH: i32 = 2;
const WAKE: i32 = 3;

// Waits until every rank's line shows the sequence number; gives up after `spins` looks.
function arrived(lines: usize, ranks: usize, sequence: u32, spins: u32): bool {
  for (let r: usize = 0; r < ranks; r++) {
    const line = lines + r * LINE;
    // Safe: a rank writes its line before it stores the number, and sequentially consistent
    // atomics order both; it does not write the line again before this rank has moved on.
    while (atomic.load<u32>(line) != sequence) {
      if (spins == 0) return false;
      spins--;
    }
  }
  return true;
}

function matches(lines: usize, ranks: usize, own: usize): bool {
  const kind = load<u32>(own, 4);
  const count = load<u64>(own, 8);
  const extra = load<u32>(own, 28);
  for (let r: usize = 0; r < ranks; r++) {
    const line = lines + r * LINE;
    if (load<u32>(line, 4) != kind || load<u64>(line, 8) != count) return false;
    if (load<u32>(line, 28) != extra) return false;
  }
  return true;
}

// @ts-ignore: decorator
@inline
function payload(request: usize, rank: usize, byteLength: u32): usize {
  return byteLength <= INLINE_BYTES
    ? (load<u32>(request) as usize) + rank * LINE + INLINE_OFFSET
    : (load<u32>(request, 4) as usize) + rank * SLOT_BYTES;
}

// Copies few bytes between areas that do not overlap. The last vector may cover some bytes twice.
function copySmall(target: usize, source: usize, byteLength: usize): void {
  if (byteLength > LOOP_BYTES) {
    memory.copy(target, source, byteLength);
  } else if (byteLength >= 16) {
    const last = byteLength - 16;
    for (let i: usize = 0; i < last; i += 16) v128.store(target + i, v128.load(source + i));
    v128.store(target + last, v128.load(source + last));
  } else if (byteLength >= 8) {
    const last = byteLength - 8;
    store<u64>(target, load<u64>(source));
    store<u64>(target + last, load<u64>(source + last));
  } else if (byteLength >= 4) {
    const last = byteLength - 4;
    store<u32>(target, load<u32>(source));
    store<u32>(target + last, load<u32>(source + last));
  } else {
    for (let i: usize = 0; i < byteLength; i++) store<u8>(target + i, load<u8>(source + i));
  }
}

function publish(request: usize, own: usize): void {
  // Words 5 … 11 of the request, by two vectors that overlap: a call of memory.copy costs more.
  v128.store(own + 4, v128.load(request + 20));
  v128.store(own + 16, v128.load(request + 32));
  const byteLength = load<u32>(request, 48);
  const send: usize = load<u32>(request, 32);
  if (byteLength != 0 && send != 0) {
    const target = payload(request, load<u32>(request, 12), byteLength);
    copySmall(target, send, byteLength);
  }
  store<u32>(request, 1, 56);
  // Safe: everything that peers will read was written above; this store releases it.
  atomic.store<u32>(own, load<u32>(request, 16));
}

// Whether ranks of the group sleep and must be woken.
// @ts-ignore: decorator
@inline
function sleeps(request: usize): bool {
  // Safe: a sleeper sets its bit before its last look at lines and phases, this rank stores its
  // line or phase before it reads the bits; in one total order one of them sees the other.
  return (atomic.load<u64>(load<u32>(request, 64)) & load<u64>(request, 72)) != 0;
}

// Publishes this rank's line (once) and waits for the others'.
export function exchange(request: usize): i32 {
  const lines: usize = load<u32>(request);
  const own = lines + (load<u32>(request, 12) as usize) * LINE;
  if (load<u32>(request, 56) == 0) {
    publish(request, own);
    if (sleeps(request)) return WAKE;
  }
  const ranks: usize = load<u32>(request, 8);
  if (!arrived(lines, ranks, load<u32>(request, 16), load<u32>(request, 52))) return WAITING;
  return matches(lines, ranks, own) ? DONE : MISMATCH;
}

// A small reduction whole: exchange, then every rank reduces the payloads by itself, or the part of
// them that it wants, by the plan that names them.
export function exchangeReduce(request: usize): i32 {
  const result = exchange(request);
  if (result != DONE) return result;
  reduce(load<u32>(request, 60), load<u32>(request, 68), load<u32>(request, 80));
  return DONE;
}

// A small exchange of blocks whole: exchange, then copy what this rank wants of the payloads.
export function exchangeFetch(request: usize): i32 {
  const result = exchange(request);
  if (result != DONE) return result;
  const byteLength = load<u32>(request, 48);
  const begin: usize = load<u32>(request, 68);
  const wanted: usize = (load<u32>(request, 80) as usize) - begin;
  const stride: usize = load<u32>(request, 92);
  let target: usize = load<u32>(request, 36);
  for (let r: usize = load<u32>(request, 84), end: usize = load<u32>(request, 88); r < end; r++) {
    copySmall(target, payload(request, r, byteLength) + begin, wanted);
    target += stride;
  }
  return DONE;
}

// Waits until every rank's phase has reached `phase`; gives up after `spins` looks.
export function awaitPhases(phases: usize, ranks: usize, phase: u32, spins: u32): i32 {
  for (let r: usize = 0; r < ranks; r++) {
    // Safe: phases only grow, and what a rank did before it raised its phase is visible to
    // whoever has seen the phase. The difference is signed, so that numbers may wrap.
    while (((atomic.load<u32>(phases + r * LINE) - phase) as i32) < 0) {
      if (spins == 0) return WAITING;
      spins--;
    }
  }
  return DONE;
}

// Raises this rank's phase; returns whether ranks of the group sleep and must be woken.
export function advance(phase: usize, value: u32, request: usize): bool {
  // Safe: as in exchange: store first, then read who sleeps.
  atomic.store<u32>(phase, value);
  return sleeps(request);
}

export function copy(target: usize, source: usize, byteLength: usize): void {
  memory.copy(target, source, byteLength);
}
