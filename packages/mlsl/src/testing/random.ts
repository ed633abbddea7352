/** Where tests find the generator that simulations draw from as well. */

export { Random } from "../simulation/random.js";
