import { equalBytes, keccak256, toHex } from "@cambium/primitives";
import { isPacked, type NodeReader, placeAt } from "../src/index.js";
import type { PlaceSink } from "../src/interface.js";

/** A store of the nodes of one state under their places. */
export class PlaceStore implements NodeReader, PlaceSink {
  readonly byPlace = true;
  readonly nodes = new Map<string, Uint8Array>();

  get(hash: Uint8Array, key: Uint8Array, start: number): Uint8Array | undefined {
    const message = this.nodes.get(toHex(placeAt(key, start)));
    if (message === undefined) return undefined;
    return isPacked(message) || equalBytes(keccak256(message), hash) ? message : undefined;
  }

  put(place: Uint8Array, message: Uint8Array | undefined): void {
    if (message === undefined) this.nodes.delete(toHex(place));
    else this.nodes.set(toHex(place), message);
  }
}
