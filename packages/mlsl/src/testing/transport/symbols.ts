/**
 * Symbolic elements: a number stands for an element of a rank's input, or for two combined. Equal
 * numbers mean the same inputs combined in the same way, and so the same bits; the inputs from left
 * to right are what an operator that does not commute, like the concatenation of strings, yields.
 */

/** 2²⁶: numbers stay below it, so that two of them make one exact key. */
const LIMIT = 67108864;

/** The symbols of one operation. 0 stands for an element that nobody has written. */
export class Symbols {
  readonly #ranks: number;
  readonly #stride: number;
  readonly #left: number[] = [];
  readonly #right: number[] = [];
  readonly #byOperands = new Map<number, number>();

  /** @param stride elements of the longest input */
  constructor(ranks: number, stride: number) {
    this.#ranks = ranks;
    this.#stride = stride;
    if (ranks * stride >= LIMIT / 2) throw new RangeError(`Cannot name ${ranks * stride} elements`);
  }

  /** Element `index` of a rank's input. */
  input(rank: number, index: number): number {
    return 1 + rank * this.#stride + index;
  }

  /** left ∘ right */
  combine(left: number, right: number): number {
    const key = left * LIMIT + right;
    const known = this.#byOperands.get(key);
    if (known !== undefined) return known;
    const made = this.#firstCombined + this.#left.length;
    if (made >= LIMIT) throw new RangeError(`Cannot name more than ${LIMIT} elements`);
    this.#left.push(left);
    this.#right.push(right);
    this.#byOperands.set(key, made);
    return made;
  }

  get #firstCombined(): number {
    return 1 + this.#ranks * this.#stride;
  }

  /** The inputs that are combined in a symbol, from left to right. */
  inputs(symbol: number): number[] {
    const found: number[] = [];
    const open = [symbol];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const node = next - this.#firstCombined;
      if (node < 0) found.push(next);
      else open.push(this.#right[node]!, this.#left[node]!);
    }
    return found;
  }

  /**
   * Whether a symbol is everybody's element `index` combined, each rank's exactly once.
   *
   * @param inOrder whether also in the order of the ranks
   */
  isReduction(symbol: number, index: number, inOrder: boolean): boolean {
    const found = this.inputs(symbol);
    if (!inOrder) found.sort((a, b) => a - b);
    return (
      found.length === this.#ranks && found.every((one, rank) => one === this.input(rank, index))
    );
  }

  /** A symbol in words, for errors. */
  text(symbol: number): string {
    if (symbol === 0) return "nothing";
    const names = this.inputs(symbol).map((one) => {
      const rank = Math.floor((one - 1) / this.#stride);
      return `${rank}:${(one - 1) % this.#stride}`;
    });
    return names.length <= 8 ? names.join(" ") : `${names.slice(0, 8).join(" ")} …`;
  }
}
