import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { parentHeaderHash, parentHeaderWork, splitParentBlock } from "@cambium/merged-mining";
import { bigintToFixedBytes, reverseBytes, toHex } from "@cambium/primitives";

const EASIEST_TARGET = (1n << 255n) - 1n;
/** Pays to anyone. */
export const PAYOUT_SCRIPT = "51";

/** A parent node that answers templates, and takes the blocks that extend its best one. */
export class ParentStandIn {
  /** Hashes from block 1, in display order. */
  readonly blocks: string[] = [];
  /** Answers `submitblock` if it is not undefined. */
  refusal: string | undefined;
  private target = EASIEST_TARGET;
  private template = 0;
  private changed: (() => void)[] = [];
  private server: Server | undefined;
  private port = 0;

  get url(): URL {
    return new URL(`http://user:secret@127.0.0.1:${this.port}`);
  }

  get best(): string {
    return this.blocks.at(-1) ?? "00".repeat(32);
  }

  async start(): Promise<void> {
    this.server = createServer(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      if (request.headers.authorization !== `Basic ${btoa("user:secret")}`) {
        response.writeHead(401).end();
        return;
      }
      const { method, params } = JSON.parse(text) as { method: string; params: [never?] };
      response.end(JSON.stringify({ id: 1, error: null, result: await this.answer(method, params) }));
    });
    await new Promise<void>((resolve) => this.server!.listen(this.port, "127.0.0.1", resolve));
    this.port = (this.server.address() as AddressInfo).port;
  }

  stop(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }

  /** Sets another difficulty, as a number of expected hashes. */
  setDifficulty(hashes: bigint): void {
    this.target = (1n << 256n) / hashes;
    this.change();
  }

  /** Drops the last blocks, as if another branch had more work. */
  reorganise(depth: number): void {
    this.blocks.splice(-depth);
    this.change();
  }

  private answer(method: string, [param]: [never?]): unknown {
    switch (method) {
      case "getblocktemplate":
        return this.answerTemplate(param!);
      case "submitblock":
        return this.take(Buffer.from(param!, "hex"));
      case "getnewaddress":
        return "an address";
      case "validateaddress":
        return param === "an address" ? { scriptPubKey: PAYOUT_SCRIPT } : { isvalid: false };
      default:
        throw new Error(method);
    }
  }

  private async answerTemplate({ longpollid }: { longpollid?: string }): Promise<object> {
    if (longpollid === `${this.template}`) await new Promise<void>((resolve) => this.changed.push(resolve));
    return {
      version: 0x20000000,
      height: this.blocks.length + 1,
      previousblockhash: this.best,
      curtime: Math.floor(Date.now() / 1000),
      bits: "207fffff",
      target: toHex(bigintToFixedBytes(this.target, 32)),
      coinbasevalue: 5_000_000_000,
      transactions: [],
      longpollid: `${this.template}`,
    };
  }

  private take(block: Uint8Array): string | null {
    const { header } = splitParentBlock(block);
    if (this.refusal !== undefined) return this.refusal;
    if (toHex(reverseBytes(header.subarray(4, 36))) !== this.best) return "inconclusive-not-best-prevblk";
    if (parentHeaderWork(header) > this.target) return "high-hash";
    this.blocks.push(toHex(reverseBytes(parentHeaderHash(header))));
    this.change();
    return null;
  }

  private change(): void {
    this.template++;
    for (const resolve of this.changed.splice(0)) resolve();
  }
}
