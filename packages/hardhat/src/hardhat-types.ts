/**
 * The parts of Hardhat's types that the plugin needs. They exist only together with Hardhat, which needs Node.js 22.
 */

/** A connection to a network. */
export interface Connection {
  readonly networkName: string;
}

export interface JsonRpcRequest {
  jsonrpc: "2.0";
  id: number | string;
  method: string;
  params?: unknown[] | object;
}

export type JsonRpcResponse =
  | { jsonrpc: "2.0"; id: number | string; result: unknown }
  | { jsonrpc: "2.0"; id: number | string | null; error: { code: number; message: string; data?: unknown } };
