import { ENVIRONMENT_ADDRESS } from "@cambium/config";
import { abiFunction } from "@cambium/primitives";
import type { NativeContract } from "@cambium/state";
import { createNativeContract } from "../native-frame.js";

/** Reads a call's own environment: `spec/04 §6.10` (RSKIP-203). */
export const environment: NativeContract = createNativeContract({
  address: ENVIRONMENT_ADDRESS,
  name: "Environment",
  isActive: (rules) => rules.rskip203,
  methods: [
    {
      definition: abiFunction("getCallStackDepth", [], ["uint32"]),
      gas: () => 0,
      // A direct call has depth -1, but the lowest result is 1.
      execute: (_args, { depth }) => BigInt(Math.max(depth, 0) + 1),
    },
  ],
});
