/** Number of streams that continue in one turn of the event loop; each then reads some 64 KiB. */
const PER_TURN = 8;

const waiting: (() => void)[] = [];

/**
 * Continues the reading of a large request or message in a later turn. Otherwise each turn could read megabytes from
 * every client.
 */
export function readLater(resume: () => void): void {
  if (waiting.push(resume) === 1) setImmediate(resumeNext);
}

function resumeNext(): void {
  for (const resume of waiting.splice(0, PER_TURN)) resume();
  if (waiting.length > 0) setImmediate(resumeNext);
}
