/** A point of each group of alt_bn128: the generators. */
const POINTS = [
  ...["1", "2"],
  "198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2",
  "1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed",
  "090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b",
  "12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa",
];
/** Code that copies the bytes after it to the memory, and computes their pairings until it is out of gas. */
const LOOP = "60c060156000395b5f5f60c05f60085afa50600756";

/** Creation code that is slow for its gas, as hex: with 6,000,000 gas, it takes some hundred milliseconds. */
export const PAIRINGS = `0x${LOOP}${POINTS.map((word) => word.padStart(64, "0")).join("")}`;
