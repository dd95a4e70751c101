import assert from "node:assert/strict";
import type { BridgeUser } from "../e2e/bridge-user.js";
import { BITCOIND, BitcoinNode } from "./bitcoin-node.js";
import { COIN, named, type ParentWallet, Peg, WEI_PER_SATOSHI } from "./peg.js";

describe("the peg with a Bitcoin node", function () {
  this.timeout(120_000);
  if (BITCOIND === undefined) {
    it.skip("needs a Bitcoin node: set CAMBIUM_BITCOIND to the command that runs it");
    return;
  }
  let bitcoin: BitcoinNode;

  before(async () => {
    bitcoin = await BitcoinNode.start();
  });

  after(() => bitcoin.stop());

  describe("of a federation of form 4000", () => {
    let peg: Peg;
    let user: BridgeUser;
    let wallet: ParentWallet;

    before(async () => {
      peg = await Peg.start(bitcoin);
      user = peg.user("user");
      wallet = await peg.wallet("pkh", (key) => `pkh(${key})`, "user");
    });

    after(() => peg.stop());

    it("credits a peg-in from a public-key hash to the key's account", async () => {
      await wallet.fill(2 * COIN);
      const txid = await wallet.pay([await peg.federator.ask("getFederationAddress"), COIN]);
      const { args } = named(await peg.confirm(txid), "pegin_btc");
      assert.deepEqual([args.receiver, args.amount, args.btcTxHash], [user.address, BigInt(COIN), `0x${txid}`]);
      assert.equal(await peg.balance(user.address), BigInt(COIN) * WEI_PER_SATOSHI);
    });

    it("pays a peg-out that the Bitcoin node accepts", async () => {
      await peg.requestPegOut(user, COIN / 2);
      await peg.createBatch();
      const signed = await peg.confirmAndSign(peg.federators.slice(0, 2));
      await peg.broadcast(signed);
      assert.equal(await wallet.received(signed.getId()), signed.outs[0]!.value);
      assert.deepEqual(
        (await peg.state()).activeFederationUtxos.map(({ valueInSatoshis }) => valueInSatoshis),
        [signed.outs[1]!.value],
      );
    });
  });
});
