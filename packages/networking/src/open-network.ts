import { join } from "node:path";
import { platformClock } from "@cambium/primitives";
import { NetworkingError } from "./errors.js";
import type { WireName } from "./interface.js";
import { JoinedNetwork } from "./joined-network.js";
import { checkOptions } from "./libp2p/host/checked-options.js";
import { openLibp2p } from "./libp2p/libp2p-network.js";
import type { RunningNetwork, Wire } from "./network.js";
import { loadNodeKey, NODE_KEY_FILE } from "./node-key.js";
import type { NetworkingOptions } from "./options.js";
import type { NetworkParts, WireSetup } from "./parts.js";
import { EclipseWatch } from "./peers/eclipse-watch.js";
import { OwnKeyUse } from "./peers/own-key-use.js";
import { SharedLimits } from "./peers/shared-limits.js";
import { openRlpx } from "./rlpx/rlpx-network.js";
import { BanTable } from "./scoring/ban-table.js";
import { checkedChanges } from "./shared/peer-changes.js";
import { checkedPeerId } from "./shared/peer-id.js";

type Open = (options: NetworkingOptions, parts: NetworkParts, setup: WireSetup) => Promise<Wire>;

/** Wires, the preferred one first: it has more functions. */
const WIRES: Readonly<Record<WireName, Open>> = { libp2p: openLibp2p, rlpx: openRlpx };

/**
 * Checks the options without starting anything. Throws {@link NetworkingError} `INVALID_OPTION` or `INVALID_ADDRESS`.
 */
export function checkNetworkingOptions(options: NetworkingOptions): void {
  checkOptions(options);
  checkedChanges({ nodes: options.rlpx.nodes });
  for (const text of options.bannedPeers) checkedPeerId(text, "bannedPeers");
  new BanTable(options.bannedAddresses);
}

/**
 * Starts the network of peers over the configured wires. Throws {@link NetworkingError} `INVALID_OPTION`, `KEY_FILE`,
 * `LISTEN_FAILED` or `LIBRARY_CHANGED`.
 */
export async function openNetwork(options: NetworkingOptions, parts: NetworkParts): Promise<RunningNetwork> {
  const names = (Object.keys(WIRES) as WireName[]).filter((name) => options.wires.includes(name));
  const { chain } = parts.sources;
  const setup = {
    key: await loadNodeKey(options.folder),
    limits: new SharedLimits(options.limits, names),
    eclipse: new EclipseWatch({
      ownTotalDifficulty: () => chain.best().totalDifficulty,
      now: () => platformClock.now(),
    }),
    ownKey: new OwnKeyUse(join(options.folder, NODE_KEY_FILE), parts.logger),
  };
  const wires: Wire[] = [];
  try {
    for (const name of names) wires.push(await WIRES[name](options, parts, setup));
  } catch (error) {
    await Promise.all(wires.map((wire) => wire.stop()));
    throw error;
  }
  const [first, ...others] = wires;
  if (first === undefined) {
    throw new NetworkingError({ code: "INVALID_OPTION", option: "wires", reason: "at least one is needed" });
  }
  if (others.length === 0) return first;
  return new JoinedNetwork({ wires: [first, ...others], encodedBlock: (hash) => chain.encodedBlock(hash) });
}
