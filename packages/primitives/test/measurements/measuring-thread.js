import { counter, histogram, serveThread } from "@cambium/primitives";

/** A thread that measures, for `measurements.test.ts`. */
await serveThread(() => {
  const done = counter("test_done_total", "Of the test");
  const sizes = histogram("test_size_bytes", "Of the test", [1, 10], { kind: "thread" });
  return {
    methods: {
      add(amount) {
        done.add(amount);
        sizes.observe(amount);
      },
      never: () => new Promise(() => {}),
    },
  };
});
