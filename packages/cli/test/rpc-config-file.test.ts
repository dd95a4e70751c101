import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_RPC_CONFIG } from "@cambium/rpc";
import { CliError, explainCliError } from "../src/errors.js";
import { readRpcConfig } from "../src/rpc-config-file.js";

describe("--rpc.config", () => {
  let folder: string;
  let path: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "rpc-config-"));
    path = join(folder, "rpc.json");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const read = (content: unknown) => {
    writeFileSync(path, JSON.stringify(content));
    return readRpcConfig(path);
  };

  it("overrides the listed members only", () => {
    assert.deepEqual(read({}), DEFAULT_RPC_CONFIG);
    const config = read({
      timeout: 9_000,
      logs: { maxBlocks: 500 },
      modules: {
        eth: { disabledMethods: ["eth_sendTransaction"], methodTimeouts: { getLogs: 2_000 } },
        debug: { enabled: true },
      },
    });
    assert.deepEqual(config, {
      ...DEFAULT_RPC_CONFIG,
      timeout: 9_000,
      logs: { ...DEFAULT_RPC_CONFIG.logs, maxBlocks: 500 },
      modules: {
        ...DEFAULT_RPC_CONFIG.modules,
        eth: {
          ...DEFAULT_RPC_CONFIG.modules.eth,
          disabledMethods: ["eth_sendTransaction"],
          methodTimeouts: { getLogs: 2_000 },
        },
        debug: { ...DEFAULT_RPC_CONFIG.modules.debug, enabled: true },
      },
    });
  });

  for (const [content, where] of [
    [[], "object"],
    [{ timeOut: 1 }, "timeOut"],
    [{ timeout: -1 }, "timeout"],
    [{ timeout: "5s" }, "timeout"],
    [{ http: { port: 1 } }, "http"],
    [{ modules: { parity: {} } }, "parity"],
    [{ modules: { eth: { disabledMethods: ["eth_sendTransactions"] } } }, "modules.eth.disabledMethods.0"],
    [{ modules: { eth: { methodTimeouts: { eth_getLogs: 1 } } } }, "modules.eth.methodTimeouts"],
    [{ heavy: { callThreads: 0 } }, "heavy.callThreads"],
  ] as const) {
    it(`rejects ${JSON.stringify(content)} and names the member`, () => {
      assert.throws(
        () => read(content),
        (error: unknown) => {
          if (!(error instanceof CliError)) return false;
          const text = explainCliError(error);
          return text.startsWith(`cannot read ${path}: `) && text.includes(where);
        },
      );
    });
  }
});
