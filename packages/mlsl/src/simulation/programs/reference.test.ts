import assert from "node:assert/strict";
import { test } from "node:test";
import { ALGORITHMS, TRANSPORT_KINDS } from "../../schedules/transport/registry.js";
import type { ShapeOf, TransportKind } from "../../schedules/transport/shapes.js";
import type { TransportSchedule } from "../../schedules/transport/steps.js";
import { CASES } from "./collectiveCases.js";
import { type OperatorName, PROGRAM_OPERATORS } from "./operators.js";
import { type ReferenceCase, referenceResults } from "./reference.js";

interface Asked {
  readonly kind: TransportKind;
  readonly ranks: number;
  readonly operator?: OperatorName;
}

const input = (rank: number, index: number): number => 251 * (2 + rank) + index;

function caseOf(
  { kind, ranks, operator = "sum" }: Asked,
  build: (shape: ShapeOf[TransportKind]) => TransportSchedule,
): ReferenceCase {
  const size = { ranks, root: ranks - 1, count: 2 };
  const parts = Array.from({ length: ranks }, (_, rank) => CASES[kind](rank, size));
  return {
    ...{ kind, root: size.root, parts, input },
    schedules: parts.map(({ shape }) => build(shape)),
    operator: PROGRAM_OPERATORS[operator],
  };
}

type Build = (shape: ShapeOf[TransportKind]) => TransportSchedule;

test("schedules yield what collectives mean, and small ones can be written down", () => {
  for (const kind of TRANSPORT_KINDS) {
    for (const { build } of ALGORITHMS[kind]) {
      for (const ranks of [1, 2, 5]) referenceResults(caseOf({ kind, ranks }, build as Build));
    }
  }
  const { build } = ALGORITHMS.allreduce[0]!;
  const results = referenceResults(caseOf({ kind: "allreduce", ranks: 3 }, build as Build));
  assert.deepEqual(
    results.map((recv) => [...recv]),
    [
      [2259, 2262],
      [2259, 2262],
      [2259, 2262],
    ],
  );
});

test("an algorithm that does not keep the order is found by an operator that needs it", () => {
  const ring = ALGORITHMS.reduceScatter[0]!;
  const asked = { kind: "reduceScatter", ranks: 5, operator: "affine" } as const;
  assert.throws(
    () => referenceResults(caseOf(asked, ring.build as Build)),
    /^Error: The schedules yield .* in element .* of rank .*, not /,
  );
});

test("schedules that wait for ever are found", () => {
  const nobody: TransportSchedule = {
    scratchCount: 0,
    steps: [{ kind: "receive", from: 1, region: { buffer: "recv", offset: 0, count: 2 } }],
  };
  assert.throws(
    () => referenceResults(caseOf({ kind: "allreduce", ranks: 2 }, () => nobody)),
    /^Error: The schedule of rank 0 waits for ever/,
  );
});
