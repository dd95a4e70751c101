/**
 * Code that the sandbox runs before a tracer: the objects and functions that go-ethereum offers. It is an expression: a
 * function that receives functions of this node and returns functions for this node to call. Bytes enter as
 * `ArrayBuffer`, and leave as hex without prefix.
 */
export const PRELUDE = `((host) => {
  "use strict";
  const { parse, stringify } = JSON;
  const Bytes = Uint8Array;
  const hexOf = (bytes) => {
    let text = "";
    for (let i = 0; i < bytes.length; i++) text += (bytes[i] & 0xff).toString(16).padStart(2, "0");
    return text;
  };
  const bytesOf = (hex) => {
    const digits = hex.length % 2 === 0 ? hex : "0" + hex;
    const bytes = new Bytes(digits.length / 2);
    for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(digits.substr(2 * i, 2), 16);
    return bytes;
  };
  /** Hex of bytes, of an array of numbers, or if allowed of hex. */
  const given = (value, allowsText) => {
    if (value instanceof Bytes || Array.isArray(value)) return hexOf(value);
    if (allowsText && typeof value === "string") return hexOf(bytesOf(value.replace("0x", "")));
    throw new TypeError("invalid buffer type");
  };
  const sized = (hex, bytes) => hex.slice(-2 * bytes).padStart(2 * bytes, "0");

  const digitsOf = (text, base) => {
    if (base === 10) return BigInt(text);
    const isNegative = text.startsWith("-");
    const digits = (isNegative ? text.slice(1) : text).replace(base === 16 ? "0x" : "", "");
    let value = 0n;
    if (base === 16) value = digits === "" ? 0n : BigInt("0x" + digits);
    else for (const digit of digits) value = value * BigInt(base) + BigInt(Number.parseInt(digit, base));
    return isNegative ? -value : value;
  };
  const native = (value, base = 10) => {
    if (value instanceof BigInteger) return value.value;
    if (typeof value === "string") return digitsOf(value, base);
    return BigInt(value ?? 0);
  };
  const big = (value) => new BigInteger(value);
  class BigInteger {
    constructor(value) { this.value = value; }
    plus(other) { return big(this.value + native(other)); }
    minus(other) { return big(this.value - native(other)); }
    times(other) { return big(this.value * native(other)); }
    over(other) { return big(this.value / native(other)); }
    mod(other) { return big(this.value % native(other)); }
    divmod(other) { return { quotient: this.over(other), remainder: this.mod(other) }; }
    pow(other) { return big(this.value ** native(other)); }
    modPow(exponent, modulus) {
      let [result, base, left, mod] = [1n, this.value, native(exponent), native(modulus)];
      for (; left > 0n; left >>= 1n, base = (base * base) % mod) if (left & 1n) result = (result * base) % mod;
      return big(result);
    }
    square() { return big(this.value * this.value); }
    negate() { return big(-this.value); }
    abs() { return big(this.value < 0n ? -this.value : this.value); }
    next() { return big(this.value + 1n); }
    prev() { return big(this.value - 1n); }
    and(other) { return big(this.value & native(other)); }
    or(other) { return big(this.value | native(other)); }
    xor(other) { return big(this.value ^ native(other)); }
    not() { return big(~this.value); }
    shiftLeft(bits) { return big(this.value << native(bits)); }
    shiftRight(bits) { return big(this.value >> native(bits)); }
    bitLength() { return big(BigInt(this.value === 0n ? 0 : this.abs().value.toString(2).length)); }
    compare(other) { const value = native(other); return this.value === value ? 0 : this.value > value ? 1 : -1; }
    compareAbs(other) { return this.abs().compare(big(native(other)).abs()); }
    equals(other) { return this.compare(other) === 0; }
    notEquals(other) { return this.compare(other) !== 0; }
    greater(other) { return this.compare(other) > 0; }
    greaterOrEquals(other) { return this.compare(other) >= 0; }
    lesser(other) { return this.compare(other) < 0; }
    lesserOrEquals(other) { return this.compare(other) <= 0; }
    isZero() { return this.value === 0n; }
    isUnit() { return this.value === 1n || this.value === -1n; }
    isNegative() { return this.value < 0n; }
    isPositive() { return this.value > 0n; }
    isEven() { return (this.value & 1n) === 0n; }
    isOdd() { return (this.value & 1n) === 1n; }
    toString(radix = 10) { return this.value.toString(radix); }
    toJSON() { return this.value.toString(); }
    toJSNumber() { return Number(this.value); }
    valueOf() { return Number(this.value); }
  }
  const aliases = {
    plus: ["add"], minus: ["subtract"], times: ["multiply"], over: ["divide"], mod: ["remainder"],
    compare: ["compareTo"], equals: ["eq"], notEquals: ["neq"], greater: ["gt"], greaterOrEquals: ["geq"],
    lesser: ["lt"], lesserOrEquals: ["leq"],
  };
  for (const name in aliases) {
    for (const alias of aliases[name]) BigInteger.prototype[alias] = BigInteger.prototype[name];
  }
  const bigInt = (value, base) => big(native(value, base));
  bigInt.zero = big(0n);
  bigInt.one = big(1n);
  bigInt.minusOne = big(-1n);
  bigInt.isInstance = (value) => value instanceof BigInteger;
  bigInt.max = (a, b) => big(native(a) > native(b) ? native(a) : native(b));
  bigInt.min = (a, b) => big(native(a) < native(b) ? native(a) : native(b));
  const word = (hex) => big(digitsOf(hex, 16));

  Object.assign(globalThis, {
    bigInt,
    toHex: (value) => "0x" + given(value, false),
    toWord: (value) => bytesOf(sized(given(value, true), 32)),
    toAddress: (value) => bytesOf(sized(given(value, true), 20)),
    toContract: (from, nonce) => bytesOf(host.contract(sized(given(from, true), 20), String(nonce))),
    toContract2: (from, salt, code) => {
      return bytesOf(host.contract2(sized(given(from, true), 20), sized(given(salt, true), 32), given(code, true)));
    },
    isPrecompiled: (address) => host.isNative(sized(given(address, true), 20)),
    slice: (value, start, end) => {
      const bytes = bytesOf(given(value, false));
      if (start < 0 || start > end || end > bytes.length) {
        throw new RangeError("slice out of bounds: " + bytes.length + " bytes, from " + start + " to " + end);
      }
      return bytes.slice(start, end);
    },
  });

  let step = {};
  let frame = {};
  let result = {};
  const account = (address) => sized(given(address, false), 20);
  const db = {
    getBalance: (address) => word(host.balance(account(address))),
    getNonce: (address) => host.nonce(account(address)),
    getCode: (address) => new Bytes(host.code(account(address))),
    getState: (address, slot) => bytesOf(host.cell(account(address), sized(given(slot, false), 32))),
    exists: (address) => host.exists(account(address)),
  };
  const log = {
    op: {
      toNumber: () => step.op,
      toString: () => step.name,
      isPush: () => step.op >= 0x5f && step.op <= 0x7f,
    },
    stack: { peek: (index) => word(host.peek(index)), length: () => host.stackSize() },
    memory: {
      slice: (begin, end) => new Bytes(host.memory(begin, end)),
      getUint: (offset) => word(hexOf(new Bytes(host.memory(offset, offset + 32)))),
      length: () => host.memorySize(),
    },
    contract: {
      getCaller: () => bytesOf(host.caller()),
      getAddress: () => bytesOf(host.address()),
      getValue: () => word(host.value()),
      getInput: () => new Bytes(host.input()),
    },
    getPC: () => step.pc,
    getGas: () => step.gas,
    getCost: () => step.cost,
    getDepth: () => step.depth,
    getRefund: () => step.refund,
    getError: () => step.error,
  };
  const entered = {
    getType: () => frame.type,
    getFrom: () => bytesOf(frame.from),
    getTo: () => bytesOf(frame.to),
    getInput: () => bytesOf(frame.input),
    getGas: () => frame.gas,
    getValue: () => (frame.value === undefined ? undefined : word(frame.value)),
  };
  const left = {
    getGasUsed: () => result.gasUsed,
    getOutput: () => bytesOf(result.output),
    getError: () => result.error,
  };
  const readContext = (text) => {
    const context = parse(text);
    for (const name of ["from", "to", "input", "output", "coinbase", "blockHash", "txHash"]) {
      if (context[name] !== undefined) context[name] = bytesOf(context[name]);
    }
    for (const name of ["value", "gasPrice"]) context[name] = word(context[name]);
    return context;
  };

  let tracer;
  return {
    open: (given, config) => {
      tracer = given;
      const has = (name) => typeof tracer[name] === "function";
      for (const name of ["result", "fault"]) {
        if (!has(name)) throw new TypeError("a tracer needs the function " + name + "()");
      }
      if (has("enter") !== has("exit")) throw new TypeError("a tracer needs both enter() and exit(), or neither");
      if (has("setup")) tracer.setup(config);
      return (has("step") ? 1 : 0) + (has("enter") ? 2 : 0);
    },
    step: (op, name, pc, gas, cost, depth, refund, error) => {
      step = { op, name, pc, gas, cost, depth, refund, error };
      tracer.step(log, db);
    },
    fault: (op, name, pc, gas, cost, depth, refund, error) => {
      step = { op, name, pc, gas, cost, depth, refund, error };
      tracer.fault(log, db);
    },
    enter: (text) => {
      frame = parse(text);
      tracer.enter(entered);
    },
    exit: (text) => {
      result = parse(text);
      tracer.exit(left);
    },
    result: (text) => {
      const context = readContext(text);
      return stringify(tracer.result(context, db)) ?? "null";
    },
    describe: (error) => {
      const message = error?.message;
      return String(message === undefined ? error : message).slice(0, 200);
    },
  };
})`;
