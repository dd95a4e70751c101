/**
 * Returns the milliseconds of processor time that this process has used. Unlike elapsed time, they do not grow on a
 * busy machine.
 */
export function cpuTime(): number {
  return process.cpuUsage().user / 1000;
}
