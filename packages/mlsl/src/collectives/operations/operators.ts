/** The ways to combine contributions: built in, and given by the user. */

import { OP_CODES } from "../../kernels/kernels.js";
import { type ReductionOperator, reductionExists } from "../../kernels/reductions.js";
import type { DataTypeInfo, ElementArray } from "../../memory/dataTypes.js";
import type { ReduceOptions } from "../options.js";
import type { Algorithm } from "./algorithms.js";

/** Stands for every operator of a user in fingerprints; the name is compared beside it. */
const USER_CODE = 255;

/** Longest name of an operator: it is published to the other ranks. */
const MAX_NAME_LENGTH = 64;

/**
 * A way to combine contributions that a program brings along, see {@link defineOperator}.
 */
export interface UserOperator {
  /** What ranks compare to know that they mean the same. */
  readonly name: string;
  /** Combines two arrays of equal type and count into the first. */
  readonly combine: (accumulated: ElementArray, values: ElementArray) => void;
}

/**
 * Makes an operator for reductions out of a function. It runs on every rank, on that rank's share of
 * the elements, `accumulated[i] = accumulated[i] ∘ values[i]` for all i, with the contributions in
 * the order of the ranks: ((r0 ∘ r1) ∘ r2) ∘ …. It must be associative, need not be commutative, and
 * must give the same for an element wherever in the arrays it stands.
 *
 * @param name the same on every rank, at most 64 characters
 * @param combine must not keep the arrays: they are views that are used again
 * @throws {TypeError} If the name or the function is none.
 * @example
 * ```ts
 * import { defineOperator, init } from "mlsl";
 *
 * const { world } = await init();
 * const largestMagnitude = defineOperator<Float32Array>("largestMagnitude", (all, values) => {
 *   for (let i = 0; i < all.length; i++) {
 *     if (Math.abs(values[i]) > Math.abs(all[i])) all[i] = values[i];
 *   }
 * });
 * const gradient = Float32Array.of(world.rank, -world.rank);
 * await world.allreduce(gradient, gradient, { op: largestMagnitude });
 * ```
 */
export function defineOperator<A extends ElementArray>(
  name: string,
  combine: (accumulated: A, values: A) => void,
): UserOperator {
  if (typeof name !== "string" || name === "" || name.length > MAX_NAME_LENGTH) {
    throw new TypeError(
      `Cannot define an operator: a name of 1 to ${MAX_NAME_LENGTH} characters is expected`,
    );
  }
  if (typeof combine !== "function") {
    throw new TypeError(`Cannot define operator "${name}": combine must be a function`);
  }
  // The arrays of a reduction have the type that its caller gave to both sides.
  return { name, combine: combine as UserOperator["combine"] };
}

/** A way to combine, for elements of one type. */
export interface Operator {
  /** In words, as options name it. */
  readonly name: string;
  /** For fingerprints. */
  readonly code: number;
  /** Of the kernels; undefined for an operator of the user. */
  readonly kernel: ReductionOperator | undefined;
  readonly user: UserOperator | undefined;
  /** What contributions and result are multiplied by. */
  readonly preScale: number;
  readonly postScale: number;
  /** Whether the kernel divides by the number of ranks. */
  readonly divides: boolean;
  /** What else the ranks must agree on, in words; mostly empty. */
  readonly details: string;
}

const ROUNDINGS = {
  floor: "averageFloor",
  truncate: "averageTruncate",
  nearest: "averageNearest",
} as const;

function named(name: string, kernel: ReductionOperator, part: Partial<Operator> = {}): Operator {
  return {
    name,
    code: OP_CODES[kernel],
    kernel,
    user: undefined,
    preScale: 1,
    postScale: 1,
    divides: name === "average",
    details: "",
    ...part,
  };
}

/** Built-in operators without options; made once, since reductions name them again and again. */
const PLAIN: ReadonlyMap<unknown, Operator> = new Map(
  (["sum", "average", "min", "max", "product", "and", "or", "xor"] as const).map((name) => [
    name,
    named(name, name),
  ]),
);

function userOperator(user: UserOperator): Operator {
  if (typeof user?.name !== "string" || typeof user.combine !== "function") {
    throw new TypeError(
      `Cannot reduce: op must be one of ${[...PLAIN.keys()].join(", ")} or an operator of ` +
        `defineOperator, got ${typeof user === "string" ? `"${user}"` : String(user)}`,
    );
  }
  const details = `operator "${user.name}"`;
  // Whatever its name, nothing is done beside what it does itself.
  const own = { code: USER_CODE, kernel: undefined, user, divides: false, details };
  return named(user.name, "sum", own);
}

function checkScale(name: "preScale" | "postScale", factor: number): void {
  if (typeof factor !== "number" || !Number.isFinite(factor)) {
    throw new TypeError(`Cannot reduce: ${name} must be a finite number, got ${String(factor)}`);
  }
}

/** −0 and 0 give different zeros, so ranks must not take them for the same. */
function numeral(factor: number): string {
  return Object.is(factor, -0) ? "-0" : `${factor}`;
}

function scaled(op: ReduceOptions["op"], { preScale = 1, postScale = 1 }: ReduceOptions): Operator {
  checkScale("preScale", preScale);
  checkScale("postScale", postScale);
  if (op !== "sum" && op !== "average") {
    throw new TypeError(
      "Cannot reduce: preScale and postScale go with sum and average only, " +
        `got ${typeof op === "string" ? op : "an operator of the user"}`,
    );
  }
  const details = `${op} with preScale ${numeral(preScale)} and postScale ${numeral(postScale)}`;
  return named(op, "scaled", { preScale, postScale, details });
}

/** The operator that options name, whatever the type. */
function operatorOf(type: DataTypeInfo, options: ReduceOptions): Operator {
  const { op = "sum", preScale, postScale, rounding, overflow } = options;
  const isScaled = (preScale ?? 1) !== 1 || (postScale ?? 1) !== 1;
  if (rounding !== undefined && !Object.hasOwn(ROUNDINGS, rounding)) {
    const names = Object.keys(ROUNDINGS).join(", ");
    throw new TypeError(`Cannot reduce: rounding must be one of ${names}, got "${rounding}"`);
  }
  if (overflow !== undefined && overflow !== "wrap" && overflow !== "saturate") {
    throw new TypeError(`Cannot reduce: overflow must be wrap or saturate, got "${overflow}"`);
  }
  if (isScaled) return scaled(op, options);
  if (type.family === "int" && op === "average") {
    if (rounding === undefined) {
      throw new TypeError(
        `Cannot average ${type.name}: say how to round, as rounding: "floor", "truncate" or "nearest"`,
      );
    }
    return named("average", ROUNDINGS[rounding]);
  }
  if (type.family === "int" && op === "sum" && overflow === "saturate") {
    return named("sum", "saturatingSum");
  }
  return PLAIN.get(op) ?? userOperator(op as UserOperator);
}

/**
 * The operator for a type.
 *
 * @throws {TypeError} If options do not fit each other or the type.
 */
export function resolveOperator(type: DataTypeInfo, options: ReduceOptions): Operator {
  const operator = operatorOf(type, options);
  const { kernel, name } = operator;
  if (kernel !== undefined && !reductionExists(type.name, kernel)) {
    const how = operator.details === "" ? name : operator.details;
    throw new TypeError(
      `Cannot reduce ${type.name} by ${how}: it is for ` +
        `${type.family === "int" ? "floating-point numbers" : "integers"} only`,
    );
  }
  return operator;
}

/** How kernels that options name by more than `op` are called in messages. */
const WORDS: Partial<Record<ReductionOperator, string>> = {
  averageFloor: "average (rounding floor)",
  averageTruncate: "average (rounding truncate)",
  averageNearest: "average (rounding nearest)",
  saturatingSum: "sum (overflow saturate)",
};

/** The name of the operator that has a code, for messages. */
export function operatorName(code: number, details: string): string {
  if (code === USER_CODE) return "by the user's operator";
  const name = (Object.keys(OP_CODES) as ReductionOperator[]).find((key) => OP_CODES[key] === code);
  if (name === undefined) return `operator ${code}`;
  if (name === "scaled") return details.startsWith("average") ? "average" : "sum";
  return WORDS[name] ?? name;
}

/**
 * Why a reduction cannot be carried out by messages: they combine in several places, which must not
 * change the result.
 *
 * @returns undefined if it can
 */
export function whyNotByMessages(
  type: DataTypeInfo,
  { kernel, user, name, details }: Operator,
  { keepsOrder }: Algorithm,
): string | undefined {
  if (user !== undefined) {
    if (keepsOrder) return undefined;
    return "it does not combine in the order of the ranks, as operators of users need it";
  }
  const isHalf = type.byteLength === 2 && type.family === "float";
  const roundsEachStep = isHalf && kernel !== "min" && kernel !== "max";
  const isIntegerAverage = name === "average" && type.family === "int";
  if (!roundsEachStep && !isIntegerAverage && details === "" && kernel !== "saturatingSum") {
    return undefined;
  }
  return "it combines in steps that would be rounded or cut each";
}
