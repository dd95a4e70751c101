import type { CodecWork } from "@cambium/types";

export declare function takeCounts(): Record<"main" | "others", Record<CodecWork, number>>;
