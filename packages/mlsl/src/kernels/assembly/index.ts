export { advance, awaitPhases, copy, exchange, exchangeReduce } from "./exchange";
export { reduce } from "./reduce";
