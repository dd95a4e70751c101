/** Measured figures, printed together at the end. */
export class FigureTable {
  private readonly rows: { what: string; value: string }[] = [];

  add(what: string, value: number, unit: string): void {
    this.rows.push({ what, value: `${value.toFixed(1)} ${unit}` });
  }

  print(): void {
    const width = Math.max(0, ...this.rows.map(({ what }) => what.length));
    for (const { what, value } of this.rows) console.log(`    ${what.padEnd(width)}  ${value}`);
  }
}
