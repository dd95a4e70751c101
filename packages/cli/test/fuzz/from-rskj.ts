import assert from "node:assert/strict";
import { decoding, type FuzzTarget, fileOf, textOf, texts } from "@cambium/test-utils/fuzz-target";
import { CliError } from "../../src/errors.js";
import { convert } from "../../src/from-rskj/convert.js";
import { parseHocon } from "../../src/from-rskj/hocon.js";
import { CONVERTED } from "../../src/from-rskj/settings.js";
import { readRpcConfig } from "../../src/rpc-config-file.js";
import { allSettings } from "../../src/settings/apply-settings.js";
import { readSettings } from "../../src/settings/settings-file.js";

const SETTINGS = allSettings();
const NODE = `nodeId = ${"ab".repeat(64)}`;

export const targets: Readonly<Record<string, FuzzTarget>> = {
  /** Converts files; the output must be a file that a node reads, and its text must lose nothing. */
  "from-rskj": decoding({
    seeds: () =>
      texts(
        'blockchain.config.name = "testnet"\npeer { port = 1, discovery.ip.list = ["a:1"], bannedPeerIPs = [192.0.2.1/24] } # x',
        `peer.active = [ { ip = a, port = 1, ${NODE} } ] // x\npeer.trusted : [{${NODE}}]\nbind_address = "::1"`,
        'rpc { timeout = 1, modules { eth { enabled: "true", methods { disabled: [eth_call], timeout.call = 2 } } } }',
        "rpc.modules = [ { name: rsk, enabled: no, methods: { enabled: [rsk_flush] } } ]\nrpc.logs.maxBlocksToQuery = 1",
        'miner { client { enabled = yes, delayBetweenBlocks = 1 second } }\n"a.b\\u0000" = null\ncache.x = ""',
      ),
    words: [...Object.keys(CONVERTED), "${", "include ", "+=", '"""', "__proto__", "enabled", "methods"],
    decode: (input) => convert(parseHocon("rsk.conf", textOf(input))),
    refusals: [CliError],
    check(conversion) {
      const toml = conversion.toml();
      assert.equal(
        readSettings(fileOf(new TextEncoder().encode(toml), "node.toml"), SETTINGS).length,
        conversion.settings.size,
      );
      readRpcConfig(fileOf(new TextEncoder().encode(JSON.stringify(conversion.rpc)), "rpc.json"));
    },
  }),
};
