/**
 * Runs a tour through a JavaScript library and prints a line for each method: `passed NAME`, `failed NAME: why` or
 * `not applicable NAME: reason`. Tours in other languages print the same.
 */

/** The chain, as `chain.ts` prepared it. */
export const chain = JSON.parse(process.env.TOUR_CHAIN);

/** Reasons why the chain cannot answer a method. */
export const REASONS = {
  blobs: "no blobs on this chain",
  delegation: "no account delegation (EIP-7702) on this chain",
  names: "no name service known on this chain",
  offChain: "concerns another service than a node",
  wallet: "concerns a wallet application, not a node",
  signed: "expects the transaction alone, where execution-apis says `{raw, tx}`",
  work: "shares of merged mining are submitted with `mnr_` methods",
  personal: "not part of the node's `personal` module",
  library: "not implemented by the library",
};

class NotApplicable {
  constructor(reason, call) {
    this.reason = reason;
    this.call = call;
  }
}

/**
 * Marks a method that the chain cannot answer: its call must fail, so that the list of these methods stays true. A
 * method that would reach beyond the node has no call.
 */
export function notApplicable(reason, call = () => Promise.reject(new Error(reason))) {
  return new NotApplicable(reason, call);
}

/** Names of the functions of an object and its prototypes, except internal ones. */
export function methodsOf(object) {
  const names = new Set();
  for (let owner = object; owner !== null && owner !== Object.prototype; owner = Object.getPrototypeOf(owner)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
      if (typeof value === "function" && name !== "constructor" && !name.startsWith("_")) names.add(name);
    }
  }
  return names;
}

/**
 * Runs groups of methods in order. `surface` has the names that the library offers. Each must be in `methods`, which
 * maps names to functions that call and check, or in `local`, which names those without requests.
 */
export async function runTour(groups) {
  for (const { group, surface, local = [], methods } of groups) {
    for (const name of surface) {
      if (!local.includes(name) && !Object.hasOwn(methods, name))
        console.log(`failed ${group}.${name}: not in the tour`);
    }
    for (const [name, method] of Object.entries(methods)) {
      const unknown = !surface.has(name);
      console.log(unknown ? `failed ${group}.${name}: not in the library` : await visit(`${group}.${name}`, method));
    }
  }
  process.exit();
}

async function visit(name, method) {
  try {
    await within(method instanceof NotApplicable ? method.call() : method());
  } catch (error) {
    if (method instanceof NotApplicable) return `not applicable ${name}: ${method.reason}`;
    return `failed ${name}: ${oneLine(error)}`;
  }
  return method instanceof NotApplicable ? `failed ${name}: passed, but is listed as not applicable` : `passed ${name}`;
}

/** Rejects if a call does not settle: some libraries wait forever. */
function within(call) {
  const timeout = new Promise((_, reject) => {
    setTimeout(() => reject(new Error("no answer for 60 seconds")), 60_000).unref();
  });
  return Promise.race([call, timeout]);
}

function oneLine(error) {
  const text = error instanceof Error ? (error.stack ?? error.message) : JSON.stringify(error);
  return text.replaceAll(/\s+/g, " ").slice(0, 1000);
}
