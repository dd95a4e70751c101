import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type CoinbaseParts,
  coinbaseParts,
  encodeTemplateBlock,
  joinCoinbase,
  parentHeaderWork,
  type TagPlace,
  type TemplateBlock,
  templateBlock,
} from "@cambium/merged-mining";
import { type SubmissionMethod, searchNonce } from "@cambium/miner/client";
import { fromHex, fromQuantity, pause } from "@cambium/primitives";
import { CliError } from "../errors.js";
import type { MiningClient, WorkAnswer } from "./mining-client.js";
import type { ParentNode, ParentTemplate } from "./parent-node.js";

/**
 * Milliseconds between two requests for work to a node that does not support waiting, and between attempts to reach a
 * node that does not answer.
 */
const WORK_INTERVAL = 100;
const RETRY_INTERVAL = 1_000;
/** Solutions for each chain that are kept while its node is away. */
const MAX_UNDELIVERED = 10;
/** Different reasons that are counted apart for each chain. */
const MAX_REASONS = 20;
/** Answers of `submitblock` that mean: valid, but another block came first (BIP-22). */
const PARENT_STALE = /^(inconclusive|duplicate|stale)/;
/** The node no longer has the template, or never had it. */
const WORK_UNKNOWN = /could not find hash/;
/** Hashes, which differ in each text. */
const HASHES = /\b(0x)?[0-9a-f]{16,}\b/g;

/** Counts of the solutions for one chain, by their outcome. */
export interface ChainTally {
  height: number | undefined;
  accepted: number;
  /** Valid, but another block came first. */
  stale: number;
  refused: number;
  /** Reasons for which solutions were refused or stale, and how often. */
  readonly reasons: Map<string, number>;
  /** Why the node cannot be reached. */
  away: string | undefined;
  /** Latest submissions that did not reach the node. */
  readonly undelivered: (() => Promise<void>)[];
}

export interface MiningTally {
  readonly parent: ChainTally;
  readonly child: ChainTally;
  hashes: number;
  /** `performance.now()` when the current work arrived. */
  workSince: number | undefined;
}

export interface MergedMinerOptions {
  parent: ParentNode;
  child: MiningClient;
  payoutScript: Uint8Array;
  tagPlace: TagPlace;
  method: SubmissionMethod;
  /** Number of solutions for the child to submit. */
  count: number;
  /** Milliseconds between two solutions. */
  interval: number;
  /** Called with a line for each event. */
  onEvent(text: string): void;
}

interface Job {
  template: ParentTemplate;
  work: WorkAnswer;
  parts: CoinbaseParts;
}

/**
 * Mines a parent chain and this chain together, as a pool does. The block of a parent node's template carries the tag
 * of a node's work, and each solution is submitted to the chains whose targets it meets. New work or a new template
 * ends the search. An unreachable node is called again while the search continues with its latest work. It gets the
 * latest solutions when it is reachable again.
 */
export class MergedMiner {
  readonly tally: MiningTally = { parent: emptyTally(), child: emptyTally(), hashes: 0, workSince: undefined };
  private template!: ParentTemplate;
  private work!: WorkAnswer;
  private changed = new AbortController();

  constructor(private readonly options: MergedMinerOptions) {}

  /**
   * Runs until the given number of solutions is found, or `signal` aborts. Rejects with {@link CliError} `RPC` if a
   * node has no work at the start.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { parent, child, count, interval } = this.options;
    this.take(await parent.template());
    await this.takeWork(await child.getWork());
    const ending = new AbortController();
    const ended = AbortSignal.any([signal, ending.signal]);
    const following = [this.followParent(ended), this.followWork(ended)];
    try {
      for (let solutions = 0; solutions < count && !signal.aborted; ) {
        if (solutions > 0) await sleep(interval, undefined, { signal });
        if (await this.mine(signal)) solutions++;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      ending.abort();
      await Promise.all(following);
    }
  }

  /** Searches one solution. Returns whether it was submitted to the child. */
  private async mine(signal: AbortSignal): Promise<boolean> {
    const job = this.job();
    const { template, work } = job;
    const targets = { parent: BigInt(`0x${template.target}`), child: fromQuantity(work.target) };
    const easier = targets.parent > targets.child ? targets.parent : targets.child;
    const coinbase = joinCoinbase(job.parts, randomBytes(job.parts.extraNonceBytes));
    const block = templateBlock(template, coinbase);
    const { changed } = this;
    const ended = AbortSignal.any([signal, changed.signal]);
    const before = this.tally.hashes;
    const header = await searchNonce(block.header, easier, ended, (attempts) => {
      this.tally.hashes = before + attempts;
    }).catch((error: unknown) => {
      if (changed.signal.aborted && !signal.aborted) return undefined;
      throw error;
    });
    if (header === undefined) return false;
    this.tally.hashes = before + new DataView(header.buffer).getUint32(76, true) + 1;
    const solved = { ...block, header };
    const hash = parentHeaderWork(header);
    const isForChild = hash <= targets.child;
    await Promise.all([
      isForChild && this.submitToChild(solved),
      hash <= targets.parent && this.submitToParent(template, solved),
    ]);
    return isForChild;
  }

  private job(): Job {
    const { template, work } = this;
    const { payoutScript, tagPlace } = this.options;
    const hashForMergedMining = fromHex(work.blockHashForMergedMining);
    return { template, work, parts: coinbaseParts(template, { hashForMergedMining, payoutScript, tagPlace }) };
  }

  private async submitToChild(block: TemplateBlock): Promise<void> {
    const { child, method, onEvent } = this.options;
    const { child: tally } = this.tally;
    await this.deliver(tally, "this chain", async () => {
      const answer = await child.submit(method, block);
      if (answer.kind === "accepted") {
        const { importResult, blockNumber, blockHash } = answer;
        if (importResult === "IMPORTED_BEST") tally.accepted++;
        else count(tally, importResult === "IMPORTED_NOT_BEST" ? "stale" : "refused", importResult);
        onEvent(`this chain: ${importResult} block ${blockNumber} ${blockHash}`);
      } else {
        count(tally, WORK_UNKNOWN.test(answer.message) ? "stale" : "refused", answer.message);
        onEvent(`this chain: rejected (${answer.code}): ${answer.message}`);
      }
      await this.takeWork(await child.getWork());
    });
  }

  private async submitToParent(template: ParentTemplate, block: TemplateBlock): Promise<void> {
    const { parent, onEvent } = this.options;
    const { parent: tally } = this.tally;
    await this.deliver(tally, "parent", async () => {
      const reason = await parent.submit(encodeTemplateBlock(template, block));
      if (reason === undefined) tally.accepted++;
      else count(tally, PARENT_STALE.test(reason) ? "stale" : "refused", reason);
      const outcome = reason === undefined ? "accepted" : PARENT_STALE.test(reason) ? "stale" : "refused";
      onEvent(`parent: ${outcome} block ${template.height}${reason === undefined ? "" : `: ${reason}`}`);
      this.take(await parent.template());
    });
  }

  private async followParent(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const asked = this.template.longpollid;
      const reached = await this.reaching(
        this.tally.parent,
        "parent",
        async () => {
          const template = await this.options.parent.template(asked, signal);
          // A submission may have brought a newer template in the meantime.
          if (this.template.longpollid === asked) this.take(template);
        },
        signal,
      );
      if (reached) await this.deliverAgain(this.tally.parent, "parent");
      // A node without long polling answers immediately.
      if (!reached || asked === undefined) await pause(RETRY_INTERVAL, signal);
    }
  }

  private async followWork(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const known = this.work.blockHashForMergedMining;
      const wait = this.options.child.getWork(known, signal);
      const reached = await this.reaching(
        this.tally.child,
        "this chain",
        async () => this.takeWork(await wait),
        signal,
      );
      if (reached) await this.deliverAgain(this.tally.child, "this chain");
      const isNew = this.work.blockHashForMergedMining !== known;
      if (!isNew) await pause(reached ? WORK_INTERVAL : RETRY_INTERVAL, signal);
    }
  }

  private take(template: ParentTemplate): void {
    this.tally.parent.height = template.height - 1;
    this.template = template;
    this.restart();
  }

  private async takeWork(work: WorkAnswer): Promise<void> {
    const { work: current } = this;
    if (work.blockHashForMergedMining === current?.blockHashForMergedMining) return;
    this.work = work;
    this.tally.workSince = performance.now();
    this.restart();
    if (work.parentBlockHash !== current?.parentBlockHash) this.tally.child.height = await this.options.child.height();
  }

  private restart(): void {
    this.changed.abort();
    this.changed = new AbortController();
  }

  /** Submits a solution, now or when the node is back. */
  private async deliver(tally: ChainTally, name: string, submit: () => Promise<void>): Promise<void> {
    if (await this.reaching(tally, name, submit)) return;
    tally.undelivered.push(submit);
    if (tally.undelivered.length > MAX_UNDELIVERED) tally.undelivered.shift();
  }

  private async deliverAgain(tally: ChainTally, name: string): Promise<void> {
    for (const submit of tally.undelivered.splice(0)) await this.deliver(tally, name, submit);
  }

  /**
   * Runs `action`; notes when a node becomes unreachable, and when it is reachable again. Returns whether it was
   * reached.
   */
  private async reaching(
    tally: ChainTally,
    name: string,
    action: () => Promise<void>,
    signal?: AbortSignal,
  ): Promise<boolean> {
    try {
      await action();
      if (tally.away !== undefined) this.options.onEvent(`${name}: reached again`);
      tally.away = undefined;
      return true;
    } catch (error) {
      if (!(error instanceof CliError) || error.details.code !== "RPC") throw error;
      if (signal?.aborted) return false;
      const { reason } = error.details;
      if (tally.away === undefined) this.options.onEvent(`${name}: away, asking again: ${reason}`);
      tally.away = reason;
      return false;
    }
  }
}

function emptyTally(): ChainTally {
  return { height: undefined, accepted: 0, stale: 0, refused: 0, reasons: new Map(), away: undefined, undelivered: [] };
}

function count(tally: ChainTally, outcome: "stale" | "refused", text: string): void {
  tally[outcome]++;
  const reason = text.replaceAll(HASHES, "…");
  const name = tally.reasons.has(reason) || tally.reasons.size < MAX_REASONS ? reason : "other reasons";
  tally.reasons.set(name, (tally.reasons.get(name) ?? 0) + 1);
}
