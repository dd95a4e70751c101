import { readFileSync, writeSync } from "node:fs";
import { BroadcastChannel, isMainThread } from "node:worker_threads";

// Loaded into every thread of a node. On SIGUSR2, the threads that a file names fail. Threads that a variable names
// fail whenever they start.
const NAME = isMainThread ? "main" : process.argv[1].replace(/^.*\/|\.js$/g, "");
const STDERR = 2;

const FAILURES = {
  memory() {
    const kept = [];
    for (;;) kept.push(new Array(50_000).fill(kept.length));
  },
  exception: () =>
    void setImmediate(() => {
      throw new Error("induced failure");
    }),
  rejection: () => void Promise.reject(new Error("induced failure")),
};

function obey(order) {
  const [name, failure] = order.split(" ");
  if (name === NAME) FAILURES[failure]();
}

const { FAILURE_ORDERS, FAILURE_AT_START } = process.env;

writeSync(STDERR, `thread ${NAME} starts\n`);
const orders = new BroadcastChannel("failures");
orders.unref();
orders.onmessage = ({ data }) => obey(data);
if (isMainThread) {
  process.on("SIGUSR2", () => {
    const order = readFileSync(FAILURE_ORDERS, "utf8");
    orders.postMessage(order);
    obey(order);
  });
}
obey(FAILURE_AT_START);
