// The order in which everything is measured.

/**
 * Lists the runs, each of one peer and one operation in all sizes. Peers take turns within an
 * operation, so that a noisy minute hits all alike; every round another peer begins, so that none
 * always follows the same.
 *
 * @param peers see peers.mjs
 * @param plan rounds, ranks, ops
 * @param knows whether a peer has an operation with so many ranks
 */
export function listRuns(peers, { rounds, ranks, ops }, knows) {
  const runs = [];
  for (let round = 0; round < rounds; round++) {
    const first = round % Math.max(1, peers.length);
    const turned = [...peers.slice(first), ...peers.slice(0, first)];
    for (const count of ranks) {
      for (const op of ops) {
        for (const peer of turned.filter((one) => knows(one, op, count))) {
          runs.push({ round: round + 1, ranks: count, op, peer });
        }
      }
    }
  }
  return runs;
}
