// Figures as the lines for operators show them.

/** Returns a share in percent, rounded down to a tenth. */
export function percent(part: number, whole: number): string {
  return (Math.floor((part / whole) * 1000) / 10).toFixed(1);
}

/** Returns a speed, with a decimal below ten. */
export function rounded(speed: number): string {
  return speed.toFixed(speed < 10 ? 1 : 0);
}

export function peerCount(peers: number): string {
  return `${peers} ${peers === 1 ? "peer" : "peers"}`;
}

/** Returns seconds in the two largest units that matter. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  const [days, hours, minutes] = [
    Math.floor(whole / 86_400),
    Math.floor(whole / 3600) % 24,
    Math.floor(whole / 60) % 60,
  ];
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  if (minutes > 0) return `${minutes} min ${whole % 60} s`;
  return `${whole} s`;
}
