import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KeyStore } from "@cambium/accounts";
import type { OptionalParts } from "@cambium/api";
import { fakeAdmin, fakeNetwork, fakeReadiness } from "./fake-admin.js";
import { fakeArtifacts } from "./fake-artifacts.js";
import { FakeLocalMiner, fakeMiner } from "./fake-miner.js";
import { FakeScoring } from "./fake-scoring.js";

/** Returns all optional modules; `folder` holds the key files. */
export function everyPart(): OptionalParts & { folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "cambium-rpc-"));
  return {
    folder,
    miner: fakeMiner(),
    localMiner: new FakeLocalMiner().api(),
    accounts: new KeyStore({ folder, cost: { n: 4, r: 1, p: 1 } }),
    scoring: new FakeScoring(),
    admin: fakeAdmin(),
    readiness: fakeReadiness,
    network: fakeNetwork(),
    developer: { artifacts: fakeArtifacts(), keys: [] },
  };
}
