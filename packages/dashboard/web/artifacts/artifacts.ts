import { useEffect } from "preact/hooks";
import type { Abi } from "viem";
import type { Artifact } from "../../src/artifacts/artifact.js";
import { setKnown } from "../decode/known-abis.js";
import { nativeName } from "../decode/native.js";
import { call, callAlone } from "../node/client.js";
import { isDeveloped, live } from "../node/live.js";
import { Store, useStore } from "../node/store.js";
import type { Hex } from "../node/types.js";
import { findStored, hasStored, store } from "./stored-artifacts.js";

interface Name {
  id: string;
}

/** Addresses of one question to the node. */
const MAX_ASKED = 200;

/** The artifacts of the contracts on the page: from the node if it keeps any, otherwise from the browser. */
class Artifacts extends Store<{ byAddress: ReadonlyMap<string, Artifact> }> {
  /** Addresses that were requested, and the best block at that time. */
  private readonly asked = new Map<string, string>();
  private readonly byId = new Map<string, Promise<Artifact | null>>();
  private waiting: Set<string> | undefined;

  constructor() {
    super({ byAddress: new Map() });
  }

  of(address: string): Artifact | undefined {
    return this.state.byAddress.get(address.toLowerCase());
  }

  /** Loads the artifact of a contract. An unknown one is requested again after each block of a local chain. */
  want(address: string): void {
    const key = address.toLowerCase();
    const best = isDeveloped() ? (live.state.blocks[0]?.hash ?? "") : "";
    if (live.state.chainId === undefined || this.asked.get(key) === best || nativeName(key) !== undefined) return;
    if (!isDeveloped() && !hasStored()) return;
    this.asked.set(key, best);
    if (this.waiting === undefined) {
      this.waiting = new Set();
      queueMicrotask(() => this.askWaiting());
    }
    this.waiting.add(key);
  }

  /**
   * Keeps an artifact for the contract: in the node, or else in the browser. Rejects with {@link RpcFailure}, or an
   * `Error` if the browser stores nothing.
   */
  async add(artifact: Artifact, address: Hex): Promise<void> {
    if (isDeveloped()) {
      await callAlone("dev_addArtifact", artifact, address);
    } else {
      const code = await call<Hex>("eth_getCode", address, "latest");
      if (!store(artifact, code)) throw new Error("The browser has no room for this artifact, or its storage is off");
    }
    this.asked.clear();
    this.want(address);
  }

  private askWaiting(): void {
    const all = [...(this.waiting ?? [])];
    this.waiting = undefined;
    for (let start = 0; start < all.length; start += MAX_ASKED) {
      const part = all.slice(start, start + MAX_ASKED);
      // The next block repeats failed requests.
      void (isDeveloped() ? this.askNode(part) : this.askBrowser(part)).catch(() => undefined);
    }
  }

  private async askNode(addresses: readonly string[]): Promise<void> {
    const names = await call<(Name | null)[]>("dev_findArtifacts", addresses);
    const found = await Promise.all(names.map((name) => (name === null ? undefined : this.read(name.id))));
    this.set(addresses, found);
  }

  private async askBrowser(addresses: readonly string[]): Promise<void> {
    const codes = await Promise.all(addresses.map((address) => call<Hex>("eth_getCode", address, "latest")));
    this.set(
      addresses,
      codes.map((code) => (code === "0x" ? undefined : findStored(code))),
    );
  }

  private read(id: string): Promise<Artifact | null> {
    const known = this.byId.get(id) ?? callAlone<Artifact | null>("dev_getArtifact", id);
    this.byId.set(id, known);
    known.catch(() => this.byId.delete(id));
    return known;
  }

  private set(addresses: readonly string[], found: readonly (Artifact | null | undefined)[]): void {
    const byAddress = new Map(this.state.byAddress);
    let isChanged = false;
    for (const [i, address] of addresses.entries()) {
      const artifact = found[i] ?? undefined;
      if (byAddress.get(address) === artifact) continue;
      isChanged = true;
      if (artifact === undefined) byAddress.delete(address);
      else byAddress.set(address, artifact);
      setKnown(address, artifact && { name: artifact.name, abi: artifact.abi as unknown as Abi });
    }
    if (isChanged) this.update({ byAddress });
  }
}

export const artifacts = new Artifacts();

/** The artifact of a contract, once it is known. */
export function useArtifact(address: string | null | undefined): Artifact | undefined {
  const { byAddress } = useStore(artifacts);
  const { blocks, chainId } = useStore(live);
  const best = blocks[0]?.hash;
  useEffect(() => {
    if (address) artifacts.want(address);
  }, [address, best, chainId]);
  return address ? byAddress.get(address.toLowerCase()) : undefined;
}
