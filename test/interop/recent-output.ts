import type { ChildProcess } from "node:child_process";

const MAX_CHARACTERS = 6_000;

/** Collects the end of a process's output. */
export function recentOutput({ stdout, stderr }: ChildProcess): () => string {
  let text = "";
  const collect = (chunk: Buffer) => {
    text = (text + chunk).slice(-MAX_CHARACTERS);
  };
  stdout!.on("data", collect);
  stderr!.on("data", collect);
  return () => text;
}
