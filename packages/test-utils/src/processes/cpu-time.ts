/**
 * Milliseconds of processor time that this process has used: unlike elapsed time, it does not grow on a busy machine.
 */
export function cpuTime(): number {
  return process.cpuUsage().user / 1000;
}
