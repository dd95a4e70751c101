import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runIn } from "../tours/commands.js";
import { mochaReport } from "./hardhat-2.js";
import type { Suite } from "./suite.js";

const CONFIG = fileURLToPath(new URL("openzeppelin/hardhat.config.cjs", import.meta.url));
const { version: SOLC } = createRequire(import.meta.url)("solc/package.json");

/** Folder of a clone with its packages installed. */
const clone = process.env.OPENZEPPELIN_CONTRACTS;
const environment = { EVM: "cancun", COMPILER: SOLC, HARDHAT_DISABLE_TELEMETRY_PROMPT: "true" };
const hardhat = (...args: string[]) => [join(clone!, "node_modules/.bin/hardhat"), "--config", CONFIG, ...args];

let compiled: Promise<unknown> | undefined;

/** Gas limit that any block of this chain has for one transaction. */
const GAS = "6800000";

interface FolderOptions {
  /**
   * Whether transactions have a fixed gas limit, as on the network within Hardhat, because estimates are outdated when
   * they are mined.
   */
  isGasFixed?: boolean;
  /** Pattern of paths in the folder that are left out. docs/client-tools.md has the reasons. */
  without?: RegExp;
  /** Whether the tests run only on this chain: on others they may never end. */
  isOwnOnly?: boolean;
}

function suite(folder: string, { isGasFixed = false, without, isOwnOnly = false }: FolderOptions = {}): Suite {
  const isMissing = clone === undefined || !existsSync(join(clone, "node_modules/.bin/hardhat"));
  return {
    name: `OpenZeppelin ${folder}`,
    missing: isMissing ? "a clone with its packages (OPENZEPPELIN_CONTRACTS)" : undefined,
    chains: isOwnOnly ? ["Cambium"] : ["Cambium", "Anvil"],
    async run(url) {
      await (compiled ??= runIn(clone!, hardhat("compile"), environment));
      const tests = join("test", folder);
      const names = readdirSync(join(clone!, tests), { recursive: true, encoding: "utf8" });
      const files = names
        .filter((name) => name.endsWith(".test.js") && without?.test(name) !== true)
        .map((name) => join(tests, name));
      const command = hardhat("test", "--network", "localhost", "--no-compile", ...files.toSorted());
      return mochaReport(clone!, command, { ...environment, NODE_URL: url, GAS: isGasFixed ? GAS : "" });
    },
  };
}

/** The tests of OpenZeppelin Contracts, from a clone of version 5.7.0. */
export const OPENZEPPELIN_SUITES: readonly Suite[] = [
  suite("access"),
  suite("account", { isGasFixed: true, without: /EIP7702/, isOwnOnly: true }),
  suite("crosschain", { isOwnOnly: true }),
  suite("finance"),
  suite("governance", { isGasFixed: true, isOwnOnly: true }),
  suite("metatx", { isOwnOnly: true }),
  suite("proxy", { isGasFixed: true, without: /^transparent/, isOwnOnly: true }),
  suite("token/ERC20"),
  suite("token/ERC721"),
  suite("token/ERC1155"),
  suite("token/ERC6909", { isOwnOnly: true }),
  suite("utils", { without: /BlockHeader|P256|TrieProof/, isOwnOnly: true }),
];
