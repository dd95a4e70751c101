import { crypto as hashes, script as scripts, Transaction } from "bitcoinjs-lib";
import { getBytes, hexlify, SigningKey } from "ethers";

// Checks parent-chain inputs without code of the bridge: transactions, hashes and script parsing are bitcoinjs-lib's,
// curve arithmetic is ethers'. This module executes the few opcodes that such scripts use.

/** The output that an input spends. */
export interface SpentOutput {
  script: Buffer;
  value: number;
}

const { OPS } = scripts;
const EMPTY = Buffer.alloc(0);
const TRUE = Buffer.of(1);

interface Spending {
  transaction: Transaction;
  index: number;
  value: number;
  isWitness: boolean;
}

/** Throws unless an input may spend its output by the rules of P2PKH, P2SH and P2SH-P2WSH. */
export function checkInput(transaction: Transaction, index: number, { script, value }: SpentOutput): void {
  const { script: unlocking, witness } = transaction.ins[index]!;
  const spending: Spending = { transaction, index, value, isWitness: false };
  const stack: Buffer[] = [];
  if (!scripts.isPushOnly(scripts.decompile(unlocking)!)) throw new Error("the input's script does more than push");
  run(unlocking, stack, spending);
  const pushed = [...stack];
  run(script, stack, spending);
  requireTrue(stack);
  if (!(script.length === 23 && script[0] === OPS.OP_HASH160 && script[22] === OPS.OP_EQUAL)) return;
  const redeem = pushed.pop()!;
  if (redeem.length === 34 && redeem[0] === OPS.OP_0 && redeem[1] === 32) {
    if (pushed.length > 0) throw new Error("something is pushed beside the witness program");
    const witnessScript = witness.at(-1)!;
    if (!hashes.sha256(witnessScript).equals(redeem.subarray(2))) throw new Error("not the witness program's script");
    runAlone(witnessScript, witness.slice(0, -1), { ...spending, isWitness: true });
  } else {
    runAlone(redeem, pushed, spending);
  }
}

function runAlone(script: Buffer, stack: Buffer[], spending: Spending): void {
  run(script, stack, spending);
  requireTrue(stack);
  if (stack.length !== 1) throw new Error(`${stack.length - 1} items are left over`);
}

function isTrue(item: Buffer): boolean {
  return item.some((byte, i) => byte !== 0 && !(i === item.length - 1 && byte === 0x80));
}

function requireTrue(stack: readonly Buffer[]): void {
  if (stack.length === 0 || !isTrue(stack.at(-1)!)) throw new Error("the script ends with false");
}

function run(script: Buffer, stack: Buffer[], spending: Spending): void {
  const branches: boolean[] = [];
  const pop = (): Buffer => {
    const item = stack.pop();
    if (item === undefined) throw new Error("nothing left on the stack");
    return item;
  };
  for (const chunk of scripts.decompile(script)!) {
    const active = branches.every(Boolean);
    if (chunk === OPS.OP_IF || chunk === OPS.OP_NOTIF) branches.push(active && isTrue(pop()) === (chunk === OPS.OP_IF));
    else if (chunk === OPS.OP_ELSE) branches.push(!branches.pop());
    else if (chunk === OPS.OP_ENDIF) branches.pop();
    else if (active) step(chunk, script, stack, pop, spending);
  }
  if (branches.length > 0) throw new Error("a branch is not closed");
}

function step(chunk: number | Buffer, script: Buffer, stack: Buffer[], pop: () => Buffer, spending: Spending): void {
  if (Buffer.isBuffer(chunk)) return void stack.push(chunk);
  if (chunk === OPS.OP_0) return void stack.push(EMPTY);
  if (chunk >= OPS.OP_1! && chunk <= OPS.OP_16!) return void stack.push(Buffer.of(chunk - OPS.OP_1! + 1));
  switch (chunk) {
    case OPS.OP_DROP:
      return void pop();
    case OPS.OP_DUP:
      return void stack.push(stack.at(-1)!);
    case OPS.OP_HASH160:
      return void stack.push(hashes.hash160(pop()));
    case OPS.OP_EQUAL:
      return void stack.push(pop().equals(pop()) ? TRUE : EMPTY);
    case OPS.OP_EQUALVERIFY:
      if (!pop().equals(pop())) throw new Error("not equal");
      return;
    case OPS.OP_CHECKSIG: {
      const key = pop();
      return void stack.push(isSignature(pop(), key, script, spending) ? TRUE : EMPTY);
    }
    case OPS.OP_CHECKMULTISIG:
      return void stack.push(checkMultisig(script, pop, spending) ? TRUE : EMPTY);
    default:
      throw new Error(`unexpected opcode ${chunk}`);
  }
}

/** Signatures must come in the order of the keys, and the extra item must be empty. */
function checkMultisig(script: Buffer, pop: () => Buffer, spending: Spending): boolean {
  const popMany = () => Array.from({ length: pop()[0] ?? 0 }, pop);
  const keys = popMany();
  const signatures = popMany();
  if (pop().length > 0) throw new Error("the extra item is not empty");
  let key = 0;
  for (const signature of signatures) {
    while (key < keys.length && !isSignature(signature, keys[key]!, script, spending)) key++;
    if (key++ >= keys.length) return false;
  }
  return true;
}

function isSignature(item: Buffer, key: Buffer, script: Buffer, spending: Spending): boolean {
  if (item.length === 0) return false;
  const { signature, hashType } = scripts.signature.decode(item);
  const [r, s] = [hexlify(signature.subarray(0, 32)), hexlify(signature.subarray(32))];
  const hash = signedHash(spending, script, hashType);
  return [27, 28].some((v) => {
    try {
      const found = SigningKey.recoverPublicKey(hash, { r, s, v });
      return SigningKey.computePublicKey(found, true) === hexlify(key);
    } catch {
      return false;
    }
  });
}

function signedHash({ transaction, index, value, isWitness }: Spending, script: Buffer, hashType: number): Uint8Array {
  return isWitness
    ? transaction.hashForWitnessV0(index, script, value, hashType)
    : transaction.hashForSignature(index, script, hashType);
}

/** Returns a signature for an input whose script or witness ends with the redeem script: DER, without hash type. */
export function signInput(transaction: Transaction, index: number, value: number, key: SigningKey): Buffer {
  const { witness, script } = transaction.ins[index]!;
  const isWitness = witness.length > 0;
  const shown = isWitness ? witness.at(-1) : scripts.decompile(script)!.at(-1);
  const spending = { transaction, index, value, isWitness };
  const { r, s } = key.sign(signedHash(spending, shown as Buffer, Transaction.SIGHASH_ALL));
  const encoded = scripts.signature.encode(Buffer.concat([getBytes(r), getBytes(s)]), Transaction.SIGHASH_ALL);
  return encoded.subarray(0, -1);
}
