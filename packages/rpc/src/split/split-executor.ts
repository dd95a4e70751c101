import type { ChainReader } from "@cambium/chain";
import { equalBytes } from "@cambium/primitives";
import type { RpcConfig } from "../config.js";
import type { HeavyExecutor } from "../heavy/heavy-executor.js";
import type { HeavyTaskName, HeavyTasks } from "../heavy/tasks.js";
import { Deadline } from "../limits.js";
import { presenceBy } from "../requests/client.js";
import { JsonText } from "../requests/json-text.js";
import { PIECES, SEARCHES } from "./measurements.js";
import { cut, type Piece, type PieceResult, readPiece, type WideSearch } from "./piece.js";
import { pieceToText } from "./piece-text.js";

/** Another node that searches pieces. */
export interface PieceServer {
  /**
   * The text of a piece's result; undefined if it exceeds a limit, or has more than `maxBytes`. Rejects when the node fails or refuses, or does not answer in `timeout` milliseconds, and
   * when the signal aborts, which also ends the search there.
   */
  search(piece: string, timeout: number, maxBytes: number, signal: AbortSignal): Promise<string | undefined>;
}

/** The other nodes that search pieces. */
export interface PieceServers {
  /** Those that have about reached a block and know all from `from` on, the least busy first. */
  find(head: number, from: number): Promise<readonly PieceServer[]>;
}

/** Traces of a block take a hundred times as long as looking for its logs. */
const BLOCKS_PER_TRACED_BLOCK = 100;
/** Pieces for each node that takes part: those that are done first take more of them. */
const PIECES_PER_NODE = 4;
const MAX_NODES = 16;
/** Searches that are cut at a time; further ones are not. */
const MAX_SEARCHES = 8;
/** Nodes that may fail at a piece; then it is searched here. */
const MAX_FAILURES = 2;
/** Searches that begin again after a reorganisation. */
const MAX_ATTEMPTS = 3;
/** Bytes of all results if the configuration sets no limit. */
const MAX_BYTES = 67_108_864;
/** Milliseconds for a piece of a search without a time limit. */
const MAX_TIME = 600_000;

/** Why the pieces are no answer: the search is then made here as a whole, with the errors of a single node. */
class NoAnswer extends Error {}

/**
 * Cuts wide searches for logs and traces into pieces, which other nodes search beside this one. The answer is that of a single node, to the byte.
 * Whatever goes wrong with the pieces, and whenever a limit is exceeded, the search is made here as a whole.
 */
export class SplitExecutor implements HeavyExecutor {
  private searches = 0;

  constructor(
    private readonly here: HeavyExecutor,
    private readonly chain: ChainReader,
    private readonly config: RpcConfig,
    private readonly servers: PieceServers,
    /** Blocks from which on a search for logs is cut; a hundredth of it for traces. */
    private readonly threshold: number,
  ) {}

  async run<Name extends HeavyTaskName>(name: Name, request: HeavyTasks[Name], deadline: Deadline): Promise<unknown> {
    const search = this.searches < MAX_SEARCHES ? this.wideSearch(name, request) : undefined;
    const answer = search && (await this.inPieces(search, deadline));
    if (search !== undefined) SEARCHES[answer === undefined ? "whole" : "pieces"].add();
    return answer ?? this.here.run(name, request, deadline);
  }

  close(): Promise<void> {
    return this.here.close();
  }

  private wideSearch(name: HeavyTaskName, request: HeavyTasks[HeavyTaskName]): WideSearch | undefined {
    if (name === "logs") {
      const { blocks, match } = request as HeavyTasks["logs"];
      if (blocks instanceof Uint8Array || blocks.to - blocks.from + 1 < this.threshold) return undefined;
      const tip = this.chain.hashByNumber(blocks.to);
      return tip && { kind: "logs", request: { blocks, match }, tip };
    }
    if (name !== "traceFilter") return undefined;
    const filter = request as HeavyTasks["traceFilter"];
    const last = this.chain.headerByHash(filter.lastHash)?.number;
    if (last === undefined) return undefined;
    const blocks = last - filter.fromBlock + 1;
    return blocks * BLOCKS_PER_TRACED_BLOCK < this.threshold ? undefined : { kind: "traces", request: filter, last };
  }

  /** The answer from pieces; undefined if they give none. Rejects if the deadline passes. */
  private async inPieces(search: WideSearch, deadline: Deadline): Promise<JsonText | undefined> {
    this.searches++;
    try {
      for (let attempt = 0, current = search; attempt < MAX_ATTEMPTS; attempt++) {
        const answer = await this.attempt(current, deadline);
        const again = this.afterReorganisation(current);
        if (again === undefined) return answer;
        current = again;
      }
    } catch (error) {
      deadline.check();
      if (!(error instanceof NoAnswer)) throw error;
    } finally {
      this.searches--;
    }
    return undefined;
  }

  /** The search on the present best chain, if it differs in the range. Traces are those of the blocks that were asked for. */
  private afterReorganisation(search: WideSearch): WideSearch | undefined {
    if (search.kind === "traces") return undefined;
    const tip = this.chain.hashByNumber(search.request.blocks.to);
    if (tip === undefined) throw new NoAnswer("the chain is shorter now");
    return equalBytes(tip, search.tip) ? undefined : { ...search, tip };
  }

  private async attempt(search: WideSearch, deadline: Deadline): Promise<JsonText | undefined> {
    const [first, last] =
      search.kind === "logs"
        ? [search.request.blocks.from, search.request.blocks.to]
        : [search.request.fromBlock, search.last];
    const servers = (await this.servers.find(last, first)).slice(0, MAX_NODES - 1);
    if (servers.length === 0) throw new NoAnswer("no other node");
    const ancestors = search.kind === "traces" ? this.chain.ancestors(search.request.lastHash) : undefined;
    const pieces = cut(search, (servers.length + 1) * PIECES_PER_NODE, (number) => ancestors?.hash(number));
    if (pieces.length < 2) throw new NoAnswer("nothing to cut");
    const over = new AbortController();
    const stopWatching = deadline.onPassed(() => over.abort());
    try {
      const work = new PieceWork(pieces, new Merge(search, pieces.length, this.config), over);
      const time = Math.min(Math.max(deadline.remaining, 1), MAX_TIME);
      const searchHere = async ({ task, request }: Piece) => {
        const own = Deadline.after(time, presenceBy(over.signal), deadline.client);
        const result = await this.here.run(task, request as never, own);
        return result instanceof JsonText ? result.text : JSON.stringify(result);
      };
      for (const server of servers) {
        void work.takePart("elsewhere", (piece) => server.search(pieceToText(piece), time, work.room, over.signal));
      }
      void work.takePart("here", searchHere);
      await work.done;
      deadline.check();
      return work.answer();
    } finally {
      stopWatching();
      over.abort();
    }
  }
}

/** The pieces of a search, and the nodes that take part. */
class PieceWork {
  /** Resolves when there is an answer, and rejects with {@link NoAnswer} when there will be none. */
  readonly done: Promise<void>;
  private readonly waiting: { index: number; failures: number }[];
  private end!: () => void;
  private giveUp!: (error: Error) => void;
  private arrival: (() => void)[] = [];
  private isOver = false;

  constructor(
    private readonly pieces: readonly Piece[],
    private readonly merge: Merge,
    over: AbortController,
  ) {
    this.waiting = pieces.map((_, index) => ({ index, failures: 0 }));
    this.done = new Promise((resolve, reject) => {
      this.end = resolve;
      this.giveUp = reject;
    });
    this.done.catch(() => undefined);
    over.signal.addEventListener("abort", () => this.finish(new NoAnswer("the search was given up")), { once: true });
  }

  /** Bytes that further results may have. */
  get room(): number {
    return this.merge.room;
  }

  answer(): JsonText {
    return this.merge.answer();
  }

  /** Searches one piece after the other, until all are done or, elsewhere, one fails. Never rejects. */
  async takePart(place: "here" | "elsewhere", search: (piece: Piece) => Promise<string | undefined>): Promise<void> {
    for (;;) {
      const taken = await this.take(place);
      if (taken === undefined) return;
      try {
        const text = await search(this.pieces[taken.index]!);
        if (this.isOver) return;
        PIECES[place].add();
        if (text === undefined) throw new NoAnswer("a piece exceeds a limit");
        if (this.merge.add(taken.index, readPiece(text))) this.finish();
      } catch (error) {
        if (this.isOver) return;
        PIECES.failed.add();
        if (place === "here" || error instanceof NoAnswer) {
          this.finish(new NoAnswer("a piece has an error", { cause: error }));
          return;
        }
        this.waiting.unshift({ ...taken, failures: taken.failures + 1 });
        for (const wake of this.arrival.splice(0)) wake();
        return;
      }
    }
  }

  /** The next piece, once there is one; undefined when the search is over. */
  private async take(place: "here" | "elsewhere"): Promise<{ index: number; failures: number } | undefined> {
    while (!this.isOver) {
      const next = this.waiting.findIndex(({ failures }) => place === "here" || failures < MAX_FAILURES);
      if (next >= 0) return this.waiting.splice(next, 1)[0];
      await new Promise<void>((resolve) => this.arrival.push(resolve));
    }
    return undefined;
  }

  private finish(error?: Error): void {
    if (this.isOver) return;
    this.isOver = true;
    if (error === undefined) this.end();
    else this.giveUp(error);
    for (const wake of this.arrival.splice(0)) wake();
  }
}

/** Puts results together in the order of the blocks, within the limits of a single node. */
class Merge {
  /** Results that wait for those before them. */
  private readonly results: (PieceResult | undefined)[];
  /** Number of results from the first piece on without a gap, and their sums. */
  private complete = 0;
  private count = 0;
  private bytes = 0;
  private received = 0;
  private readonly limit: number;

  constructor(
    private readonly search: WideSearch,
    pieces: number,
    private readonly config: RpcConfig,
  ) {
    this.results = Array.from({ length: pieces }, () => undefined);
    this.limit = config.maxResponseSize > 0 ? config.maxResponseSize : MAX_BYTES;
  }

  get room(): number {
    return this.limit - this.received;
  }

  /** Whether no further result is needed. Throws {@link NoAnswer} if a limit is exceeded. */
  add(index: number, result: PieceResult): boolean {
    this.results[index] = result;
    this.received += result.items.length;
    if (this.received > this.limit) throw new NoAnswer("too many bytes");
    for (let next = this.results[this.complete]; next !== undefined; next = this.results[this.complete]) {
      this.complete++;
      this.count += next.count;
      this.bytes += next.bytes;
      this.check();
      if (this.search.kind === "traces" && this.count >= this.search.request.after + this.search.request.count)
        return true;
    }
    return this.complete === this.results.length;
  }

  answer(): JsonText {
    const items = this.results.slice(0, this.complete).flatMap((result) => result!.items || []);
    const text = `[${items.join(",")}]`;
    if (text.length > this.limit) throw new NoAnswer("too many bytes");
    if (this.search.kind === "logs") return new JsonText(text);
    const { after, count } = this.search.request;
    if (after === 0 && this.count <= count) return new JsonText(text);
    return new JsonText(JSON.stringify((JSON.parse(text) as unknown[]).slice(after, after + count)));
  }

  private check(): void {
    if (this.bytes > this.limit) throw new NoAnswer("too many bytes");
    if (this.search.kind === "traces") return;
    const { from, to } = this.search.request.blocks;
    const { maxLogs, unlimitedRange } = this.config.logs;
    if (to - from > unlimitedRange && this.count > maxLogs) throw new NoAnswer("too many logs");
  }
}
