export { SCHEMAS } from "../schemas/schemas.js";
export { errorsOf } from "./documented-errors.js";
export { examplesOf } from "./method-examples.js";
