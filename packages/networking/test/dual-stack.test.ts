import assert from "node:assert/strict";
import { networkInterfaces } from "node:os";
import { TestNodes, until } from "@cambium/test-utils/peers/network-nodes";
import { timingsOf } from "../src/shared/timings.js";

const HAS_IPV6 = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.address === "::1");

describe(`IPv6${HAS_IPV6 ? "" : " (left out: this machine has no ::1)"}`, () => {
  const nodes = new TestNodes();

  before(function () {
    if (!HAS_IPV6) this.skip();
  });

  afterEach(() => nodes.end());

  it("connects two nodes", async () => {
    const one = await nodes.start({ listen: ["/ip6/::1/tcp/0"] });
    const other = await nodes.start({ listen: ["/ip6/::1/tcp/0"] });
    const peer = await one.network.dial(other.address);
    assert.equal(peer.address.ip, "::1");
    await until(() => other.network.peers().length === 1);
    assert.match(other.network.list()[0]!, / \| ::1:\d+$/);
    assert.equal((await one.network.hashes(other.network.ownId, [0])).length, 1);
  });

  it("and IPv4 listen on the same port", async () => {
    const first = await nodes.start({ listen: ["/ip4/0.0.0.0/tcp/0"] });
    const port = /tcp\/(\d+)/.exec(first.address)![1];
    await nodes.stop(first);
    const both = await nodes.start({ listen: [`/ip4/0.0.0.0/tcp/${port}`, `/ip6/::/tcp/${port}`] });
    const id = both.network.ownId;
    const callers = { ip4: await nodes.start(), ip6: await nodes.start() };
    await callers.ip4.network.dial(`/ip4/127.0.0.1/tcp/${port}/p2p/${id}`);
    await callers.ip6.network.dial(`/ip6/::1/tcp/${port}/p2p/${id}`);
    await until(() => both.network.peers().length === 2);
    assert.deepEqual(
      both.network
        .peers()
        .map(({ address }) => address.ip)
        .sort(),
      ["127.0.0.1", "::1"],
    );
  });

  it("peers are found through others and dialled", async () => {
    const listen = ["/ip6/::1/tcp/0"];
    const middle = await nodes.start({ listen, discovery: true, timings: timingsOf(0.1) });
    const settings = { listen, discovery: true, timings: timingsOf(0.1), bootNodes: [middle.address] };
    const one = await nodes.start(settings);
    const other = await nodes.start(settings);
    await until(() => one.network.peer(other.network.ownId) !== undefined);
  });
});
