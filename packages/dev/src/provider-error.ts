/** The error of a request (EIP-1193). `code` is one of EIP-1193, or that of a JSON-RPC error. */
export class ProviderRpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    /** Data of a revert, in hex. */
    readonly data?: unknown,
  ) {
    super(message);
    this.name = "ProviderRpcError";
  }
}
