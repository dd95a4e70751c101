import { type InteropNode, peerIds } from "./interop-node.js";
import { useNodes } from "./node-group.js";
import type { ReferenceNode } from "./reference-node.js";
import { waitFor } from "./wait-for.js";

const MEMORY = "400m";
/** Time limit in seconds: a deployed node requests other nodes once a minute (`spec/07 §A.4`). */
const SECONDS = 300;

/** Settings with which a node starts its discovery at another. */
function discoveringFrom(...boot: readonly InteropNode[]) {
  const list = boot.map(({ p2pPort }, i) => [`peer.discovery.ip.list.${i}`, `127.0.0.1:${p2pPort}`]);
  return { "peer.discovery.enabled": true, ...Object.fromEntries(list) };
}

/** Waits until a deployed node is connected to another node of either client. */
async function connects(deployed: ReferenceNode, { id, name }: InteropNode): Promise<void> {
  const what = `${deployed.name} is connected to ${name}`;
  await waitFor(
    what,
    () => peerIds(deployed),
    (ids) => ids.includes(id),
    SECONDS,
  );
}

describe("discovery", function () {
  this.timeout(20 * 60_000);
  const nodes = useNodes();
  const deployed: ReferenceNode[] = [];
  let cambium: InteropNode;

  it("finds six deployed nodes through one of them", async () => {
    const boot = await nodes.reference("deployed-0", { settings: discoveringFrom(), memory: MEMORY });
    deployed.push(boot);
    const start = (i: number) => nodes.reference(`deployed-${i}`, { settings: discoveringFrom(boot), memory: MEMORY });
    deployed.push(...(await Promise.all([1, 2, 3, 4, 5].map(start))));
    cambium = await nodes.cambium("cambium", "--p2p.bootnodes", `127.0.0.1:${boot.p2pPort}`);
    for (const node of deployed) await connects(node, cambium);
  });

  it("lets a deployed node find this one, and others through it", async () => {
    const settings = discoveringFrom(cambium);
    // The number of deployed nodes stays the same.
    await nodes.stop(deployed.pop()!);
    const last = await nodes.reference("deployed-last", { settings, memory: MEMORY });
    for (const node of [cambium, ...deployed]) await connects(last, node);
  });
});
