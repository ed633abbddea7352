/**
 * A binomial tree in which every subtree is an interval of ranks, for any root. The ranks are cut
 * in halves; the root is the root of its half, the other half gets the rank next to the cut as
 * root, which becomes the root's child; and so on in both halves. It has ⌈log2 n⌉ rounds; for a
 * power of two of ranks it is the binomial tree.
 *
 * As subtrees are intervals, a gather never has to cut a message where the ranks wrap around, and a
 * reduction combines neighbours only, in the order of the ranks.
 */

/** A subtree below a rank: its root, and the ranks [first, end) that it holds. */
export interface Subtree {
  readonly root: number;
  readonly first: number;
  readonly end: number;
}

/** A rank's place in the tree. */
export interface TreePlace {
  /** Undefined at the root. */
  readonly parent: number | undefined;
  /** The rank's own subtree. */
  readonly own: Subtree;
  /** Its children, largest subtrees first: the order in which a broadcast serves them. */
  readonly children: readonly Subtree[];
}

function halves({ root, first, end }: Subtree): { near: Subtree; far: Subtree } {
  const middle = first + Math.ceil((end - first) / 2);
  const near = root < middle ? { root, first, end: middle } : { root, first: middle, end };
  const far =
    root < middle ? { root: middle, first: middle, end } : { root: middle - 1, first, end: middle };
  return { near, far };
}

/** The place of a rank in the tree of a root. */
export function treePlace(rank: number, ranks: number, root: number): TreePlace {
  let tree: Subtree = { root, first: 0, end: ranks };
  let parent: number | undefined;
  while (rank !== tree.root) {
    const { near, far } = halves(tree);
    const inFar = rank >= far.first && rank < far.end;
    if (inFar) parent = tree.root;
    tree = inFar ? far : near;
  }
  const own = tree;
  const children: Subtree[] = [];
  while (tree.end - tree.first > 1) {
    const { near, far } = halves(tree);
    children.push(far);
    tree = near;
  }
  return { parent, own, children };
}
