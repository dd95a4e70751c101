import { writeFileSync } from "node:fs";
import gifenc from "gifenc";
import { PNG } from "pngjs";

/** A picture, and the milliseconds for which it is shown. */
export interface Frame {
  png: Buffer;
  delay: number;
}

/** Writes an animated GIF of pictures of the same size, which repeats forever. */
export function writeAnimation(path: string, frames: readonly Frame[]): void {
  const encoder = gifenc.GIFEncoder();
  for (const { png, delay } of frames) {
    const { data, width, height } = PNG.sync.read(png);
    const palette = gifenc.quantize(data, 256);
    encoder.writeFrame(gifenc.applyPalette(data, palette), width, height, { palette, delay });
  }
  encoder.finish();
  writeFileSync(path, encoder.bytes());
}
