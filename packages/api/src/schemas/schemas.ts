import type { JsonSchema } from "../params/param-type.js";
import { CHAIN_OBJECTS } from "./chain-objects.js";
import { NODE_OBJECTS } from "./node-objects.js";
import { OTTERSCAN_OBJECTS } from "./otterscan-objects.js";
import { PARAMETERS } from "./parameters.js";
import { TRACES } from "./traces.js";

/** Schemas by name, for `components.schemas` of the OpenRPC document. */
export const SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  ...CHAIN_OBJECTS,
  ...NODE_OBJECTS,
  ...TRACES,
  ...OTTERSCAN_OBJECTS,
  ...PARAMETERS,
};
