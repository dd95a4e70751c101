import { join } from "node:path";
import { ChainError } from "@cambium/chain-store";
import type { ForkConfig, NetworkConfig } from "@cambium/config";
import { decodeRlpList, encodeRlp, toData, toHex, toQuantity } from "@cambium/primitives";
import { faultOf } from "./block-json.js";
import { ForkCache } from "./fork-cache.js";
import { JsonRpcEndpoint } from "./json-rpc-endpoint.js";

/** Encoding of an answer on disk. */
export interface Codec<T> {
  encode(value: T): Uint8Array;
  decode(bytes: Uint8Array): T;
}

export const BYTE_STRINGS: Codec<readonly Uint8Array[]> = {
  encode: (values) => encodeRlp([...values]),
  decode: (bytes) => decodeRlpList(bytes).map((item) => item.bytes),
};

/** The endpoint of a fork, and its previous answers. */
export class RemoteSource {
  readonly fork: ForkConfig;
  readonly cache: ForkCache;

  constructor(
    readonly network: NetworkConfig,
    readonly endpoint = new JsonRpcEndpoint(network.fork!.source),
  ) {
    this.fork = network.fork!;
    const { cache, hash } = this.fork;
    this.cache = new ForkCache(cache === undefined ? undefined : join(cache, toHex(hash)));
  }

  /** Returns a source for an earlier block; its answers are not kept on disk. */
  after(block: { number: number; hash: Uint8Array }): RemoteSource {
    const { cache: _, ...fork } = this.fork;
    const network = { ...this.network, fork: { ...fork, ...block } };
    return new RemoteSource(network, this.endpoint.about(` after block ${block.number}`));
  }

  /** Returns the parameter that names the block in requests. */
  selector(): unknown {
    const { selector, hash, number } = this.fork;
    return selector === "hash" ? { blockHash: toData(hash) } : toQuantity(number);
  }

  /** Returns a kept answer, or requests one and keeps it. */
  async kept<T>(name: string, codec: Codec<T>, ask: () => Promise<T>): Promise<T> {
    const stored = this.cache.get(name);
    if (stored !== undefined) return codec.decode(stored);
    const answer = await ask();
    this.cache.set(name, codec.encode(answer));
    return answer;
  }

  /** Parses an answer. Any error means that the answer is invalid. */
  read<T>(method: string, reading: () => T): T {
    try {
      return reading();
    } catch (error) {
      if (error instanceof ChainError) throw error;
      throw this.endpoint.failure(method, `the endpoint's answer is wrong: ${faultOf(error)}`);
    }
  }
}
