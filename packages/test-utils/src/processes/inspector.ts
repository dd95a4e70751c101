import { WebSocket } from "ws";
import type { Json } from "../rpc-client.js";

/** Memory of a thread in bytes. */
export interface ThreadMemory {
  thread: string;
  heap: number;
  /** Memory outside of the heap, but kept alive by it; contains the array buffers. */
  external: number;
}

interface Call {
  resolve(result: Json): void;
  reject(error: Error): void;
}

const MAIN = "main";
const MEMORY = "JSON.stringify(process.memoryUsage())";

/** The debugger's protocol with one thread. */
class Session {
  private readonly calls = new Map<number, Call>();
  private lastId = 0;

  constructor(
    private readonly send: (message: string) => void,
    private readonly onEvent: (method: string, params: Json) => void,
  ) {}

  call(method: string, params: object = {}): Promise<Json> {
    const id = ++this.lastId;
    const answered = new Promise<Json>((resolve, reject) => this.calls.set(id, { resolve, reject }));
    this.send(JSON.stringify({ id, method, params }));
    return answered;
  }

  receive(text: string): void {
    const { id, result, error, method, params } = JSON.parse(text) as Json;
    if (id === undefined) {
      this.onEvent(method, params);
      return;
    }
    const call = this.calls.get(id);
    this.calls.delete(id);
    if (error === undefined) call?.resolve(result);
    else call?.reject(new Error(error.message));
  }

  end(): void {
    for (const { reject } of this.calls.values()) reject(new Error("the debugger's connection has ended"));
  }
}

/**
 * A debugger's connection to a process that was started with `--inspect`, and to the worker threads of its main thread.
 */
export class Inspector {
  /** Sessions by the thread's name, that of its module. */
  private readonly workers = new Map<string, Session>();
  private readonly main: Session;

  private constructor(private readonly socket: WebSocket) {
    const bySession = new Map<string, { name: string; session: Session }>();
    this.main = new Session(
      (message) => socket.send(message),
      (method, { sessionId, workerInfo, message }) => {
        if (method === "NodeWorker.attachedToWorker") {
          const send = (text: string) =>
            void this.main.call("NodeWorker.sendMessageToWorker", { sessionId, message: text }).catch(() => undefined);
          const name = `${workerInfo.url.replace(/^.*\/|\.js$/g, "")} ${workerInfo.workerId}`;
          const session = new Session(send, () => undefined);
          bySession.set(sessionId, { name, session });
          this.workers.set(name, session);
        }
        if (method === "NodeWorker.receivedMessageFromWorker") bySession.get(sessionId)?.session.receive(message);
        if (method === "NodeWorker.detachedFromWorker") {
          const ended = bySession.get(sessionId);
          ended?.session.end();
          if (ended !== undefined) this.workers.delete(ended.name);
        }
      },
    );
    socket.on("message", (data) => this.main.receive(String(data)));
    socket.on("close", () => this.main.end());
  }

  /** Connects to the address in the greeting of a process. */
  static async connect(greeting: string): Promise<Inspector> {
    const url = greeting.match(/Debugger listening on (ws:\S+)/)?.[1];
    if (url === undefined) throw new Error(`no debugger's address in: ${greeting}`);
    const socket = new WebSocket(url, { perMessageDeflate: false });
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    const inspector = new Inspector(socket);
    await inspector.main.call("NodeWorker.enable", { waitForDebuggerOnStart: false });
    return inspector;
  }

  /** Number of worker threads. */
  get workerCount(): number {
    return this.workers.size;
  }

  /** Returns the value of an expression in the main thread. */
  evaluate(expression: string): Promise<Json> {
    return evaluate(this.main, expression);
  }

  /** Evaluates an expression for each living instance (`it`) of a class, by its name. */
  async instances(name: string, expression: string): Promise<Json[]> {
    const { result } = await this.main.call("Runtime.evaluate", { expression: "Object.prototype" });
    const { objects } = await this.main.call("Runtime.queryObjects", { prototypeObjectId: result.objectId });
    const read = `function () {
      const prototypes = new Set();
      for (const it of this) if (Object.hasOwn(it, "constructor") && it.constructor?.name === "${name}") prototypes.add(it);
      return this.filter((it) => prototypes.has(Object.getPrototypeOf(it))).map((it) => ${expression});
    }`;
    const call = { objectId: objects.objectId, functionDeclaration: read, returnByValue: true };
    const values = (await this.main.call("Runtime.callFunctionOn", call)).result.value;
    await this.main.call("Runtime.releaseObject", { objectId: objects.objectId });
    return values;
  }

  /** Returns the memory of each thread after a full garbage collection. */
  async memory(): Promise<ThreadMemory[]> {
    const sessions = [[MAIN, this.main] as const, ...this.workers];
    const all = await Promise.allSettled(sessions.map(([thread, session]) => memoryOf(thread, session)));
    // A worker thread may have ended in the meantime.
    return all.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  }

  close(): void {
    this.socket.terminate();
  }
}

async function evaluate(session: Session, expression: string): Promise<Json> {
  const { result, exceptionDetails } = await session.call("Runtime.evaluate", { expression, returnByValue: true });
  if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description);
  return result.value;
}

async function memoryOf(thread: string, session: Session): Promise<ThreadMemory> {
  // The first collection runs finalizers. The second one frees their objects.
  for (let i = 0; i < 2; i++) await session.call("HeapProfiler.collectGarbage");
  const { heapUsed, external } = JSON.parse(await evaluate(session, MEMORY));
  return { thread, heap: heapUsed, external };
}
