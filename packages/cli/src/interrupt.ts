/** Exit status after SIGINT, by the convention of shells: 128 + signal number. */
export const INTERRUPTED = 130;

/**
 * Aborted by SIGINT and SIGTERM, so that long operations stop between two blocks; a second signal exits immediately.
 */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(1);
      controller.abort();
    });
  }
  return controller.signal;
}
