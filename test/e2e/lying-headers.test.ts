import assert from "node:assert/strict";
import { type Chain, openReader } from "@cambium/chain";
import { trustText } from "@cambium/chain-store";
import { WorkVerification } from "@cambium/sync";
import { bootstrappedDatabase } from "@cambium/test-utils/chains/bootstrapped-database";
import { network as config, emptyChain, Mine } from "@cambium/test-utils/mined-chains";
import { faultsOf, TestNodes, until } from "@cambium/test-utils/peers/network-nodes";
import { SILENT } from "@cambium/test-utils/silent-logger";
import type { BlockHeader } from "@cambium/types";

const EARLIEST = 220;
const LIES: Record<string, (header: BlockHeader) => BlockHeader> = {
  "without work": (header) => header.with({ parentChainCoinbase: header.parentChainCoinbase!.map((byte) => byte ^ 1) }),
  "with another difficulty": (header) => header.with({ difficulty: 3n }),
  "of another chain": (header) => header.with({ extraData: Uint8Array.of(7) }),
};

describe("a peer that sends headers below published state", () => {
  const nodes = new TestNodes();
  let chain: Chain;

  before(async () => {
    chain = await emptyChain();
    await new Mine(chain).blocks(230);
  });

  afterEach(() => nodes.end());

  for (const wire of ["libp2p", "rlpx"] as const) {
    for (const [kind, change] of Object.entries(LIES)) {
      it(`${kind} is dropped, and an honest one is asked, over ${wire}`, async () => {
        const lying = Object.create(chain) as Chain;
        lying.headerByHash = (hash) => {
          const header = chain.headerByHash(hash);
          return header?.number === 150 ? change(header) : header;
        };
        const own = await nodes.start({ wires: [wire], chain });
        const liar = await nodes.start({ wires: [wire], chain, sources: { chain: lying } });
        await own.network.dial(liar.address);
        const database = await bootstrappedDatabase(chain, EARLIEST);
        const { network } = own;
        const work = new WorkVerification(
          { network, config, database, logger: SILENT, isBusy: () => false },
          { pause: 1, retryPause: 50 },
        );
        const trust = () => trustText(openReader({ network: config, database }).trust());
        const stop = new AbortController();
        const run = work.run(stop.signal);
        await until(() => faultsOf(own).length > 0 && network.peers().length === 0);
        assert.equal(trust(), `signers and work since ${EARLIEST}`);

        const honest = await nodes.start({ wires: [wire], chain });
        await own.network.dial(honest.address);
        await run;
        assert.equal(trust(), "work since genesis");
        assert.notEqual(network.peer(honest.network.ownId), undefined);
        stop.abort();
      });
    }
  }
});
