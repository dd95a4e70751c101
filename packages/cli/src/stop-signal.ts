import type { Logger } from "pino";

/** Milliseconds to stop in order after an uncaught exception. */
const STOP_AFTER_EXCEPTION = 30_000;
/** Maximum number of uncaught exceptions that are logged: logging itself may be the failing part. */
const MAX_LOGGED_EXCEPTIONS = 10;

/** Whether the process was started at a terminal, which sends a SIGHUP when it closes. */
export function hasTerminal(): boolean {
  return process.stdout.isTTY === true || process.stdin.isTTY === true;
}

/**
 * Aborted by the first SIGINT or SIGTERM, or the end of the terminal; a second one exits immediately. Also aborted by
 * an uncaught exception, because the node may be inconsistent after it; the exit status is 1 then.
 */
export function stopSignal(logger: Logger): AbortSignal {
  const stopping = new AbortController();
  let exceptions = 0;
  process.on("uncaughtException", (error, origin) => {
    if (exceptions++ < MAX_LOGGED_EXCEPTIONS) logger.fatal({ err: error, origin }, "Uncaught exception, stopping");
    process.exitCode = 1;
    if (!stopping.signal.aborted) setTimeout(() => process.exit(1), STOP_AFTER_EXCEPTION).unref();
    stopping.abort();
  });
  for (const signal of ["SIGINT", "SIGTERM", ...(hasTerminal() ? ["SIGHUP"] : [])]) {
    process.on(signal, () => {
      if (stopping.signal.aborted) process.exit(1);
      logger.info(`Received ${signal}, stopping; a second signal exits immediately`);
      stopping.abort();
    });
  }
  return stopping.signal;
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined));
  });
}
