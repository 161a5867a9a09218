// For endpoint groups of other packages: what those of the gateway share.
export { describeDefect } from "./internal/describeDefect.ts"
export { emptyBytes } from "./internal/emptyBytes.ts"
export { isDeeper } from "./internal/jsonScan.ts"
export { getPath, parseJson } from "./internal/jsonValue.ts"
export { similarName } from "./internal/names.ts"
export { oncePer } from "./internal/once.ts"
export { eventAt, eventEnds } from "./internal/sse.ts"
export { isLarge, turns } from "./internal/Turns.ts"
