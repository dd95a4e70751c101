// libp2p calls Promise.withResolvers, which Node.js 20 lacks (`spec/07 §D.2`). Import this before libp2p.

interface Resolvers<T> {
  promise: Promise<T>;
  resolve(value: T | PromiseLike<T>): void;
  reject(reason?: unknown): void;
}

function withResolvers<T>(this: PromiseConstructor): Resolvers<T> {
  let resolve!: Resolvers<T>["resolve"];
  let reject!: Resolvers<T>["reject"];

  const promise = new this<T>((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  return { promise, resolve, reject };
}

if (!("withResolvers" in Promise)) {
  Object.defineProperty(Promise, "withResolvers", { value: withResolvers, writable: true, configurable: true });
}
