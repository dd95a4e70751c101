import { NETWORKS, rulesAt } from "@cambium/config";
import { precompiles } from "@cambium/evm";
import { fromHex, signHash, toHex } from "@cambium/primitives";
import type { NativeCallContext } from "@cambium/state";
import { sleep } from "@cambium/test-utils/rpc-client";

const SECONDS_EACH = 0.4;
const LOADING_MILLISECONDS = 1000;

const word = (value: bigint | number): string => value.toString(16).padStart(64, "0");

const HASH = word(0xdeadbeefn);
const G = word(1) + word(2);
const MINUS_G = word(1) + word(0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd45n);
const G2 = [
  "198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2",
  "1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed",
  "090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b",
  "12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa",
].join("");
const SECP_V = word(1) + word(0x4218f20ae6c646b363db68605822fb14264ca8d2587fdd6fbc750d587e76a7een);
const SCALAR = "a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90";

function ecrecoverInput(): string {
  const { r, s, recovery } = signHash(fromHex(HASH), fromHex(word(0xc0ffeen)));
  return HASH + word(27 + recovery) + word(r) + word(s);
}

function modexpInput(operandLength: number, exponentLength: number): string {
  const base = "3b".repeat(operandLength);
  const modulus = "e7".repeat(operandLength);
  return (
    word(operandLength) + word(exponentLength) + word(operandLength) + base + "ff".repeat(exponentLength) + modulus
  );
}

/** Contract, measured case, input. */
const CASES: readonly [string, string, string][] = [
  ["ECRECOVER", "", ecrecoverInput()],
  ["SHA256", "128 bytes", "5a".repeat(128)],
  ["RIPEMD160", "128 bytes", "5a".repeat(128)],
  ["IDENTITY", "1024 bytes", "5a".repeat(1024)],
  ["MODEXP", "1-byte modulus, 256-byte exponent", modexpInput(1, 256)],
  ["MODEXP", "5-byte modulus, 256-byte exponent", modexpInput(5, 256)],
  ["MODEXP", "256 bits", modexpInput(32, 32)],
  ["MODEXP", "2048 bits, exponent 65535", modexpInput(256, 2)],
  ["BN128_ADD", "", G + G],
  ["BN128_MUL", "", G + SCALAR],
  ["BN128_PAIRING", "2 pairs", G + G2 + MINUS_G + G2],
  ["BLAKE2F", "12 rounds", `0000000c${"a5".repeat(208)}01`],
  ["BLAKE2F", "10000 rounds", `00002710${"a5".repeat(208)}01`],
  ["SECP256K1_ADD", "", SECP_V + SECP_V],
  ["SECP256K1_MUL", "", SECP_V + SCALAR],
];

/** Measures calls per second of each precompiled contract, and the gas per second that they correspond to. */
export async function run(print: (name: string, value: number, unit: string) => void): Promise<void> {
  const context = { rules: rulesAt(NETWORKS.local, 2000) } as NativeCallContext;
  const byName = new Map(precompiles.map((contract) => [contract.name, contract]));
  // The first use of some contracts loads their fast implementation.
  for (const [name, , hex] of CASES) byName.get(name)?.execute(fromHex(hex), context);
  await sleep(LOADING_MILLISECONDS);
  for (const [name, detail, hex] of CASES) {
    const contract = byName.get(name);
    if (contract === undefined) throw new Error(`no precompiled contract ${name}`);
    const data = fromHex(hex);
    const callsPerSecond = measure(() => contract.execute(data, context));
    const label = detail === "" ? name : `${name} (${detail})`;
    print(label, Math.round(callsPerSecond), "calls/s");
    print(label, Math.round(callsPerSecond * contract.gas(data, context)) / 1e6, "Mgas/s");
  }
}

function measure(call: () => Uint8Array | null): number {
  const reference = toHex(call() ?? new Uint8Array(0));
  let calls = 0;
  const start = performance.now();
  let elapsed = 0;
  for (let batch = 1; elapsed < SECONDS_EACH * 1000; batch = Math.min(batch * 2, 1024)) {
    for (let i = 0; i < batch; i++) call();
    calls += batch;
    elapsed = performance.now() - start;
  }
  if (toHex(call() ?? new Uint8Array(0)) !== reference) throw new Error("outputs differ");
  return (calls * 1000) / elapsed;
}
