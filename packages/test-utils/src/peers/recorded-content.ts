import { NETWORKS, type NetworkConfig } from "@cambium/config";
import { decodeRlpList, fromHex, toHex } from "@cambium/primitives";
import type { RskMessage, RskRequest, RskResponse } from "@cambium/rlpx";
import { BlockHeader } from "@cambium/types";
import type { RecordedMessage } from "./recorded-conversations.js";

type GetBlock = Extract<RskMessage, { type: "getBlock" }>;
/** Messages that request an answer. */
export type Question = RskRequest | GetBlock;
/** Answers to a {@link Question}. */
export type Answer = RskResponse | Extract<RskMessage, { type: "block" }>;

interface KnownHeader {
  encoded: Uint8Array;
  number: number;
  parent: string;
}

const STEP = 192;
const CHUNKS = 20;

/**
 * Answers of the deployed client in a recorded connection. Questions that were not recorded are answered from the
 * headers, bodies and blocks that it sent. Otherwise there is no answer, as with data that the deployed client lacks.
 */
export class RecordedContent {
  /** Answers by question, without ids; undefined for silence. */
  private readonly answers = new Map<string, Answer | undefined>();
  private readonly sent = new Set<RskMessage>();
  private readonly headers = new Map<string, KnownHeader>();
  private readonly byHash = new Map<string, Answer>();
  /** Hashes of the best chain of the deployed client, by height. */
  private readonly chain: string[] = [];

  constructor(
    messages: readonly RecordedMessage[],
    private readonly network: NetworkConfig = NETWORKS.local,
  ) {
    for (const { isOurs, message } of messages) {
      if (message !== undefined && isOurs && isQuestion(message)) this.answers.set(keyOf(message), undefined);
    }
    const questions = messages.filter(({ isOurs }) => isOurs).map(({ message }) => message);
    for (const { isOurs, message } of messages) {
      if (isOurs || message === undefined) continue;
      const question = questions.find((one) => one !== undefined && isQuestion(one) && isAnswerTo(message, one));
      if (question !== undefined) this.add(question as Question, message as Answer);
      if (message.type === "status") this.chain[message.bestNumber] = toHex(message.bestHash);
    }
    this.link();
  }

  /** Returns the answer to a question with its id; undefined is silence. */
  answerTo(question: Question): Answer | undefined {
    const key = keyOf(question);
    const answer = this.answers.has(key) ? this.answers.get(key) : this.recombined(question);
    return answer && ("id" in question ? ({ ...answer, id: question.id } as Answer) : answer);
  }

  /** Whether a recorded message of the deployed client answered a question of the recorder. */
  hasAnswer(message: RskMessage): boolean {
    return this.sent.has(message);
  }

  private add(question: Question, answer: Answer): void {
    this.answers.set(keyOf(question), answer);
    this.sent.add(answer);
    if (answer.type === "blockHeadersResponse") for (const header of answer.headers) this.addHeader(header);
    if (question.type === "bodyRequest" || question.type === "blockRequest" || question.type === "getBlock") {
      this.byHash.set(`${answer.type} ${toHex(question.hash)}`, answer);
    }
  }

  private addHeader(encoded: Uint8Array): void {
    const { hash, number, parentHash } = BlockHeader.decode(encoded, this.network, "compressed");
    this.headers.set(toHex(hash), { encoded, number, parent: toHex(parentHash) });
  }

  private link(): void {
    for (let hash = this.chain.at(-1); hash !== undefined; ) {
      const header = this.headers.get(hash);
      if (header === undefined) return;
      this.chain[header.number] = hash;
      if (header.number === 0) return;
      this.chain[header.number - 1] = header.parent;
      hash = header.parent;
    }
  }

  private recombined(question: Question): Answer | undefined {
    const id = 0n;
    switch (question.type) {
      case "blockHashRequest": {
        const hash = question.height === 0 ? undefined : this.chain[question.height];
        return hash === undefined ? undefined : { type: "blockHashResponse", id, hash: fromHex(hash) };
      }
      case "blockHeadersRequest": {
        const headers = this.branch(toHex(question.hash), question.count);
        return headers.length === 0 ? undefined : { type: "blockHeadersResponse", id, headers };
      }
      case "skeletonRequest":
        return this.skeleton(question.start);
      case "bodyRequest":
        return this.byHash.get(`bodyResponse ${toHex(question.hash)}`);
      case "blockRequest":
      case "getBlock":
        return this.byHash.get(`${question.type === "getBlock" ? "block" : "blockResponse"} ${toHex(question.hash)}`);
      default:
        return undefined;
    }
  }

  private branch(hash: string, count: number): Uint8Array[] {
    const branch: Uint8Array[] = [];
    for (let header = this.headers.get(hash); header !== undefined && branch.length < count; ) {
      branch.push(header.encoded);
      header = this.headers.get(header.parent);
    }
    return branch;
  }

  /** Returns a skeleton (`spec/07 §B.5`, "Skeleton served"). */
  private skeleton(start: number): Answer | undefined {
    const best = this.chain.length - 1;
    if (start > best) return undefined;
    const first = Math.floor(start / STEP) * STEP;
    const end = Math.min(best, first + CHUNKS * STEP);
    const numbers: number[] = [];
    for (let number = first; number < end; number += STEP) numbers.push(number);
    numbers.push(end);
    const blocks = numbers.map((number) => ({ number, hash: fromHex(this.chain[number]!) }));
    return { type: "skeletonResponse", id: 0n, blocks };
  }
}

export function isQuestion(message: RskMessage): message is Question {
  return message.type === "getBlock" || message.type.endsWith("Request");
}

/** Whether a message answers a question of the same connection. */
export function isAnswerTo(message: RskMessage, question: Question): boolean {
  if ("id" in question) return "id" in message && message.type.endsWith("Response") && message.id === question.id;
  return message.type === "block" && hashOf(message.block) === toHex(question.hash);
}

function hashOf(block: Uint8Array): string {
  return toHex(BlockHeader.decode(decodeRlpList(block)[0]!.raw, NETWORKS.local).hash);
}

/** Type and content of a question. */
function keyOf(question: Question): string {
  const { id: _, ...content } = question as Question & { id?: bigint };
  return JSON.stringify(content, (_key, value) => (value instanceof Uint8Array ? toHex(value) : value));
}
