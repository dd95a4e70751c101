export { methodAliases } from "../definition/aliases.js";
export { SCHEMAS } from "../schemas/schemas.js";
export { errorsOf } from "./method-errors.js";
export { examplesOf } from "./method-examples.js";
