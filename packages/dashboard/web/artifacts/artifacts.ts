import { useEffect } from "preact/hooks";
import type { Abi } from "viem";
import type { Artifact } from "../../src/artifacts/artifact.js";
import { setKnown } from "../decode/known-abis.js";
import { nativeName } from "../decode/native.js";
import { call, callAlone } from "../node/client.js";
import { isDeveloped, live } from "../node/live.js";
import { Store, useStore } from "../node/store.js";
import type { Hex } from "../node/types.js";
import { findStored, findStoredCreation, hasStored, store } from "./stored-artifacts.js";

interface Name {
  id: string;
}

/** Keys of one question to the node. */
const MAX_ASKED = 200;
const ADDRESS_LENGTH = 42;

/**
 * The artifacts of the contracts on the page: from the node if it keeps any, otherwise from the browser. Their keys are
 * addresses, or the creation code of contracts that do not exist.
 */
class Artifacts extends Store<{ byKey: ReadonlyMap<string, Artifact> }> {
  /** Keys that were requested, and the best block at that time. */
  private readonly asked = new Map<string, string>();
  private readonly byId = new Map<string, Promise<Artifact | null>>();
  private waiting: Set<string> | undefined;

  constructor() {
    super({ byKey: new Map() });
  }

  of(address: string): Artifact | undefined {
    return this.state.byKey.get(address.toLowerCase());
  }

  /** Loads the artifact of a contract. An unknown one is requested again after each block of a local chain. */
  want(contract: string): void {
    const key = contract.toLowerCase();
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
   * Keeps an artifact for the contract, and those of other contracts: in the node, or else in the browser. Rejects with
   * {@link RpcFailure}, or an `Error` if the browser stores nothing.
   */
  async add(artifact: Artifact, address: Hex, others: readonly Artifact[] = []): Promise<void> {
    if (isDeveloped()) {
      // The oldest ones make room.
      for (const other of others) await callAlone("dev_addArtifact", other);
      await callAlone("dev_addArtifact", artifact, address);
    } else {
      const code = await call<Hex>("eth_getCode", address, "latest");
      if (!store(artifact, code, others))
        throw new Error("The browser has no room for this artifact, or its storage is off");
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

  private async askNode(keys: readonly string[]): Promise<void> {
    const names = await call<(Name | null)[]>("dev_findArtifacts", keys);
    const found = await Promise.all(names.map((name) => (name === null ? undefined : this.read(name.id))));
    this.set(keys, found);
  }

  private async askBrowser(keys: readonly string[]): Promise<void> {
    const found = await Promise.all(
      keys.map(async (key) => {
        if (key.length !== ADDRESS_LENGTH) return findStoredCreation(key);
        const code = await call<Hex>("eth_getCode", key, "latest");
        return code === "0x" ? undefined : findStored(code);
      }),
    );
    this.set(keys, found);
  }

  private read(id: string): Promise<Artifact | null> {
    const known = this.byId.get(id) ?? callAlone<Artifact | null>("dev_getArtifact", id);
    this.byId.set(id, known);
    known.catch(() => this.byId.delete(id));
    return known;
  }

  private set(keys: readonly string[], found: readonly (Artifact | null | undefined)[]): void {
    const byKey = new Map(this.state.byKey);
    let isChanged = false;
    for (const [i, key] of keys.entries()) {
      const artifact = found[i] ?? undefined;
      if (byKey.get(key) === artifact) continue;
      isChanged = true;
      if (artifact === undefined) byKey.delete(key);
      else byKey.set(key, artifact);
      setKnown(key, artifact && { name: artifact.name, abi: artifact.abi as unknown as Abi });
    }
    if (isChanged) this.update({ byKey });
  }
}

export const artifacts = new Artifacts();

/** The artifact of a contract, once it is known, by its address or creation code. */
export function useArtifact(key: string | null | undefined): Artifact | undefined {
  const { byKey } = useStore(artifacts);
  const { blocks, chainId } = useStore(live);
  const best = blocks[0]?.hash;
  useEffect(() => {
    if (key) artifacts.want(key);
  }, [key, best, chainId]);
  return key ? byKey.get(key.toLowerCase()) : undefined;
}
