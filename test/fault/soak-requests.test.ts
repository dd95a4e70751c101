import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PeerNode, startPeerNode } from "@cambium/test-utils/peers/peer-nodes";
import { random } from "@cambium/test-utils/random";
import { SEED } from "@cambium/test-utils/seed";
import { SOAK_FLAGS } from "./soak/flags.js";
import { RequestBook } from "./soak/request-book.js";

describe("the requests of the soak test", () => {
  let folder: string;
  let node: PeerNode;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "cambium-soak-requests-"));
    node = await startPeerNode(join(folder, "node"), [], ...SOAK_FLAGS);
  });

  after(async () => {
    await node?.node.stop("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  it("have parameters for every method of such a node", async () => {
    const book = await RequestBook.of(node.rpc, random(SEED));
    const subjects = {
      blockHashes: ["0x01"],
      transactionHashes: ["0x02"],
      contract: "0x0000000000000000000000000000000001000006",
      rawTransaction: "0x00",
      rawBlock: "0x00",
      filter: "0x1",
    };
    assert.deepEqual(
      book.all(subjects).map(({ method }) => method),
      book.names,
    );
  });
});
