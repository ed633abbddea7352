export { fromFloat32, toFloat32 } from "./convert";
export { advance, awaitPhases, copy, exchange, exchangeFetch, exchangeReduce } from "./exchange";
export { reduce } from "./reduce";
