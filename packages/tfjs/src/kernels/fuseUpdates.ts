// The optimizers of TensorFlow.js make two passes and two tensors for each operation of their formula.
// That time does not depend on the batch, so it limits what splitting a batch over ranks can gain.
import {
  AdamOptimizer,
  type Attribute,
  engine,
  getBackend,
  MomentumOptimizer,
  mul,
  type NamedTensorMap,
  type Optimizer,
  SGDOptimizer,
  type Tensor,
  type TensorInfo,
  tidy,
  type Variable,
  zerosLike,
} from "@tensorflow/tfjs-core";
import type { UpdateCall, UpdateKernel } from "./calls.js";
import { elementCount } from "./host.js";
import { BACKEND_NAME, installKernel } from "./override.js";

/** The kernel, by a name that no operation of TensorFlow.js has. */
const UPDATE = "MlslUpdate";

/** Gradients as `applyGradients` takes them; a null tensor means: leave that variable. */
type Gradients =
  | NamedTensorMap
  | ReadonlyArray<{ readonly name: string; readonly tensor: Tensor | null }>;

/** State of an optimizer for each variable, in the order of the gradients. */
type Slots = Array<{ originalName: string; variable: Variable }>;

/** The members of the optimizers of 4.22.0 that are not public but that the updates share. */
interface OptimizerMembers {
  /** Scalars -learningRate and momentum. */
  readonly c: Tensor;
  readonly m: Tensor;
  readonly useNesterov: boolean;
  readonly accumulations: Slots;
  readonly learningRate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly accBeta1: Variable;
  readonly accBeta2: Variable;
  readonly accumulatedFirstMoment: Slots;
  readonly accumulatedSecondMoment: Slots;
  applyGradients(gradients: Gradients): void;
  incrementIterations(): void;
}

/** How one kind of optimizer updates. */
interface Rule {
  readonly kernel: UpdateKernel;
  /** State by variable, with the suffix of its name. */
  readonly slots: ReadonlyArray<readonly [slots: Slots, suffix: string]>;
  readonly constants: Pick<UpdateCall, "step" | "decays" | "corrections" | "epsilon" | "nesterov">;
  /** After all variables. */
  readonly finish?: () => void;
}

/**
 * Makes an SGD, Momentum or Adam optimizer update each variable in one pass on the WASM backend. The
 * numbers are the same, bit for bit, and so are its state, its weights and its other methods. Other
 * kinds of optimizers, and other backends at the time of the update, work as before.
 * @returns The same optimizer
 */
export function fuseUpdates<T extends Optimizer>(optimizer: T): T {
  const members = optimizer as unknown as OptimizerMembers;
  const rule = ruleFor(optimizer);
  if (rule === undefined) return optimizer;
  const unfused = members.applyGradients.bind(optimizer);
  members.applyGradients = (gradients: Gradients): void => {
    const list = listOf(gradients);
    if (getBackend() !== BACKEND_NAME || !list.every(({ tensor }) => fits(tensor))) {
      unfused(gradients);
      return;
    }
    apply(rule(), list);
    members.incrementIterations();
  };
  return optimizer;
}

const fits = (tensor: Tensor | null): boolean => tensor == null || tensor.dtype === "float32";

function listOf(gradients: Gradients): Array<{ name: string; tensor: Tensor | null }> {
  if (Array.isArray(gradients)) return [...gradients];
  return Object.entries(gradients as NamedTensorMap).map(([name, tensor]) => ({ name, tensor }));
}

/** Reads the rule with its constants as they are then. Kinds are told by class, not by descent. */
function ruleFor(optimizer: Optimizer): (() => Rule) | undefined {
  const o = optimizer as unknown as OptimizerMembers;
  switch (optimizer.constructor) {
    case SGDOptimizer:
      return () => ({ kernel: "descentUpdate", slots: [], constants: { step: scalarOf(o.c) } });
    case MomentumOptimizer:
      return () => ({
        kernel: "momentumUpdate",
        slots: [[o.accumulations, "momentum"]],
        constants: { step: scalarOf(o.c), decays: [scalarOf(o.m), 0], nesterov: o.useNesterov },
      });
    case AdamOptimizer:
      return () => adamRule(o);
    default:
      return undefined;
  }
}

function adamRule(o: OptimizerMembers): Rule {
  const { accBeta1, accBeta2, beta1, beta2, epsilon } = o;
  return {
    kernel: "adamUpdate",
    slots: [
      [o.accumulatedFirstMoment, "m"],
      [o.accumulatedSecondMoment, "v"],
    ],
    constants: {
      step: -o.learningRate,
      decays: [beta1, beta2],
      corrections: [1 - scalarOf(accBeta1), 1 - scalarOf(accBeta2)],
      epsilon,
    },
    finish: () =>
      tidy(() => {
        accBeta1.assign(mul(accBeta1, beta1));
        accBeta2.assign(mul(accBeta2, beta2));
      }),
  };
}

/** Value of a scalar on the current backend. */
function scalarOf(scalar: Tensor): number {
  return scalar.dataSync()[0]!;
}

function apply(rule: Rule, gradients: ReturnType<typeof listOf>): void {
  for (const [i, { name, tensor }] of gradients.entries()) {
    const value = engine().registeredVariables[name] as Variable;
    for (const [list, suffix] of rule.slots) {
      list[i] ??= {
        originalName: `${name}/${suffix}`,
        variable: tidy(() => zerosLike(value).variable(false)),
      };
    }
    if (tensor == null) continue;
    const states = rule.slots.map(([list]) => list[i]!.variable);
    tidy(() => updateVariable(rule, tensor, [value, ...states]));
  }
  rule.finish?.();
}

/** New tensors for the value and its states: copies that others hold of the old ones stay as they are. */
function updateVariable(
  { kernel, constants }: Rule,
  gradient: Tensor,
  variables: readonly Variable[],
): void {
  const [value, first, second] = variables;
  const inputs = { gradient, value, ...(first && { first }), ...(second && { second }) };
  const attrs = { kernel, ...constants } as unknown as Record<string, Attribute>;
  const results = engine().runKernel(UPDATE, inputs as unknown as NamedTensorMap, attrs);
  for (const [i, result] of (results as unknown as Tensor[]).entries()) {
    variables[i]!.assign(result);
  }
}

/** Registers the kernel that updates a variable and its states. */
export function installUpdates(): void {
  installKernel(UPDATE, ({ host, inputs, attrs }) => {
    const { gradient, value, first, second } = inputs;
    const states = [value, first, second].filter((info) => info !== undefined);
    const outputs = states.map(({ shape }) => host.output(shape));
    const address = (info: TensorInfo | undefined): number => (info ? host.address(info) : 0);
    const { kernel, ...constants } = attrs as unknown as Rule["constants"] & Pick<Rule, "kernel">;
    host.calls.update(kernel, {
      value: address(value),
      gradient: address(gradient),
      newValue: address(outputs[0]),
      count: elementCount(value!.shape),
      first: address(first),
      newFirst: address(outputs[1]),
      second: address(second),
      newSecond: address(outputs[2]),
      ...constants,
    });
    return outputs;
  });
}
