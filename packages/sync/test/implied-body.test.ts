import assert from "node:assert/strict";
import { NETWORKS, rulesAt } from "@cambium/config";
import { checkBody } from "@cambium/networking";
import { ManualClock } from "@cambium/test-utils/manual-clock";
import { BlockHeader, genesisBlock, rawTransactionsRoot, rewardTransaction } from "@cambium/types";
import { BodyDownload, WINDOW_LIMITS } from "../src/engine/body-download.js";
import { impliedBody } from "../src/engine/implied-body.js";
import { PeerCoordinator } from "../src/engine/peer-coordinator.js";
import { Wakeup } from "../src/shared/wakeup.js";
import { FakeNetwork } from "./fake-network.js";

const network = NETWORKS.main;
const NUMBER = 7;

/** A header of main with a body of these transactions and no uncles. */
function headerOf(transactions: readonly Uint8Array[], number = NUMBER): BlockHeader {
  const transactionsRoot = rawTransactionsRoot(transactions, rulesAt(network, number));
  return BlockHeader.create({ ...genesisBlock(network, new Uint8Array(32)).header, number, transactionsRoot }, network);
}

describe("the body of a block with nothing but the reward transaction", () => {
  const reward = rewardTransaction(NUMBER).encoded;

  it("follows from the header", () => {
    const header = headerOf([reward]);
    const body = impliedBody(header, network);
    assert.deepEqual(body?.transactions, [reward]);
    assert.equal(checkBody(header, body, network), header);
  });

  it("does not follow for other transactions, or if there are uncles", () => {
    assert.equal(impliedBody(headerOf([]), network), undefined);
    assert.equal(impliedBody(headerOf([reward, reward]), network), undefined);
    assert.equal(impliedBody(headerOf([rewardTransaction(NUMBER + 1).encoded]), network), undefined);
    const withUncles = headerOf([reward]).with({ unclesHash: new Uint8Array(32) });
    assert.equal(impliedBody(withUncles, network), undefined);
  });

  it("is not requested", async () => {
    const clock = new ManualClock();
    const peers = new FakeNetwork();
    const changed = new Wakeup(clock);
    const coordinator = new PeerCoordinator({ network: peers.api, clock, changed });
    const parts = { network: peers.api, chainNetwork: network, coordinator, clock, changed, window: WINDOW_LIMITS };
    const download = new BodyDownload({ ...parts, onDelivery: () => assert.fail("no peer sent a body") });
    const header = headerOf([reward]);
    download.add({ headers: [header], sources: ["a"] });
    download.complete();
    const never = new AbortController().signal;
    const run = download.run(never);
    assert.equal((await download.next(never))?.header, header);
    await run;
    assert.deepEqual(peers.requests, []);
  });
});
