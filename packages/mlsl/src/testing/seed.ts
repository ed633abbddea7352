/** Where random tests begin: elsewhere every day, and again where a failure says. */

/** Days since 1970, or what MLSL_TEST_SEED says. Failures print it. */
export const SEED: number = Number(process.env.MLSL_TEST_SEED ?? Math.floor(Date.now() / 86400000));
