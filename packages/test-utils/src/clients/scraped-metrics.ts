/** Values of metrics by name and labels, as in the text that Prometheus reads. */
export class ScrapedMetrics {
  private readonly values = new Map<string, number>();

  constructor(readonly text: string) {
    for (const line of text.split("\n").filter((one) => one !== "" && !one.startsWith("#"))) {
      const end = line.lastIndexOf(" ");
      this.values.set(line.slice(0, end), Number(line.slice(end + 1)));
    }
  }

  /** Returns the value of a series such as `cambium_peers_by_wire{wire="rlpx"}`; undefined if there is none. */
  get(series: string): number | undefined {
    return this.values.get(series);
  }

  /** All series with this name. */
  seriesOf(name: string): string[] {
    return [...this.values.keys()].filter((series) => series === name || series.startsWith(`${name}{`));
  }
}

/** Reads the metrics of a node whose output at the start with `--metrics.port` was `greeting`. */
export async function scrape(greeting: string): Promise<ScrapedMetrics> {
  return new ScrapedMetrics(await (await fetch(`${metricsAddress(greeting)}/metrics`)).text());
}

/** Returns the address of the metrics server of a node with this output. */
export function metricsAddress(greeting: string): string {
  const [, port] = greeting.match(/"port":(\d+),"msg":"Metrics/)!;
  return `http://127.0.0.1:${port}`;
}
