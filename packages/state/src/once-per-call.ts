import type { NativeCallContext } from "./native-contract.js";

/**
 * Computes once what the gas and the execution of a call to a native contract both need, such as its arguments. Both
 * get the same context and the same `data` object.
 */
export class OncePerCall<T> {
  private readonly known = new WeakMap<NativeCallContext, { data: Uint8Array | null; value: T }>();

  constructor(private readonly compute: (data: Uint8Array | null, context: NativeCallContext) => T) {}

  of(data: Uint8Array | null, context: NativeCallContext): T {
    const known = this.known.get(context);
    if (known !== undefined && known.data === data) return known.value;
    const value = this.compute(data, context);
    this.known.set(context, { data, value });
    return value;
  }
}
