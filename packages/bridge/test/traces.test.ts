import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { BRIDGE_ADDRESS, local } from "@cambium/config";
import { compareBytes, fromHex, leftPad, numberToBytes, toHex } from "@cambium/primitives";
import { type JournaledState, type NativeCallContext, NativeMethodUnavailable } from "@cambium/state";
import { decodeStoredBlock, encodeStoredBlock } from "../src/block-store.js";
import { parentBlockHash } from "../src/header-hash.js";
import { CELLS, compoundCell } from "../src/cells.js";
import { createBridgeContract } from "../src/index.js";
import { emptyState, recordCall } from "./native-call.js";

// Replays the bridge's traces: what is implemented must agree in gas, output and storage; of the rest the trace's own
// storage changes are applied.

const FOLDER = resolve(
  process.env.CAMBIUM_VECTORS ?? resolve(import.meta.dirname, "../../../../shared/vectors"),
  "bridge",
);

interface Step {
  step: string;
  localCall?: boolean;
  blockNumber: number;
  timestamp: number;
  sender?: string;
  viaContract?: boolean;
  callType?: string;
  txHash?: string;
  data: string;
  bridgeGas: number;
  output: string | null;
  threw: boolean;
  valueWei?: string;
  bridgeBalanceWei?: string;
  logs?: { address?: string; topics: string[]; data: string }[];
  storageDiff?: { key: string; value: string | null }[];
  storageDigest?: string;
}

/** Cells as the traces' digest covers them. */
class TracedState {
  readonly state: JournaledState = emptyState();
  readonly keys = new Set<string>();

  constructor() {
    this.state.addBalance(BRIDGE_ADDRESS, 21_000_000n * 10n ** 18n);
    const write = this.state.setStorageBytes.bind(this.state);
    this.state.setStorageBytes = (address, key, value) => {
      if (toHex(address) === toHex(BRIDGE_ADDRESS)) this.keys.add(toHex(key));
      write(address, key, value);
    };
  }

  digest(): string {
    const hash = createHash("sha256");
    const keys = [...this.keys].map(fromHex).sort(compareBytes);
    for (const key of keys) {
      const value = this.state.getStorageBytes(BRIDGE_ADDRESS, key);
      if (value === undefined) continue;
      hash
        .update(key)
        .update(leftPad(numberToBytes(value.length), 4))
        .update(value);
    }
    return hash.digest("hex");
  }

  apply(step: Step): void {
    for (const { key, value } of step.storageDiff ?? []) {
      this.state.setStorageBytes(BRIDGE_ADDRESS, fromHex(key), value === null ? undefined : fromHex(value));
    }
  }

  /** The one step whose changes the trace leaves out: many headers on top of the head. */
  applyHeaders(data: string): void {
    const write = (key: Uint8Array, value: Uint8Array): void => this.state.setStorageBytes(BRIDGE_ADDRESS, key, value);
    const bytes = fromHex(data);
    let head = decodeStoredBlock(this.state.getStorageBytes(BRIDGE_ADDRESS, CELLS.chainHead)!);
    const count = Number(`0x${toHex(bytes.subarray(4 + 60, 4 + 64))}`);
    for (let i = 0; i < count; i++) {
      const offset = 4 + 64 + Number(`0x${toHex(bytes.subarray(4 + 64 + 32 * i + 28, 4 + 64 + 32 * i + 32))}`);
      const header = bytes.slice(offset + 32, offset + 32 + 80);
      head = { work: head.work + 2n, height: head.height + 1, header };
      const hash = parentBlockHash(header);
      write(hash, encodeStoredBlock(head, true));
      write(CELLS.chainHead, encodeStoredBlock(head, true));
      write(compoundCell("btcBlockHeight", String(head.height)), Uint8Array.of(0xa0, ...hash));
    }
  }
}

const contract = createBridgeContract(local);

function kindOf(step: Step): NativeCallContext["kind"] {
  if (!step.viaContract) return "transaction";
  return (step.callType ?? "CALL").toLowerCase() as NativeCallContext["kind"];
}

function replay(traced: TracedState, step: Step): void {
  const sender = fromHex(step.sender ?? "11".repeat(20));
  const value = BigInt(step.valueWei ?? "0");
  const before = traced.state.checkpoint();
  if (step.viaContract) traced.state.transfer(sender, BRIDGE_ADDRESS, value);
  const { context, logs } = recordCall({
    network: local,
    state: traced.state,
    block: { number: step.blockNumber, timestamp: step.timestamp },
    transaction: { sender, isLocalCall: step.localCall === true },
    call: { kind: kindOf(step), caller: sender, value },
  });
  const data = fromHex(step.data);
  assert.equal(contract.gas(data.length === 0 ? null : data, context), step.bridgeGas, "gas");
  try {
    const output = contract.execute(data, context);
    assert.equal(step.threw, false, "must throw");
    if (!step.viaContract) traced.state.transfer(sender, BRIDGE_ADDRESS, value);
    assert.equal(toHex(output!), step.output ?? "", "output");
    assert.deepEqual(
      logs.map(({ topics, data }) => [...topics.map(toHex), toHex(data)]),
      (step.logs ?? []).map(({ topics, data }) => [...topics, data]),
    );
  } catch (error) {
    if (!(error instanceof NativeMethodUnavailable)) {
      if (!step.threw) throw error;
      if (step.viaContract) traced.state.revertTo(before);
      return;
    }
    traced.state.revertTo(before);
    if (step.storageDiff === undefined && step.storageDigest !== undefined) traced.applyHeaders(step.data);
    else traced.apply(step);
    const balance = traced.state.getBalance(BRIDGE_ADDRESS);
    traced.state.addBalance(BRIDGE_ADDRESS, BigInt(step.bridgeBalanceWei!) - balance);
  }
  if (step.localCall) traced.state.revertTo(before);
}

function run(traced: TracedState, name: string): void {
  const { steps } = JSON.parse(readFileSync(resolve(FOLDER, name), "utf8")) as { steps: Step[] };
  for (const step of steps) {
    try {
      replay(traced, step);
      if (step.storageDigest === undefined) continue;
      assert.equal(traced.digest(), step.storageDigest, "digest");
      assert.equal(String(traced.state.getBalance(BRIDGE_ADDRESS)), step.bridgeBalanceWei, "balance");
    } catch (error) {
      throw new Error(`${name}: ${step.step}`, { cause: error });
    }
  }
}

describe("bridge traces", () => {
  before(function () {
    if (!existsSync(FOLDER)) this.skip();
  });

  it("agree with the first four, which continue each other", () => {
    const traced = new TracedState();
    run(traced, "regtest-trace-1-pegin-pegout.json");
    run(traced, "regtest-trace-2-votes-union-flyover.json");
    run(traced, "regtest-trace-3-federation-svp.json");
    run(traced, "regtest-trace-4-getters-edge.json");
  });

  it("agree with the one at low heights", () => {
    run(new TracedState(), "regtest-trace-5-low-heights.json");
  });
});
