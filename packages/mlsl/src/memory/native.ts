/**
 * The one door to the operating system's calls that Node does not offer: anonymous shared files,
 * mapping them over an existing buffer, futexes and the parent-death signal.
 *
 * It goes through koffi, an optional dependency that is loaded on first use. Everything else in
 * the package must work without it.
 */

import { createRequire } from "node:module";
import { getSystemErrorName } from "node:util";

/** What the package asks of the operating system. Linux only. */
export interface Native {
  /**
   * Makes an anonymous file in memory. It has no name in any file system and lives as long as
   * somebody holds or maps it. It is closed on exec; hand it to a child through `spawn`'s `stdio`.
   *
   * @param name shown in /proc only
   * @returns the descriptor, owned by the caller
   */
  memfdCreate(name: string): number;
  /**
   * Gives a file its size and all its pages, so that a lack of memory shows here and not later.
   * The kernel may end this process for asking much more than there is: look at what is free first.
   *
   * @throws {Error} With `code` ENOSPC or ENOMEM if there is not enough memory.
   */
  posixFallocate(fd: number, byteLength: number): void;
  /**
   * Replaces the memory under an array by the shared pages of a file, from the file's start. What
   * the array held is gone. The pages must be backed by the file: touching one beyond its end
   * kills the process.
   *
   * @param target whole pages: address and length are multiples of 4096
   * @throws {RangeError} If it is not whole pages.
   * @throws {Error} With `code` if the system refuses.
   */
  mapShared(target: Uint8Array, fd: number): void;
  /**
   * Sleeps while the int32 at an address holds a value, across processes. It may also return for
   * no reason: look at the value again.
   *
   * @param address from `addressOf`, a multiple of 4
   */
  futexWait(address: bigint, expected: number, timeoutMs: number): void;
  /** Wakes all that sleep on an address, in all processes. */
  futexWake(address: bigint): void;
  /** Lets another thread that waits for this one's core run first. */
  schedYield(): void;
  /**
   * Where an array's memory lies. Valid as long as the array's buffer lives, which the caller
   * sees to; meaningful for `SharedArrayBuffer` and other memory that is never moved.
   */
  addressOf(array: ArrayBufferView): bigint;
  /** Asks the kernel to kill this process when the thread that started it ends. */
  dieWithParent(): void;
}

/** The part of koffi that is used. Its own types name every platform and any; these do not. */
interface Koffi {
  load(path: string): { func(definition: string): (...args: unknown[]) => number };
  address(value: unknown): bigint;
  errno(): number;
}

interface Functions {
  readonly memfdCreate: (name: string, flags: number) => number;
  readonly posixFallocate: (fd: number, offset: number, byteLength: number) => number;
  readonly mmap: (
    address: bigint,
    byteLength: number,
    protection: number,
    flags: number,
    fd: number,
    offset: number,
  ) => number;
  readonly futex: (
    call: number,
    address: bigint,
    operation: number,
    value: number,
    timeout: bigint,
    address2: bigint,
    value3: number,
  ) => number;
  readonly schedYield: () => number;
  readonly prctl: (option: number, a: number, b: number, c: number, d: number) => number;
}

/** glibc under its versioned name (the plain one is a linker script), then musl. */
const LIBRARIES = ["libc.so.6", "libc.so"];

/** Number of the futex system call, by `process.arch`. Source: the kernel's system call tables. */
const FUTEX_CALL: Readonly<Record<string, number>> = { x64: 202, arm64: 98 };

/** Kernel constants; the same on every architecture in FUTEX_CALL. */
const MFD_CLOEXEC = 1;
const PROT_READ_WRITE = 1 | 2;
const MAP_SHARED_FIXED = 0x01 | 0x10;
/** Without FUTEX_PRIVATE_FLAG, so that it works between processes. */
const FUTEX_WAIT = 0;
const FUTEX_WAKE = 1;
const ALL_WAITERS = 0x7fffffff;
const PR_SET_PDEATHSIG = 1;
const SIGKILL = 9;

/** Mappings are made of pages of this size on both architectures (arm64 may have larger ones). */
const MAP_PAGE_BYTES = 4096;

/** posix_fallocate starts over after a signal; a signal storm must not make it endless. */
const MAX_INTERRUPTIONS = 16;

let loaded: { readonly native: Native | undefined } | undefined;

/**
 * The door, or undefined where it cannot be had: koffi is not installed, the system is not Linux
 * on x64 or arm64, its C library is unknown, or the variable MLSL_NO_KOFFI is 1.
 */
export function loadNative(): Native | undefined {
  if (process.env.MLSL_NO_KOFFI === "1") return undefined;
  loaded ??= { native: bind() };
  return loaded.native;
}

function bind(): Native | undefined {
  const futexCall = FUTEX_CALL[process.arch];
  if (process.platform !== "linux" || futexCall === undefined) return undefined;
  const koffi = requireKoffi();
  if (koffi === undefined) return undefined;
  const functions = bindFunctions(koffi);
  return functions === undefined ? undefined : makeNative(koffi, functions, futexCall);
}

function requireKoffi(): Koffi | undefined {
  try {
    return createRequire(import.meta.url)("koffi") as Koffi;
  } catch {
    // Not installed, or installed without the binary for this platform: both mean "not there".
    return undefined;
  }
}

/**
 * Binds once, as that is slow. The variadic `syscall` and `prctl` are declared with fixed
 * arguments: integers go into the same registers either way on x64 and arm64 Linux, and koffi
 * calls fixed arguments faster.
 */
function bindFunctions(koffi: Koffi): Functions | undefined {
  for (const path of LIBRARIES) {
    try {
      const lib = koffi.load(path);
      return {
        memfdCreate: lib.func("int memfd_create(const char *name, unsigned int flags)"),
        posixFallocate: lib.func("int posix_fallocate(int fd, int64 offset, int64 length)"),
        mmap: lib.func("int64 mmap(uint64 a, size_t l, int prot, int flags, int fd, int64 o)"),
        futex: lib.func(
          "long syscall(long n, uint64 a, int op, uint32 v, uint64 t, uint64 a2, uint32 v3)",
        ),
        schedYield: lib.func("int sched_yield()"),
        prctl: lib.func("int prctl(int option, ulong a, ulong b, ulong c, ulong d)"),
      };
    } catch {
      // No library of this name, or one too old to know the calls: try the next.
    }
  }
  return undefined;
}

function systemError(action: string, call: string, errno: number): NodeJS.ErrnoException {
  const code = getSystemErrorName(-errno);
  return Object.assign(new Error(`Cannot ${action}: ${call} failed with ${code}`), {
    code,
    errno: -errno,
    syscall: call,
  });
}

function makeNative(koffi: Koffi, functions: Functions, futexCall: number): Native {
  // A struct timespec (seconds, nanoseconds). An explicit ArrayBuffer lies outside the
  // garbage-collected heap and never moves. Each thread loads this module for itself and blocks
  // in the call, so the buffer has one user at a time.
  const timespec = new BigInt64Array(new ArrayBuffer(16));
  const timespecAddress = koffi.address(timespec);
  return {
    memfdCreate(name) {
      const fd = functions.memfdCreate(name, MFD_CLOEXEC);
      if (fd < 0) throw systemError("make shared memory", "memfd_create", koffi.errno());
      return fd;
    },
    posixFallocate(fd, byteLength) {
      let errno = functions.posixFallocate(fd, 0, byteLength);
      for (let i = 0; getName(errno) === "EINTR" && i < MAX_INTERRUPTIONS; i++) {
        errno = functions.posixFallocate(fd, 0, byteLength);
      }
      if (errno !== 0) {
        throw systemError(`reserve ${byteLength} bytes of memory`, "posix_fallocate", errno);
      }
    },
    mapShared(target, fd) {
      const address = koffi.address(target);
      if (Number(address % BigInt(MAP_PAGE_BYTES)) !== 0 || target.length % MAP_PAGE_BYTES !== 0) {
        throw new RangeError(
          `Cannot map shared memory: expected whole pages of ${MAP_PAGE_BYTES} bytes, ` +
            `${target.length} bytes at address ${address} were given`,
        );
      }
      const flags = MAP_SHARED_FIXED;
      const result = functions.mmap(address, target.length, PROT_READ_WRITE, flags, fd, 0);
      if (result === -1) throw systemError("map shared memory", "mmap", koffi.errno());
    },
    futexWait(address, expected, timeoutMs) {
      const seconds = Math.floor(timeoutMs / 1000);
      timespec[0] = BigInt(seconds);
      timespec[1] = BigInt(Math.floor((timeoutMs - seconds * 1000) * 1e6));
      // EAGAIN (value changed), EINTR and ETIMEDOUT all mean "look again", so the result of the
      // call says nothing that the caller does not see in the value itself.
      functions.futex(futexCall, address, FUTEX_WAIT, expected >>> 0, timespecAddress, 0n, 0);
    },
    futexWake(address) {
      functions.futex(futexCall, address, FUTEX_WAKE, ALL_WAITERS, 0n, 0n, 0);
    },
    schedYield() {
      // It cannot fail on Linux.
      functions.schedYield();
    },
    addressOf: (array) => koffi.address(array),
    dieWithParent() {
      if (functions.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) !== 0) {
        throw systemError("tie this process to its parent", "prctl", koffi.errno());
      }
    },
  };
}

function getName(errno: number): string | undefined {
  return errno === 0 ? undefined : getSystemErrorName(-errno);
}
