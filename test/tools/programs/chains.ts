import { fileURLToPath } from "node:url";
import { DEVELOPERS } from "@cambium/test-utils/development-accounts";
import { HDNodeWallet, Mnemonic } from "ethers";
import type { LocalChain } from "../../bench/local/started-chain.js";
import { withChain } from "../suites/chains.js";

const NODE_CLI = fileURLToPath(new URL("../../../bin/node-cli", import.meta.url));
/** Configuration with long limits for a busy machine. */
const RPC_CONFIG = fileURLToPath(new URL("rpc.json", import.meta.url));
const NO_FLAGS = () => [];
const MNEMONIC = "test test test test test test test test test test test junk";

/** Facts about the chain for a program. */
export interface ProgramChain {
  url: string;
  /** Keys of funded accounts, which the node holds too. */
  keys: readonly string[];
}

interface Mode extends LocalChain {
  keys: readonly string[];
}

/** Options of a test. */
interface ProgramOptions {
  /** File of the nodes as on public networks, for `--rpc.config`. */
  rpcConfig?: string;
  /** Flags of every node, read when it starts. */
  flags?: () => readonly string[];
}

function local(mode: string, { rpcConfig = RPC_CONFIG, flags = NO_FLAGS }: ProgramOptions): Mode {
  return {
    name: mode,
    command: process.execPath,
    args: (folder, port) =>
      [NODE_CLI, "start", "--network", "local", "--mine", "--no-ws", "--data-dir", folder].concat(
        ["--http.port", `${port}`],
        ["--rpc.compatibility", mode, "--rpc.config", rpcConfig],
        flags(),
      ),
    keys: DEVELOPERS.map(({ privateKey }) => privateKey),
  };
}

function development({ flags = NO_FLAGS }: ProgramOptions): Mode {
  return {
    name: "development",
    command: process.execPath,
    args: (_folder, port) =>
      [NODE_CLI, "dev", "--quiet", "--mnemonic", MNEMONIC, "--http.port", `${port}`].concat(flags()),
    keys: [0, 1, 2, 3].map((i) => {
      return HDNodeWallet.fromMnemonic(Mnemonic.fromPhrase(MNEMONIC), `m/44'/60'/0'/0/${i}`).privateKey;
    }),
  };
}

/** Tests a program in each mode of JSON-RPC, on a fresh chain: one for development, and nodes as on public networks. */
export function inEachMode(
  title: string,
  visit: (chain: ProgramChain) => Promise<void>,
  options: ProgramOptions = {},
): void {
  for (const mode of [development(options), local("specification", options), local("deployed", options)]) {
    it(`${title} (${mode.name})`, () => withChain(mode, (url) => visit({ url, keys: mode.keys })));
  }
}
