// The smallest program:
//   node examples/hello.js
//   npx mlsl run -n 2 examples/hello.js
import { init } from "mlsl";

const { world } = await init();
const sum = new Float32Array([world.rank + 1]);
await world.allreduce(sum, sum);
console.log(`rank ${world.rank} of ${world.ranks}: the sum is ${sum[0]}`);
