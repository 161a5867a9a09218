import { FixedDocument } from "@tollgate/gateway"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"

/** A file of the console, as it is sent. */
export interface ConsoleFile {
  readonly bytes: Uint8Array
  /** As it is sent: also compressed, if the build made that. */
  readonly document: FixedDocument
  readonly contentType: string
}

const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("base64url").slice(0, 22)

export const consoleFile = (bytes: Uint8Array, contentType: string, brotli?: Uint8Array): ConsoleFile => ({
  bytes,
  document: new FixedDocument(hashOf(bytes), bytes, brotli === undefined ? [] : [["br", Effect.succeed(brotli)]]),
  contentType
})
