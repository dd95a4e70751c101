import { platformClock } from "@cambium/primitives";
import { SILENT } from "@cambium/test-utils/silent-logger";
import type { Capability } from "../../src/transport/hello.js";
import { agreementKey, newPrivateKey } from "../../src/transport/key-agreement.js";
import type { RlpxIdentity, RlpxOptions } from "../../src/transport/options.js";

export const RSK: Capability = { name: "rsk", version: 62 };

export function newIdentity(privateKey: Uint8Array = newPrivateKey()): RlpxIdentity {
  return { privateKey, nodeId: agreementKey(privateKey).publicKey };
}

export function optionsWith(changes: Partial<RlpxOptions> = {}): RlpxOptions {
  return {
    identity: newIdentity(),
    hello: { clientId: "test", capabilities: [RSK], listenPort: 5050 },
    requires: [RSK],
    clock: platformClock,
    logger: SILENT,
    ...changes,
  };
}
