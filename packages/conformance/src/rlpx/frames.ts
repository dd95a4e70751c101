import { fromHex, toHex } from "@cambium/primitives";
import { FrameDecoder, FrameEncoder } from "@cambium/rlpx";
import { Comparison } from "../comparison.js";
import type { CaseResult, VectorFile } from "../interface.js";

interface FrameSequence {
  name: string;
  aes: string;
  mac: string;
  /** Bytes that the MAC of the direction has absorbed. */
  macInit: string;
  frames: readonly { code: number; payload: string; headerData: string; frame: string }[];
}

/** Encodes and decodes sequences of frames. */
export function* runFrames(file: VectorFile): Iterable<CaseResult> {
  const { sequences } = JSON.parse(file.text()) as { sequences: readonly FrameSequence[] };
  for (const { name, aes, mac, macInit, frames } of sequences) {
    const comparison = new Comparison(name);
    const start = fromHex(macInit);
    const secrets = { aes: fromHex(aes), mac: fromHex(mac), egress: start, ingress: start };
    const encoder = new FrameEncoder(secrets);
    const decoder = new FrameDecoder(secrets);
    for (const [i, { code, payload, headerData, frame }] of frames.entries()) {
      const encoded = encoder.encode(code, fromHex(payload), fromHex(headerData));
      comparison.equal(`frame ${i}`, toHex(encoded), frame);
      decoder.push(fromHex(frame));
      const decoded = decoder.next();
      comparison.equal(`code of frame ${i}`, decoded?.code, code);
      comparison.equal(`payload of frame ${i}`, decoded && toHex(decoded.payload), payload);
    }
    yield comparison.result();
  }
}
