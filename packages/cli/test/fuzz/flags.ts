import assert from "node:assert/strict";
import { local, main } from "@cambium/config";
import { type FuzzTarget, fileOf, textOf, texts } from "@cambium/test-utils/fuzz-target";
import { Command, CommanderError } from "commander";
import { CliError, explainCliError } from "../../src/errors.js";
import { addFlags, commandValues } from "../../src/flags/command-flags.js";
import { miningAndWallet } from "../../src/mining-options.js";
import { peerOptions } from "../../src/peer-options.js";
import { rpcConfig } from "../../src/rpc-options.js";
import { START_FLAGS, type StartOptions } from "../../src/start-flags.js";

/** Flags that do not name files to read. */
const { network: _network, "rpc.config": _config, "rpc.keys": _keys, ...FLAGS } = START_FLAGS;

const HASH = "ab".repeat(32);
const PEER = "16Uiu2HAmSHDcvFHyaVeyGcYP6gDpMhqWs5w3ENeKDq8JfY6xHsyM";

function startCommand(): Command {
  const silent = { writeOut: () => undefined, writeErr: () => undefined };
  return addFlags(new Command("start"), FLAGS).exitOverride().configureOutput(silent);
}

/** The flags of a command line. */
function parse(words: readonly string[]): StartOptions {
  const values = commandValues(startCommand().parse(words, { from: "user" }), FLAGS);
  return { ...values, network: "local", "rpc.config": undefined, "rpc.keys": undefined };
}

/** Rethrows an error that is not shown to the user as one line. */
function assertExplained(error: unknown): void {
  if (error instanceof CommanderError) return;
  if (!(error instanceof CliError)) throw error;
  assert(explainCliError(error).length > 0);
}

export const targets: Readonly<Record<string, FuzzTarget>> = {
  /** The flags of `start`, one on each line. */
  flags: {
    seeds: () =>
      texts(
        "--http.port=0\n--http.hosts=a b\n--http.cors=https://dapp.example *\n--rpc.limit=5\n--rpc.modules=debug,sco",
        `--miner.server\n--miner.address=0x${"11".repeat(20)}\n--miner.min-gas-price=1000\n--miner.gas-limit=7000000\n--mine.interval=500\n--wallet`,
        `--p2p.bootnodes=/ip4/192.0.2.1/tcp/1/p2p/${PEER} [2001:db8::1]:5050\n--p2p.wires=libp2p,rlpx\n--p2p.max-peers=9`,
        `--sync.mode=snapshot\n--sync.checkpoint=1000:0x${HASH}\n--p2p.banned=192.0.2.0/24 ${PEER}\n--no-p2p`,
      ),
    words: startCommand().options.map(({ long }) => `${long}=`),
    async run(input) {
      try {
        const flags = parse(textOf(input).split("\n"));
        const { http, ws, rateLimit } = await rpcConfig(flags);
        for (const network of [local, main]) {
          miningAndWallet(flags, network);
          const { rlpx, limits } = peerOptions(flags, network) ?? {};
          const ports = [http.port, ws.port, rlpx?.port ?? 0, ...(rlpx?.bootNodes ?? []).map(({ port }) => port)];
          const counts = [...ports, rateLimit.requests, ...Object.values(limits ?? {})];
          assert(counts.every((count) => Number.isSafeInteger(count) && count >= 0));
          assert(ports.every((port) => port <= 65_535));
        }
      } catch (error) {
        assertExplained(error);
      }
    },
  },
  "api-keys": {
    seeds: () => texts("key1\nkey2\n", " \n"),
    async run(input) {
      const flags = { ...parse([]), "rpc.keys": fileOf(input, "keys.txt") };
      try {
        const { keys } = (await rpcConfig(flags)).auth;
        assert(keys.length > 0 && keys.every((key) => /^\S+$/.test(key)));
      } catch (error) {
        assertExplained(error);
      }
    },
  },
};
