import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { BRIDGE_ADDRESS, local } from "@cambium/config";
import {
  CambiumError,
  compareBytes,
  EMPTY_BYTES,
  fromHex,
  keccak256,
  leftPad,
  numberToBytes,
  publicKeyToAddress,
  secp256k1,
  toHex,
  utf8,
} from "@cambium/primitives";
import type { JournaledState, NativeCallContext } from "@cambium/state";
import { createBridgeContract } from "../src/index.js";
import { emptyState, recordCall } from "./native-call.js";

// Replays the bridge's traces: gas, output, logs, storage and balance of every step must agree.

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
  originTxHash?: string;
  data: string;
  bridgeGas: number;
  output: string | null;
  threw: boolean;
  valueWei?: string;
  bridgeBalanceWei?: string;
  logs?: { address?: string; topics: string[]; data: string }[];
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
}

const contract = createBridgeContract(local);

function kindOf(step: Step): NativeCallContext["kind"] {
  if (!step.viaContract) return "transaction";
  return (step.callType ?? "CALL").toLowerCase() as NativeCallContext["kind"];
}

/** Who signs in the traces: a private key is the hash of a name. */
const SIGNERS: ReadonlyMap<string, Uint8Array> = new Map(
  [
    ...[
      "federator1",
      "federator2",
      "federator3",
      "auth-fee-per-kb",
      "auth-increase_locking_cap",
      "auth-lock-whitelist",
    ],
    ...["a", "b", "c", "d", "e"].map((letter) => `auth-${letter}`),
    ...Array.from({ length: 40 }, (_, i) => `user${i + 1}`),
  ].map((name) => {
    const key = secp256k1.publicKey(keccak256(utf8(name)));
    return [toHex(publicKeyToAddress(key)), key];
  }),
);

function replay(traced: TracedState, step: Step): void {
  const sender = fromHex(step.sender ?? "11".repeat(20));
  const value = BigInt(step.valueWei ?? "0");
  const before = traced.state.checkpoint();
  if (step.viaContract) traced.state.transfer(sender, BRIDGE_ADDRESS, value);
  const signer = SIGNERS.get(toHex(sender));
  const { context, logs } = recordCall({
    network: local,
    state: traced.state,
    block: { number: step.blockNumber, timestamp: step.timestamp },
    transaction: {
      sender,
      isLocalCall: step.localCall === true,
      hash: fromHex(step.originTxHash ?? step.txHash ?? "00".repeat(32)),
      signerKey: () => signer,
    },
    call: { kind: kindOf(step), caller: sender, value },
    ...(step.txHash === undefined ? {} : { transactionHash: fromHex(step.txHash) }),
  });
  const data = fromHex(step.data);
  assert.equal(contract.gas(data.length === 0 ? null : data, context), step.bridgeGas, "gas");
  let output: Uint8Array | null | undefined;
  try {
    output = contract.execute(data, context);
  } catch (error) {
    if (!(error instanceof CambiumError) || !step.threw) throw error;
    if (step.viaContract) traced.state.revertTo(before);
  }
  assert.equal(output === undefined, step.threw, "must throw");
  if (output !== undefined) {
    if (!step.viaContract) traced.state.transfer(sender, BRIDGE_ADDRESS, value);
    assert.equal(toHex(output ?? EMPTY_BYTES), step.output ?? "", "output");
  }
  assert.deepEqual(
    logs.map(({ topics, data }) => [...topics.map(toHex), toHex(data)]),
    (step.logs ?? []).map(({ topics, data }) => [...topics, data]),
  );
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
