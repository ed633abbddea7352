// One step of an optimizer in one pass over value, gradient and state, in the order of
// operations of TensorFlow.js (so the results have the same bits), which makes a pass and a tensor
// per operation.

@unmanaged
class UpdateArgs {
  value: usize;
  gradient: usize;
  newValue: usize;
  count: i32;
  /** Momentum: the accumulation. Adam: the first moment. */
  first: usize;
  newFirst: usize;
  /** Adam: the second moment. */
  second: usize;
  newSecond: usize;
  /** Minus the learning rate. */
  step: f32;
  /** Momentum, or Adam's beta 1. */
  decay1: f32;
  /** Adam: beta 2. */
  decay2: f32;
  /** Adam: 1 - beta 1, 1 - beta 2, rounded as the caller has them. */
  rest1: f32;
  rest2: f32;
  /** Adam: 1 - beta 1 to the number of steps, and so for beta 2. */
  correction1: f32;
  correction2: f32;
  epsilon: f32;
  /** Not 0: Nesterov's form of momentum. */
  nesterov: i32;
}

// @ts-ignore: decorator
@inline
function at(base: usize, i: i32): usize {
  return base + (<usize>i << 2);
}

/** Plain gradient descent: value + step * gradient. */
export function descentUpdate(block: usize): void {
  const u = changetype<UpdateArgs>(block);
  const step = f32x4.splat(u.step);
  let i = 0;
  for (; i + 4 <= u.count; i += 4) {
    const change = f32x4.mul(step, v128.load(at(u.gradient, i)));
    v128.store(at(u.newValue, i), f32x4.add(change, v128.load(at(u.value, i))));
  }
  for (; i < u.count; i++) {
    const change = u.step * load<f32>(at(u.gradient, i));
    store<f32>(at(u.newValue, i), change + load<f32>(at(u.value, i)));
  }
}

/** Momentum: first' = decay * first + gradient, value' = value + step * first'. */
export function momentumUpdate(block: usize): void {
  const u = changetype<UpdateArgs>(block);
  const step = f32x4.splat(u.step);
  const decay = f32x4.splat(u.decay1);
  let i = 0;
  for (; i + 4 <= u.count; i += 4) {
    const gradient = v128.load(at(u.gradient, i));
    const first = f32x4.add(f32x4.mul(decay, v128.load(at(u.first, i))), gradient);
    const ahead = u.nesterov ? f32x4.add(gradient, f32x4.mul(first, decay)) : first;
    v128.store(at(u.newFirst, i), first);
    v128.store(at(u.newValue, i), f32x4.add(f32x4.mul(step, ahead), v128.load(at(u.value, i))));
  }
  for (; i < u.count; i++) {
    const gradient = load<f32>(at(u.gradient, i));
    const first = u.decay1 * load<f32>(at(u.first, i)) + gradient;
    const ahead = u.nesterov ? gradient + first * u.decay1 : first;
    store<f32>(at(u.newFirst, i), first);
    store<f32>(at(u.newValue, i), u.step * ahead + load<f32>(at(u.value, i)));
  }
}

/** Adam, Kingma and Ba, "Adam: A Method for Stochastic Optimization" (2014), algorithm 1. */
export function adamUpdate(block: usize): void {
  const u = changetype<UpdateArgs>(block);
  const decay1 = f32x4.splat(u.decay1);
  const decay2 = f32x4.splat(u.decay2);
  const rest1 = f32x4.splat(u.rest1);
  const rest2 = f32x4.splat(u.rest2);
  const correction1 = f32x4.splat(u.correction1);
  const correction2 = f32x4.splat(u.correction2);
  const epsilon = f32x4.splat(u.epsilon);
  const step = f32x4.splat(u.step);
  let i = 0;
  for (; i + 4 <= u.count; i += 4) {
    const gradient = v128.load(at(u.gradient, i));
    const squared = f32x4.mul(gradient, gradient);
    const kept1 = f32x4.mul(v128.load(at(u.first, i)), decay1);
    const first = f32x4.add(kept1, f32x4.mul(gradient, rest1));
    const kept2 = f32x4.mul(v128.load(at(u.second, i)), decay2);
    const second = f32x4.add(kept2, f32x4.mul(squared, rest2));
    const root = f32x4.add(f32x4.sqrt(f32x4.div(second, correction2)), epsilon);
    const change = f32x4.mul(f32x4.div(f32x4.div(first, correction1), root), step);
    v128.store(at(u.newFirst, i), first);
    v128.store(at(u.newSecond, i), second);
    v128.store(at(u.newValue, i), f32x4.add(change, v128.load(at(u.value, i))));
  }
  for (; i < u.count; i++) {
    const gradient = load<f32>(at(u.gradient, i));
    const first = load<f32>(at(u.first, i)) * u.decay1 + gradient * u.rest1;
    const second = load<f32>(at(u.second, i)) * u.decay2 + gradient * gradient * u.rest2;
    const root = sqrt<f32>(second / u.correction2) + u.epsilon;
    store<f32>(at(u.newFirst, i), first);
    store<f32>(at(u.newSecond, i), second);
    const change = (first / u.correction1 / root) * u.step;
    store<f32>(at(u.newValue, i), change + load<f32>(at(u.value, i)));
  }
}
