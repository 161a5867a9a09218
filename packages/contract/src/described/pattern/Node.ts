import type { Characters } from "./Characters.ts"

/** A regular expression as a tree. `start` is `^`; `assertion` is `$`, `\b` or `\B`. */
export type Node =
  | { readonly kind: "characters"; readonly set: Characters }
  | { readonly kind: "start" | "assertion" }
  | { readonly kind: "sequence" | "alternatives"; readonly parts: ReadonlyArray<Node> }
  | { readonly kind: "repeat"; readonly part: Node; readonly least: number; readonly most: number }

/** Why a pattern cannot be checked safely, in words that follow "the pattern". */
export class Unsafe extends Error {}
