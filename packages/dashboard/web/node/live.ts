import { call, callWithin, isMissing, NoConnection, rpcPath } from "./client.js";
import { Store } from "./store.js";
import type { Block, Connection, Quantity, Readiness } from "./types.js";

/** Facts about the node that every page needs, kept up to date. */
export interface LiveState extends Connection {
  /** Undefined until the node has answered. */
  height: number | undefined;
  /** The newest blocks of the best chain, the best one first. */
  blocks: readonly Block[];
  clientVersion: string;
  /** Names of the enabled modules. */
  modules: ReadonlySet<string>;
}

const RECENT = 60;
const POLL = 3_000;
/** Time limit for the answer that says whether the node is alive, in milliseconds. */
const PATIENCE = 10_000;
const RETRY = 10_000;
/** Milliseconds between two requests while blocks arrive faster than they are read. */
const BREATH = 1_000;

/** Follows the best chain: by a subscription, or by polling while there is no WebSocket. */
class Live extends Store<LiveState> {
  private socket: WebSocket | undefined;
  private refreshing: Promise<void> | undefined;
  private isStale = false;

  constructor() {
    super({
      transport: "connecting",
      height: undefined,
      blocks: [],
      chainId: undefined,
      readiness: undefined,
      problem: undefined,
      lastAnswer: undefined,
      clientVersion: "",
      modules: new Set(),
    });
  }

  start(): void {
    this.connect();
    void this.refresh();
    const poll = () => {
      if (document.hidden) return;
      void (this.state.transport === "websocket" ? this.check() : this.refresh());
    };
    setInterval(poll, POLL);
    document.addEventListener("visibilitychange", poll);
    setInterval(() => this.connect(), RETRY);
  }

  /** Requests the best block. */
  refresh(): Promise<void> {
    if (this.refreshing === undefined) {
      this.refreshing = this.read().finally(() => {
        this.refreshing = undefined;
        if (!this.isStale) return;
        this.isStale = false;
        setTimeout(() => void this.refresh(), BREATH);
      });
    } else {
      this.isStale = true;
    }
    return this.refreshing;
  }

  /** Requests the node's status, which also shows whether it answers. */
  private async check(): Promise<void> {
    try {
      await this.readReadiness();
    } catch (error) {
      this.fails(error as Error);
    }
  }

  private async readReadiness(): Promise<void> {
    const readiness = await callWithin<Readiness>(PATIENCE, "net_readiness").catch((error) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    this.update({ readiness, problem: undefined, lastAnswer: Date.now() });
  }

  private async read(): Promise<void> {
    try {
      await this.readReadiness();
      // Another node may answer at the same address.
      if (this.state.chainId === undefined || this.state.transport === "offline") await this.identify();
      const height = Number(await call<Quantity>("eth_blockNumber"));
      const blocks = await this.newestBlocks(height);
      const transport = this.socket?.readyState === WebSocket.OPEN ? "websocket" : "polling";
      this.update({ height, blocks, transport });
    } catch (error) {
      this.fails(error as Error);
    }
  }

  private fails(error: Error): void {
    if (!(error instanceof NoConnection)) this.update({ problem: error.message, lastAnswer: Date.now() });
    else this.update({ transport: error.needsKey ? "needs key" : "offline" });
  }

  private async identify(): Promise<void> {
    const [chainId, clientVersion, modules] = await Promise.all([
      call<Quantity>("eth_chainId"),
      call<string>("web3_clientVersion"),
      call<Record<string, string>>("rpc_modules"),
    ]);
    this.update({ chainId: Number(chainId), clientVersion, modules: new Set(Object.keys(modules)) });
  }

  /** Reuses known blocks if the chain has only grown. */
  private async newestBlocks(height: number): Promise<readonly Block[]> {
    const known = this.state.blocks;
    const [best] = known;
    const top = best === undefined ? -1 : Number(best.number);
    const first = height - top < RECENT && height >= top ? Math.max(top, 0) : Math.max(height - RECENT + 1, 0);
    const numbers = Array.from({ length: height - first + 1 }, (_, i) => height - i);
    const read = await Promise.all(numbers.map(blockByNumber));
    const added = read.filter((block) => block !== null);
    const joins = first === top && added.at(-1)?.hash === best?.hash;
    if (joins) return [...added, ...known.slice(1)].slice(0, RECENT);
    if (first !== top || known.length === 0) return added;
    this.update({ blocks: [] });
    return this.newestBlocks(height);
  }

  private connect(): void {
    const state = this.socket?.readyState;
    if (state === WebSocket.OPEN || state === WebSocket.CONNECTING) return;
    const address = new URL(rpcPath(), location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    address.hash = "";
    const socket = new WebSocket(address);
    this.socket = socket;
    socket.onopen = () => {
      socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] }));
      void this.refresh();
    };
    socket.onmessage = () => void this.refresh();
    socket.onclose = () => {
      if (this.state.transport !== "websocket") return;
      this.update({ transport: "polling" });
      void this.refresh();
    };
  }
}

function blockByNumber(number: number): Promise<Block | null> {
  return call<Block | null>("eth_getBlockByNumber", `0x${number.toString(16)}`, false);
}

export const live = new Live();

/** Whether the node belongs to a developer, on this machine: `node-cli dev`. */
export function isDeveloped(): boolean {
  return live.state.modules.has("dev");
}
