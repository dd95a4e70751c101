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

function suite(folder: string): Suite {
  const isMissing = clone === undefined || !existsSync(join(clone, "node_modules/.bin/hardhat"));
  return {
    name: `OpenZeppelin ${folder}`,
    missing: isMissing ? "a clone with its packages (OPENZEPPELIN_CONTRACTS)" : undefined,
    chains: ["Cambium", "Anvil"],
    async run(url) {
      await (compiled ??= runIn(clone!, hardhat("compile"), environment));
      const tests = join("test", folder);
      const names = readdirSync(join(clone!, tests), { recursive: true, encoding: "utf8" });
      const files = names.filter((name) => name.endsWith(".test.js")).map((name) => join(tests, name));
      const command = hardhat("test", "--network", "localhost", "--no-compile", ...files.toSorted());
      return mochaReport(clone!, command, { ...environment, NODE_URL: url });
    },
  };
}

/** The tests of OpenZeppelin Contracts, from a clone of version 5.7.0. */
export const OPENZEPPELIN_SUITES: readonly Suite[] = [
  suite("access"),
  suite("finance"),
  suite("token/ERC20"),
  suite("token/ERC721"),
  suite("token/ERC1155"),
  suite("utils/structs"),
];
