import { zero } from "../../Money.ts"
import type { PriceContract } from "../PriceContract.ts"
import { terms } from "../priceSchemas.ts"
import * as Schema from "effect/Schema"
import { type PerTask, perTaskOf } from "./perTask.ts"

/** Costs nothing, and cannot have a price. */
export interface Free {
  readonly contract: "free"
}

/** `"free"` in the configuration file. */
export const FreeSection = (expected = '"free"') =>
  terms(Schema.Literal("free").annotate({ expected }), (): Free => ({ contract: "free" }))

export const free: PriceContract<Free, Free | PerTask> = {
  canBeFree: () => true,
  estimate: () => ({ likely: 0n, most: 0n }),
  evidence: () => ({ kind: "request" }),
  settle: () => 0n,
  forRecorded: (price, { kind }) => (kind === "task" ? perTaskOf(zero) : price),
  basis: () => "free",
  units: () => [],
  // A free operation stays free, because clients retry it freely.
  section: () => FreeSection('"free", because this operation cannot have a price'),
  example: '"free"',
  written: () => "free"
}
