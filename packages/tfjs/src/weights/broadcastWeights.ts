/** Every rank starts from the same model. */

import {
  type DataTypeMap,
  type Optimizer,
  type Tensor,
  tensor,
  tidy,
  Variable,
} from "@tensorflow/tfjs-core";
import type { LayersModel } from "@tensorflow/tfjs-layers";
import type { Group } from "mlsl";
import { agreeOnEntries, broadcastJson, type Entry } from "../agreement/agreeOnEntries.js";
import { broadcastBytes } from "./broadcastBytes.js";

/** Options of {@link broadcastWeights}. */
export interface BroadcastWeightsOptions {
  /**
   * Rank whose weights everybody gets.
   *
   * @default 0
   */
  readonly root?: number;
}

/** A tensor with a name, as optimizers give their state. */
type NamedTensor = Awaited<ReturnType<Optimizer["getWeights"]>>[number];

/** What must be known of a tensor to make it. */
interface TensorSpec {
  readonly name: string;
  readonly shape: number[];
  readonly dtype: keyof DataTypeMap;
}

/**
 * Gives every rank the weights of the root: those that are trained, those that are not, such as the
 * moving statistics of batch normalization, and, if the model is compiled, the state of its
 * optimizer. A collective operation.
 *
 * Call it before training, and again after training if the statistics of batch normalization,
 * which every rank gathers from its own samples, are to be the root's.
 *
 * The optimizer's state is put in place anew on the root as well: some optimizers compute a part of
 * it from the number of steps, and all ranks must get that from the same computation.
 *
 * @param model on all ranks the same layers, and either compiled everywhere or nowhere; it is built
 *   if it is not yet
 * @throws {Error} On every rank, before any weight is changed, if the ranks' weights have different
 *   names, shapes or types, or their optimizers are of different kinds; the error says what the
 *   root holds and what the others hold.
 * @throws {TypeError} If the model cannot be built, or has weights that are not float32, int32 or bool.
 * @throws {RangeError} If the root is not a rank of the group.
 */
export async function broadcastWeights(
  model: LayersModel,
  group: Group,
  options: BroadcastWeightsOptions = {},
): Promise<void> {
  const root = options.root ?? 0;
  if (!Number.isInteger(root) || root < 0 || root >= group.ranks) {
    throw new RangeError(
      `Cannot broadcast weights: expected root to be a rank from 0 to ${group.ranks - 1}, ` +
        `got ${root}`,
    );
  }
  ensureBuilt(model);
  if (group.ranks === 1) return;
  const weights = model.weights.map((weight) => ({
    name: weight.originalName,
    tensor: weight.read(),
  }));
  agreeOnEntries(group, [...weights.map(toEntry), optimizerEntry(model.optimizer)], {
    action: "Cannot broadcast weights",
    remedy: "build and compile the same model, with the same layer names, on every rank",
    root,
  });
  const state = await stateOf(model.optimizer);
  const specs = [...weights.map(toSpec), ...broadcastJson(group, state.map(toSpec), root)];
  const values = await broadcastTensors(group, root, { specs, own: [...weights, ...state] });
  if (group.rank !== root) assignAll(weights, values);
  await replaceState(model.optimizer, state, values.slice(weights.length));
  for (const { tensor } of values) tensor.dispose();
}

/** A sequential model is built by `compile` or before its first use, which may come later. */
function ensureBuilt(model: LayersModel): void {
  if (model.built) return;
  try {
    model.build([]);
  } catch (cause) {
    throw new TypeError(
      `Cannot broadcast weights: model "${model.name}" cannot be built, so it has none; ` +
        "add layers, the first one with an inputShape",
      { cause },
    );
  }
}

/** The state of an optimizer that has one. The tensors are the optimizer's own, or copies. */
async function stateOf(optimizer: Optimizer | undefined): Promise<NamedTensor[]> {
  try {
    return optimizer ? await optimizer.getWeights() : [];
  } catch (error) {
    // Some optimizers cannot tell their state. Before the first step there is none to be told.
    if (optimizer?.iterations === 0) return [];
    throw error;
  }
}

function toEntry(named: NamedTensor): Entry {
  const { name, shape, dtype } = toSpec(named);
  return { name, value: `${JSON.stringify(shape)} ${dtype}` };
}

function optimizerEntry(optimizer: Optimizer | undefined): Entry {
  return { name: "optimizer", value: optimizer ? optimizer.getClassName() : "not compiled" };
}

function toSpec({ name, tensor: { shape, dtype } }: NamedTensor): TensorSpec {
  return { name, shape, dtype };
}

/** @returns new tensors with the root's values, which belong to the caller */
async function broadcastTensors(
  group: Group,
  root: number,
  { specs, own }: { readonly specs: readonly TensorSpec[]; readonly own: readonly NamedTensor[] },
): Promise<NamedTensor[]> {
  const arrays = specs.map(emptyValues);
  if (group.rank === root) {
    // Copied, since on the cpu backend two tensors would otherwise hold the very same array.
    for (const [i, { tensor }] of own.entries()) arrays[i]?.set((await tensor.data()) as Values);
  }
  broadcastBytes(group, root, arrays.map(bytesOf));
  return specs.map(({ name, shape, dtype }, i) => {
    return { name, tensor: tensor(arrays[i] as Values, shape, dtype) };
  });
}

type Values = Float32Array | Int32Array | Uint8Array;

/** The specs are the same on all ranks, so they fail together. */
function emptyValues({ name, shape, dtype }: TensorSpec): Values {
  const count = shape.reduce((product, extent) => product * extent, 1);
  switch (dtype) {
    case "float32":
      return new Float32Array(count);
    case "int32":
      return new Int32Array(count);
    case "bool":
      return new Uint8Array(count);
    default:
      throw new TypeError(
        `Cannot broadcast weight "${name}": expected float32, int32 or bool, got ${dtype}`,
      );
  }
}

function bytesOf(values: Values): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

function assignAll(weights: readonly NamedTensor[], values: readonly NamedTensor[]): void {
  for (const [i, { tensor: weight }] of weights.entries()) {
    // Not by the layer's own write, which would apply constraints and so change the root's bits.
    tidy(() => (weight as Variable).assign((values[i] as NamedTensor).tensor));
  }
}

/** Gives the optimizer its state, and frees what it had before. */
async function replaceState(
  optimizer: Optimizer | undefined,
  previous: readonly NamedTensor[],
  state: readonly NamedTensor[],
): Promise<void> {
  if (!optimizer || state.length === 0) return;
  await optimizer.setWeights([...state]);
  const current = new Set<Tensor>((await optimizer.getWeights()).map(({ tensor }) => tensor));
  for (const { tensor } of previous) if (!current.has(tensor)) tensor.dispose();
  // What is not a variable, the number of steps, was made by asking.
  for (const tensor of current) if (!(tensor instanceof Variable)) tensor.dispose();
}
