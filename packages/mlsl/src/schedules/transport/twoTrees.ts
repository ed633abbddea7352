/**
 * Two binary trees over the same ranks in which everybody but the root, which is on top of both,
 * has children in at most one. When each tree carries one half of a vector, every rank receives the
 * vector once and sends it at most once: twice what one binary tree does.
 *
 * Nodes are numbered from 0, the top; a search for a node in a tree goes left to lower numbers and
 * right to higher ones, so a reduction combines neighbours, in order. Drawn for 7 nodes:
 *
 *     first   0           second  0
 *               4                   3
 *             2   6               1   5
 *            1 3 5                 2 4 6
 *
 * Source: P. Sanders, J. Speck, J. L. Träff, Two-tree algorithms for full bandwidth broadcast,
 * reduction and scan, Parallel Computing 35(12), 2009. Below the top are s = n−1 nodes. For an even
 * s the second tree is the first in the mirror. For an odd one it is the first tree over the nodes
 * from 2 on, below node 1, which is a leaf of the first: unlike a turn by one place this keeps the
 * order.
 */

/** A node's neighbours in one tree; undefined where there is none. */
export interface TreeNode {
  readonly parent: number | undefined;
  /** Child whose subtree holds numbers below the node's own. */
  readonly lower: number | undefined;
  /** Child whose subtree holds numbers above the node's own. */
  readonly upper: number | undefined;
}

function lowestBit(value: number): number {
  let bit = 1;
  while (value % (2 * bit) === 0) bit *= 2;
  return bit;
}

/**
 * Parent in the search tree over 1 … size whose leaves are the odd numbers; 0 is above its root.
 */
function searchParent(node: number, size: number): number {
  const bit = lowestBit(node);
  const isLower = (node / bit) % 4 === 1;
  return isLower && node + bit <= size ? node + bit : node - bit;
}

function searchRoot(size: number): number {
  let root = 1;
  while (2 * root <= size) root *= 2;
  return root;
}

/** A node of the search tree over 1 … size; its root's parent is 0. */
function searchNode(node: number, size: number): TreeNode {
  const bit = lowestBit(node);
  let step = bit / 2;
  while (step >= 1 && node + step > size) step /= 2;
  return {
    parent: searchParent(node, size),
    lower: bit > 1 ? node - bit / 2 : undefined,
    upper: step >= 1 ? node + step : undefined,
  };
}

/** The same node in a tree whose numbers are given another name. */
function renamed({ parent, lower, upper }: TreeNode, name: (node: number) => number): TreeNode {
  const of = (node: number | undefined) => (node === undefined ? undefined : name(node));
  return { parent: of(parent), lower: of(lower), upper: of(upper) };
}

function secondNode(node: number, size: number): TreeNode {
  if (size % 2 === 0) {
    const mirror = (other: number) => (other === 0 ? 0 : size + 1 - other);
    const { parent, lower, upper } = renamed(searchNode(mirror(node), size), mirror);
    return { parent, lower: upper, upper: lower };
  }
  if (node === 1) {
    return { parent: 0, lower: undefined, upper: size > 1 ? 1 + searchRoot(size - 1) : undefined };
  }
  return renamed(searchNode(node - 1, size - 1), (other) => other + 1);
}

function top(root: number | undefined): TreeNode {
  return { parent: undefined, lower: undefined, upper: root };
}

/** The places of a node of 0 … nodes−1 in the first and in the second tree. */
export function twoTrees(node: number, nodes: number): readonly [TreeNode, TreeNode] {
  const size = nodes - 1;
  if (node > 0) return [searchNode(node, size), secondNode(node, size)];
  if (size === 0) return [top(undefined), top(undefined)];
  const root = searchRoot(size);
  return [top(root), top(size % 2 === 0 ? size + 1 - root : 1)];
}
