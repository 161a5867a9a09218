import { createHash } from "node:crypto"

/** A file of the console, as it is sent. */
export interface ConsoleFile {
  readonly bytes: Uint8Array
  /** The same, compressed. */
  readonly brotli: Uint8Array | undefined
  readonly contentType: string
  readonly etag: string
}

export const etagOf = (bytes: Uint8Array): string =>
  `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`
