import { workerData } from "node:worker_threads";
import { PrimitivesError, serveThread } from "@cambium/primitives";

/** A thread whose methods succeed or fail on request, for `thread-client.test.ts`. */
await serveThread(({ emit, delivered }) => {
  if (workerData === "refuse") throw new PrimitivesError({ code: "INVALID_HEX", value: "no" });
  let release = () => {};
  return {
    methods: {
      double(value) {
        emit(`doubling ${value}`);
        return value * 2;
      },
      fill: (shared) => void shared.fill(7),
      refuse: (value) => Promise.reject(new PrimitivesError({ code: "INVALID_HEX", value })),
      throw() {
        throw new TypeError("not my type");
      },
      answerFunction: () => () => {},
      crash: () => void setImmediate(() => Promise.reject(new RangeError("crashed"))),
      exit: () => process.exit(3),
      exhaust() {
        const kept = [];
        for (;;) kept.push(new Array(1000).fill(0));
      },
      never: () => new Promise(() => {}),
      wait: () => new Promise((resolve) => (release = resolve)),
      release: () => release("released"),
      async announce(event) {
        emit(event);
        await delivered();
        return event;
      },
    },
    close: async () => emit("closing"),
  };
});
