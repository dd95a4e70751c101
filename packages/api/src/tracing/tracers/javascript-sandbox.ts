import type { QuickJSContext, QuickJSHandle, QuickJSRuntime, QuickJSWASMModule } from "quickjs-emscripten-core";
import { serverError } from "../../errors.js";
import type { WorkLimit } from "../../limits/deadline.js";
import { PRELUDE } from "./javascript-prelude.js";

/** Maximum memory of the code of one transaction, in bytes. */
const MAX_MEMORY = 64 * 2 ** 20;
/** Maximum depth of its calls, as bytes of stack. */
const MAX_STACK = 256 * 2 ** 10;
/** Maximum time in which the code of one response runs, in milliseconds. */
const MAX_TIME = 5_000;
/** Maximum length of a tracer's source text. */
const MAX_SOURCE = 256 * 2 ** 10;

type Value = string | number | boolean | undefined | Uint8Array;

/** Functions that the code in a sandbox can call with texts and numbers. */
export type HostFunctions = Readonly<Record<string, (values: readonly (string | number)[]) => Value>>;

/**
 * A JavaScript engine in WebAssembly that shares nothing with this realm: its code reaches no object, module or global
 * of Node.js. Each response gets a new engine.
 */
export class JavascriptSandbox {
  private spent = 0;
  private started = 0;
  private readonly opened = process.cpuUsage();

  private constructor(
    private readonly engine: QuickJSWASMModule,
    private readonly limit: WorkLimit,
  ) {}

  static async open(limit: WorkLimit): Promise<JavascriptSandbox> {
    // Most nodes never need the engine.
    const [{ newQuickJSWASMModuleFromVariant }, { default: variant }] = await Promise.all([
      import("quickjs-emscripten-core"),
      import("@jitl/quickjs-singlefile-mjs-release-sync"),
    ]);
    return new JavascriptSandbox(await newQuickJSWASMModuleFromVariant(variant), limit);
  }

  /** Evaluates a tracer in a new realm. Throws {@link RpcError} if the source is no tracer. */
  tracer(source: string, config: string, host: HostFunctions): SandboxedTracer {
    if (source.length > MAX_SOURCE) throw serverError(`a tracer has at most ${MAX_SOURCE} characters`);
    return this.run("source", () => {
      const runtime = this.engine.newRuntime();
      runtime.setMemoryLimit(MAX_MEMORY);
      runtime.setMaxStackSize(MAX_STACK);
      runtime.setInterruptHandler(() => this.isOver());
      return new SandboxedTracer(this, runtime, { source, config, host });
    });
  }

  /**
   * Runs code of the sandbox. Throws {@link RpcError}, which names the tracer's function, for any error in it. Native
   * functions of the engine that recurse too deeply end with an error of WebAssembly.
   */
  run<T>(name: string, code: () => T): T {
    this.started = performance.now();
    try {
      return code();
    } catch (error) {
      this.limit.check();
      if (this.isOver()) throw serverError(`the tracer runs longer than ${MAX_TIME} ms`);
      if (!isOfEngine(error)) throw error;
      throw serverError(`the tracer failed in ${name}: ${error instanceof SandboxError ? error.message : EXHAUSTED}`);
    } finally {
      this.spent += performance.now() - this.started;
      this.started = Number.POSITIVE_INFINITY;
    }
  }

  private isOver(): boolean {
    try {
      this.limit.check();
    } catch {
      return true;
    }
    return this.spent + Math.max(performance.now() - this.started, 0) > MAX_TIME && this.processorTime() > MAX_TIME;
  }

  /**
   * Returns the processor time of the process since the sandbox was opened, in milliseconds: an upper bound of the
   * code's time. Time in which the code waits for a processor does not count.
   */
  private processorTime(): number {
    const { user, system } = process.cpuUsage(this.opened);
    return (user + system) / 1000;
  }
}

/** An error of the code in the sandbox, or of how it calls this node. */
class SandboxError extends Error {}

const EXHAUSTED = "stack or memory exhausted";

function isOfEngine(error: unknown): boolean {
  if (error instanceof SandboxError || error instanceof RangeError) return true;
  return error instanceof Error && error.name === "RuntimeError";
}

interface TracerCode {
  source: string;
  config: string;
  host: HostFunctions;
}

/** The functions of a tracer for one transaction. */
export class SandboxedTracer {
  readonly hasStep: boolean;
  readonly hasEnter: boolean;
  private readonly context: QuickJSContext;
  private readonly functions: QuickJSHandle;
  private readonly byName = new Map<string, QuickJSHandle>();
  /** Released at the end. */
  private readonly owned: QuickJSHandle[] = [];
  /** The error that a host function threw. It ends the trace even if the code in the sandbox catches it. */
  private hostError: { error: unknown } | undefined;

  constructor(
    private readonly sandbox: JavascriptSandbox,
    private readonly runtime: QuickJSRuntime,
    { source, config, host }: TracerCode,
  ) {
    this.context = runtime.newContext();
    const { context } = this;
    const prelude = this.own(this.unwrap(context.evalCode(PRELUDE, "prelude.js")));
    this.functions = this.own(this.unwrap(context.callFunction(prelude, context.undefined, this.hostObject(host))));
    const tracer = this.own(this.unwrap(context.evalCode(`(${source}\n)`, "tracer.js")));
    const opened = context.callFunction(this.named("open"), context.undefined, tracer, this.own(this.wrap(config)));
    const flags = context.getNumber(this.own(this.unwrap(opened)));
    this.hasStep = (flags & 1) !== 0;
    this.hasEnter = (flags & 2) !== 0;
  }

  /** Calls a function of the tracer. Throws {@link RpcError} if that fails. */
  call(name: string, values: readonly Value[]): void {
    this.sandbox.run(`${name}()`, () => this.invoke(name, values).dispose());
  }

  /** The JSON text of the trace. Ends the use of the tracer. Throws {@link RpcError} as {@link call}. */
  result(context: string): string {
    return this.sandbox.run("result()", () => {
      const text = this.context.getString(this.own(this.invoke("result", [context])));
      this.close();
      return text;
    });
  }

  /** Releases the memory; an engine that refuses is dropped as a whole. */
  private close(): void {
    try {
      for (const handle of this.owned) handle.dispose();
      this.context.dispose();
      this.runtime.dispose();
    } catch {
      // The engine of the response ends with it.
    }
  }

  private invoke(name: string, values: readonly Value[]): QuickJSHandle {
    const { context } = this;
    const handles = values.map((value) => this.wrap(value));
    const result = context.callFunction(this.named(name), context.undefined, handles);
    for (const handle of handles) handle.dispose();
    return this.unwrap(result);
  }

  private named(name: string): QuickJSHandle {
    let handle = this.byName.get(name);
    if (handle === undefined) this.byName.set(name, (handle = this.own(this.context.getProp(this.functions, name))));
    return handle;
  }

  private own(handle: QuickJSHandle): QuickJSHandle {
    this.owned.push(handle);
    return handle;
  }

  private unwrap(result: ReturnType<QuickJSContext["evalCode"]>): QuickJSHandle {
    const { hostError } = this;
    if (hostError !== undefined) throw hostError.error;
    if (result.error === undefined) return result.value;
    throw new SandboxError(this.describe(result.error));
  }

  /** Text of an error, which the code in the sandbox may have made. */
  private describe(error: QuickJSHandle): string {
    const { context } = this;
    const describe = this.byName.get("describe") ?? (this.functions && this.named("describe"));
    if (describe === undefined) return EXHAUSTED;
    const described = context.callFunction(describe, context.undefined, error);
    return described.error === undefined ? context.getString(described.value) : EXHAUSTED;
  }

  private hostObject(host: HostFunctions): QuickJSHandle {
    const { context } = this;
    const object = this.own(context.newObject());
    for (const [name, run] of Object.entries(host)) {
      const handle = context.newFunction(name, (...given) => {
        try {
          return this.wrap(run(given.map((one) => this.read(one))));
        } catch (error) {
          if (!(error instanceof SandboxError)) this.hostError = { error };
          throw error;
        }
      });
      context.setProp(object, name, handle);
      handle.dispose();
    }
    return object;
  }

  private read(handle: QuickJSHandle): string | number {
    const { context } = this;
    return context.typeof(handle) === "string" ? context.getString(handle) : context.getNumber(handle);
  }

  private wrap(value: Value): QuickJSHandle {
    const { context } = this;
    if (typeof value === "number") return context.newNumber(value);
    if (typeof value === "string") return context.newString(value);
    if (typeof value === "boolean") return value ? context.true : context.false;
    if (value === undefined) return context.undefined;
    return context.newArrayBuffer(value.slice().buffer);
  }
}

/** Thrown to the code in the sandbox, which may catch it. */
export function sandboxError(message: string): Error {
  return new SandboxError(message);
}
