export { FUZZ_RUNS, fuzz } from "./fuzz.js";
