import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** The compressions that a document is sent in, the better one first. */
export const codings = ["br", "gzip"] as const
export type Coding = (typeof codings)[number]

export type Compress = (coding: Coding, bytes: Uint8Array) => Effect.Effect<Uint8Array>

/** Compresses without holding the program up. `undefined`: documents are sent as they are. */
export const Compression = Context.Reference<Compress | undefined>("@tollgate/gateway/Compression", {
  defaultValue: () => undefined
})
