import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { GossipSub } from "@libp2p/gossipsub";
import type { StreamMuxerFactory } from "@libp2p/interface";
import { NetworkingError } from "../src/index.js";
import { routingTableOf } from "../src/libp2p/patches/bucket-diversity.js";
import { filterAnswers } from "../src/libp2p/patches/discovery-answers.js";
import { checkMuxer } from "../src/libp2p/patches/frame-counting.js";
import { splitAnswers } from "../src/libp2p/patches/gossip-answers.js";
import { reportMalformedFrames } from "../src/libp2p/patches/gossip-frames.js";
import { withVerdicts } from "../src/libp2p/patches/gossip-verdicts.js";

const manifest = new URL("../package.json", import.meta.url);
const pinned: Record<string, string> = JSON.parse(readFileSync(manifest, "utf8")).dependencies;

interface Patch {
  library: string;
  /** Paths of the private members that the patch uses. */
  members: string[];
  apply(target: object): void;
}

const PATCHES: Record<string, Patch> = {
  "counting of streams and pings": {
    library: "@libp2p/yamux",
    members: ["incomingStream", "handlePing"],
    apply: (muxer) => checkMuxer({ createStreamMuxer: () => muxer } as unknown as StreamMuxerFactory),
  },
  "malformed gossip frames": {
    library: "@libp2p/gossipsub",
    members: ["decodeRpc", "handleReceivedRpc", "handlePeerReadStreamError"],
    apply: (service) => reportMalformedFrames(service, () => undefined),
  },
  "answers of gossip": { library: "@libp2p/gossipsub", members: ["handleIWant", "sendRpc"], apply: splitAnswers },
  "verdicts of gossip": {
    library: "@libp2p/gossipsub",
    members: ["reportMessageValidationResult"],
    apply: (service) => withVerdicts(service as GossipSub),
  },
  "answers of discovery": {
    library: "@libp2p/kad-dht",
    members: ["network.sendRequest"],
    apply: (kad) => filterAnswers(kad, async () => []),
  },
  "buckets of discovery": {
    library: "@libp2p/kad-dht",
    members: ["routingTable.kb.root", "routingTable.remove", "routingTable.addEventListener"],
    apply: routingTableOf,
  },
};

/** An object with these members, and nothing else. */
function objectWith(members: readonly string[]): object {
  const target: Record<string, unknown> = {};
  for (const member of members) {
    const path = member.split(".");
    const last = path.pop()!;
    let parent = target;
    for (const name of path) parent = (parent[name] ??= {}) as Record<string, unknown>;
    parent[last] = last === "root" ? {} : () => undefined;
  }
  return target;
}

describe("patches of libraries", () => {
  for (const [name, { library, members, apply }] of Object.entries(PATCHES)) {
    it(`${name}: accept an object with all members`, () => apply(objectWith(members)));

    for (const missing of members) {
      it(`${name}: report that ${missing} is missing`, () => {
        const target = objectWith(members.filter((member) => member !== missing));
        assert.throws(
          () => apply(target),
          (error) => {
            assert.ok(error instanceof NetworkingError && error.details.code === "LIBRARY_CHANGED");
            const { expected, found, ...details } = error.details;
            assert.deepEqual(details, {
              code: "LIBRARY_CHANGED",
              library,
              version: pinned[library],
              member: missing,
            });
            assert.ok(expected !== found && found === "undefined");
            return true;
          },
        );
      });
    }
  }

  it("counting of streams and pings: the installed muxer has the members", () => checkMuxer());
});
