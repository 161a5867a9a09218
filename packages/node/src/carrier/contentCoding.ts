import type { Transform } from "node:stream"
import * as zlib from "node:zlib"

/** How a body is decompressed, whole or while it arrives. */
export interface ContentCoding {
  /** Fails if the body is damaged, and with `ERR_BUFFER_TOO_LARGE` if it is longer than that. Runs off the main thread. */
  readonly decode: (body: Uint8Array, maxBytes: number, then: (error: Error | null, decoded: Buffer) => void) => void
  /** For a body that begins so. */
  readonly stream: (first: Uint8Array) => Transform
}

const bound = (maxBytes: number): zlib.ZlibOptions =>
  Number.isSafeInteger(maxBytes) ? { maxOutputLength: Math.max(1, maxBytes) } : {}

const gzip: ContentCoding = {
  decode: (body, maxBytes, then) => zlib.gunzip(body, bound(maxBytes), then),
  stream: () => zlib.createGunzip()
}

/** Some servers send `deflate` without the header of zlib. */
const isWrapped = (body: Uint8Array): boolean => ((body[0] ?? 0) & 0x0f) === 8

const deflate: ContentCoding = {
  decode: (body, maxBytes, then) => (isWrapped(body) ? zlib.inflate : zlib.inflateRaw)(body, bound(maxBytes), then),
  stream: (first) => (isWrapped(first) ? zlib.createInflate() : zlib.createInflateRaw())
}

const br: ContentCoding = {
  decode: (body, maxBytes, then) => zlib.brotliDecompress(body, bound(maxBytes), then),
  stream: () => zlib.createBrotliDecompress()
}

const codings: Readonly<Record<string, ContentCoding>> = { gzip, "x-gzip": gzip, deflate, br }

/** `undefined`: the body is as it is, or in a coding that is not known here. */
export const codingOf = (header: string | undefined): ContentCoding | undefined => {
  if (header === undefined) return undefined
  const name = header.trim().toLowerCase()
  return Object.hasOwn(codings, name) ? codings[name] : undefined
}

export const isTooLarge = (error: Error): boolean => "code" in error && error.code === "ERR_BUFFER_TOO_LARGE"
