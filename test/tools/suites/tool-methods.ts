import assert from "node:assert/strict";
import { METHODS } from "@cambium/api";
import { callersOf } from "./documented.js";
import { MethodRecorder } from "./method-recorder.js";

/** Methods that development tools and wallets need of a node of a development network. */
export const TOOL_METHODS: readonly string[] = [
  ...METHODS.map(({ name }) => name).filter((name) => /^(evm|hardhat|anvil)_/.test(name)),
  "eth_requestAccounts",
  "personal_sign",
  "eth_signTypedData_v4",
  "eth_signTransaction",
  "eth_sendUnsignedTransaction",
];

/** Calls `use` with an endpoint in front of a node. Returns its result and the called methods. */
export async function recorded<T>(
  url: string,
  use: (url: string) => Promise<T>,
): Promise<{ result: T; methods: ReadonlySet<string> }> {
  const recorder = await MethodRecorder.open(url);
  try {
    return { result: await use(recorder.url), methods: recorder.methods };
  } finally {
    await recorder.close();
  }
}

/** Requires a suite or tour to call the methods that name it in docs/client-tools.md. */
export function requireDocumentedMethods(document: string, caller: string, called: ReadonlySet<string>): void {
  const documented = TOOL_METHODS.filter((method) => callersOf(document, method).includes(caller));
  const uncalled = documented.filter((method) => !called.has(method));
  assert.deepEqual(uncalled, [], `methods that ${caller} does not call`);
}
