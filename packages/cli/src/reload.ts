import { statSync } from "node:fs";
import { type ReloadedConfig, RpcError } from "@cambium/api";
import type { Node } from "@cambium/node";
import type { NodeChanges, NodeOptions } from "@cambium/node/options";
import { Command } from "commander";
import type { Logger } from "pino";
import { CliError, unmet } from "./errors.js";
import { explain } from "./explain.js";
import { addFlags, commandValues, givenOf, setGiven, sourceOf } from "./flags/command-flags.js";
import { LOG_FLAGS } from "./log/log-options.js";
import { readText, requireNoPipe } from "./options.js";
import { allSettings, applySettings, originsOf } from "./settings/apply-settings.js";
import { checkPeers, readStartOptions, START_FLAGS } from "./start-flags.js";

/** Returns the changes to a running node for a setting that differs; undefined if it must be restarted. */
type Changes = (now: Changeable, start: Changeable, command: Command) => NodeChanges | undefined;

/** Options that can partly change. */
type Changeable = Pick<NodeOptions, "rpc" | "peers" | "mining" | "metrics">;

/** The settings that can change while a node runs, by their keys in a file. */
const LIVE: Readonly<Record<string, Changes>> = {
  "log.level": (_now, _start, command) => ({ logLevels: commandValues(command, LOG_FLAGS)["log.level"].join(",") }),
  "rpc.limit": ({ rpc }) => ({ rateLimit: rpc.rateLimit.requests }),
  // Requiring keys or not decides which other parts are served, so this cannot change.
  "rpc.keys": ({ rpc }, start) =>
    rpc.auth.keys.length > 0 && start.rpc.auth.keys.length > 0 ? { apiKeys: rpc.auth.keys } : undefined,
  "p2p.trusted": ({ peers }, start) => (peers && start.peers ? { trustedPeers: peers.trustedPeers } : undefined),
  "p2p.nodes": ({ peers }, start) => (peers && start.peers ? { nodes: peers.rlpx.nodes } : undefined),
  "miner.min-gas-price": ({ mining }) => ({ minimumGasPrice: mining.minimumGasPrice }),
  "health.max-lag": ({ metrics }, start) => (metrics && start.metrics ? { maxLag: metrics.maxLag } : undefined),
};

/** Keys of the settings that can change while a node runs. */
export const LIVE_SETTINGS: readonly string[] = Object.keys(LIVE);

/** Settings whose value is a file; the content of the file counts. */
const FILES: readonly string[] = ["network", "rpc.keys", "rpc.config", "replicate.key-file"];

const NO_THROW = { throwIfNoEntry: false } as const;

/** The settings that a node runs with, for those that may change. */
export class RunningSettings {
  /** Undefined until the node has started, and once it stops. */
  node: Node | undefined;
  private readonly values: Map<string, string>;
  /** Resolves after the last requested reload. */
  private turn: Promise<unknown> = Promise.resolve();
  /** A reload that has not begun. */
  private next: Promise<ReloadedConfig> | undefined;

  constructor(
    /** Command and settings with which the node was started. */
    private readonly command: Command,
    private readonly start: Changeable,
    private readonly logger: Logger,
  ) {
    this.values = valuesOf(command);
  }

  /**
   * Reads the file of `--config` and the environment again, and applies the settings that can change while the node
   * runs. Reloads run one after the other; waiting calls share the next one. Rejects with `RpcError`
   * `CONFIGURATION_REFUSED` if there is a fault, and has changed nothing then.
   */
  reload(): Promise<ReloadedConfig> {
    this.next ??= this.turn.then(() => {
      this.next = undefined;
      return this.reloadNow();
    });
    this.turn = this.next.catch(() => undefined);
    return this.next;
  }

  private async reloadNow(): Promise<ReloadedConfig> {
    const command = addFlags(new Command(), START_FLAGS);
    try {
      this.runningNode();
      this.read(command);
      // Read this before the options: later changes belong to the next reload.
      const values = valuesOf(command);
      const { node } = await readStartOptions(commandValues(command, START_FLAGS));
      await checkPeers(node);
      const reloaded = this.apply(command, node, values);
      this.logger.info(describe(reloaded));
      return reloaded;
    } catch (error) {
      const { startError } = await import("./start-errors.js");
      const reason = await explain(startError(error), [], originsOf(command));
      this.logger.error(`Configuration refused, nothing is changed: ${reason}`);
      throw new RpcError({ code: "CONFIGURATION_REFUSED", text: reason }, { cause: error });
    }
  }

  /** Returns the running node. Throws {@link CliError} `START` if there is none. */
  private runningNode(): Node {
    if (this.node !== undefined) return this.node;
    throw new CliError({ code: "START", reason: "the node is starting, stopping, or stands by" });
  }

  /** Sets the original flags on a command; they override the present file and environment. */
  private read(fresh: Command): void {
    const { command } = this;
    const file = givenOf(command, "config");
    if (typeof file === "string") requireNoPipe(file);
    applySettings(fresh, typeof file === "string" ? ["--config", file] : []);
    for (const name of Object.keys(START_FLAGS)) {
      if (sourceOf(command, name) === "cli") setGiven(fresh, name, givenOf(command, name), "cli");
    }
    for (const { key, name } of allSettings()) {
      const value = givenOf(fresh, name);
      if (FILES.includes(key) && typeof value === "string") requireNoPipe(value);
    }
    if (givenOf(fresh, "network") === undefined) throw unmet("start", "a network: network, in the file");
  }

  private apply(command: Command, now: Changeable, values: ReadonlyMap<string, string>): ReloadedConfig {
    const node = this.runningNode();
    const changed = [...values.keys()].filter((key) => values.get(key) !== this.values.get(key));
    const changes = new Map<string, NodeChanges>();
    for (const key of changed) {
      const own = LIVE[key]?.(now, this.start, command);
      if (own !== undefined) changes.set(key, own);
    }
    if (changes.size > 0) {
      const merged: NodeChanges = {};
      for (const own of changes.values()) Object.assign(merged, own);
      node.change(merged);
    }
    for (const key of changes.keys()) this.values.set(key, values.get(key)!);
    return { applied: [...changes.keys()], needRestart: changed.filter((key) => !changes.has(key)) };
  }
}

/**
 * Returns the value of each setting as text, by its key, and the content of its file, unless that is a pipe of the
 * shell. Throws {@link CliError} `FILE_UNREADABLE`.
 */
function valuesOf(command: Command): Map<string, string> {
  return new Map(
    allSettings().map(({ key, name }) => {
      const value = givenOf(command, name);
      const isFile = FILES.includes(key) && typeof value === "string" && statSync(value, NO_THROW)?.isFile() === true;
      return [key, JSON.stringify([value, isFile ? readText(value) : undefined])];
    }),
  );
}

function describe({ applied, needRestart }: ReloadedConfig): string {
  const parts = [
    ...(applied.length > 0 ? [`applied ${applied.join(", ")}`] : []),
    ...(needRestart.length > 0 ? [`start the node again for ${needRestart.join(", ")}`] : []),
  ];
  return `Configuration read again: ${parts.join("; ") || "no setting has changed"}`;
}
