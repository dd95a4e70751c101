import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { withFolder } from "@cambium/test-utils/node-cli";
import { type LocalChain, StartedChain } from "../../bench/local/started-chain.js";

const TOOLS = new URL("../", import.meta.url);
const NODE_CLI = fileURLToPath(new URL("../../bin/node-cli", TOOLS));

/** Page of a development environment. */
export const REMIX = "https://remix.ethereum.org";

/**
 * Development chains with their default settings, except for 20 accounts with the same keys. Remix may send requests.
 */
export const CAMBIUM: LocalChain = {
  name: "Cambium",
  command: process.execPath,
  args: (_folder, port) => {
    return [NODE_CLI, "dev", "--quiet", "--accounts", "20", "--http.port", `${port}`, "--http.cors", REMIX];
  },
};
const ANVIL: LocalChain = {
  name: "Anvil",
  command: toolPath("anvil"),
  args: (_folder, port) => ["--silent", "--accounts", "20", "--port", `${port}`],
};
const HARDHAT: LocalChain = {
  name: "Hardhat",
  command: toolPath("hardhat"),
  args: (_folder, port) => ["--config", "bench.config.cjs", "node", "--hostname", "127.0.0.1", "--port", `${port}`],
  cwd: fileURLToPath(new URL("hardhat/", TOOLS)),
};

/** This node, and the other installed programs. */
export const SUITE_CHAINS: readonly LocalChain[] = [
  CAMBIUM,
  ...[ANVIL, HARDHAT].filter(({ command }) => existsSync(command)),
];

export function toolPath(name: string): string {
  return fileURLToPath(new URL(`node_modules/.bin/${name}`, TOOLS));
}

/** Starts a fresh chain for `use`, on a free port unless one is set. */
export async function withChain<T>(chain: LocalChain, use: (url: string) => Promise<T>, port?: number): Promise<T> {
  return withFolder(async (folder) => {
    const started = await StartedChain.start(chain, folder, port ?? (await freePort()));
    try {
      return await use(started.url.href.replace(/\/$/, ""));
    } finally {
      await started.stop();
    }
  });
}

export function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.on("error", reject).listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" ? address!.port : 0));
    });
  });
}
