export { fromFloat32, toFloat32 } from "./convert";
export { advance, awaitPhases, copy, exchange, exchangeReduce } from "./exchange";
export { reduce } from "./reduce";
