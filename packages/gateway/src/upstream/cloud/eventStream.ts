import { NotCarried } from "@tollgate/contract/carrier/Carrier"
import { read } from "@tollgate/contract/price/exact"
import * as Utf8 from "@tollgate/contract/Utf8"
import { isReadonlyArrayNonEmpty } from "effect/Array"
import * as Bytes from "effect/Bytes"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { emptyBytes } from "../../internal/emptyBytes.ts"
import { tryParse } from "../../internal/jsonValue.ts"

// The binary frames in which AWS streams: lengths, checksum, headers, payload, checksum.

export const eventStreamType = "application/vnd.amazon.eventstream"

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})

/** As in gzip. */
export const crc32 = (bytes: Uint8Array): number => {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] ?? 0)
  return (crc ^ 0xffffffff) >>> 0
}

/** How long a header's value is, by its type. Bytes (6) and text (7) have a length of their own. */
const valueBytes: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 }

/** The headers that are text. `undefined`: they are not valid. */
const headersOf = (bytes: Uint8Array): ReadonlyMap<string, string> | undefined => {
  const found = new Map<string, string>()
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let at = 0
  while (at < bytes.length) {
    const nameEnd = at + 1 + view.getUint8(at)
    if (nameEnd >= bytes.length) return undefined
    const name = Utf8.decode(bytes.subarray(at + 1, nameEnd))
    const type = view.getUint8(nameEnd)
    const fixed = valueBytes[type]
    if (fixed === undefined && ((type !== 6 && type !== 7) || nameEnd + 3 > bytes.length)) return undefined
    const start = nameEnd + (fixed === undefined ? 3 : 1)
    at = start + (fixed ?? view.getUint16(nameEnd + 1))
    if (at > bytes.length) return undefined
    if (type === 7) found.set(name, Utf8.decode(bytes.subarray(start, at)))
  }
  return found
}

export interface Frame {
  readonly headers: ReadonlyMap<string, string>
  readonly payload: Uint8Array
}

/** Lengths and their checksum, and the checksum at the end. */
const preludeBytes = 12
const leastBytes = preludeBytes + 4

const broken = (what: string) => new NotCarried({ why: "broken", answered: `The upstream's stream ${what}` })

/** Reads frames from chunks that are cut anywhere. */
export class FrameReader {
  readonly #maxBytes: number
  #rest: Uint8Array = emptyBytes
  #parts: Array<Uint8Array> = []
  #size = 0
  /** How much has to arrive before it is worth looking again. */
  #needed = preludeBytes

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** A frame has begun and not ended. */
  get isWithin(): boolean {
    return this.#size > 0
  }

  /** Passes each whole frame on, in order. What it returns is wrong with the next one. */
  push(chunk: Uint8Array, onFrame: (frame: Frame) => NotCarried | undefined): NotCarried | undefined {
    this.#parts.push(chunk)
    this.#size += chunk.length
    if (this.#size < this.#needed) return undefined
    this.#rest = this.#parts.length === 1 ? chunk : Bytes.concat(this.#parts)
    let problem: NotCarried | undefined
    while (problem === undefined && this.#rest.length >= this.#needed) problem = this.#next(onFrame)
    this.#size = this.#rest.length
    this.#parts = this.#size === 0 ? [] : [this.#rest]
    return problem
  }

  #next(onFrame: (frame: Frame) => NotCarried | undefined): NotCarried | undefined {
    const bytes = this.#rest
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    const total = view.getUint32(0)
    const headersEnd = preludeBytes + view.getUint32(4)
    if (crc32(bytes.subarray(0, 8)) !== view.getUint32(8)) return broken("has a frame with a wrong checksum")
    if (total < leastBytes || headersEnd > total - 4) return broken("has a frame that is not valid")
    if (total > this.#maxBytes) return new NotCarried({ why: "too large" })
    this.#needed = total
    if (bytes.length < total) return undefined
    this.#needed = preludeBytes
    this.#rest = bytes.subarray(total)
    if (crc32(bytes.subarray(0, total - 4)) !== view.getUint32(total - 4))
      return broken("has a frame with a wrong checksum")
    const headers = headersOf(bytes.subarray(preludeBytes, headersEnd))
    if (headers === undefined) return broken("has a frame that is not valid")
    return onFrame({ headers, payload: bytes.subarray(headersEnd, total - 4) })
  }
}

/** Bedrock's names for what went wrong, as Anthropic names it. */
const errorTypes: Readonly<Record<string, string>> = {
  throttlingException: "rate_limit_error",
  serviceQuotaExceededException: "rate_limit_error",
  validationException: "invalid_request_error",
  resourceNotFoundException: "not_found_error",
  accessDeniedException: "permission_error",
  serviceUnavailableException: "overloaded_error",
  modelNotReadyException: "overloaded_error",
  modelTimeoutException: "timeout_error"
}

const eventOf = (name: unknown, json: string): Uint8Array =>
  Utf8.encode(`${typeof name === "string" && /^\w+$/.test(name) ? `event: ${name}\n` : ""}data: ${json}\n\n`)

const errorEvent = (type: string, message: unknown): Uint8Array =>
  eventOf("error", JSON.stringify({ type: "error", error: { type, message: message ?? "The upstream failed." } }))

/** The event of a protocol that a frame holds. `undefined`: it holds none. */
const eventIn = ({ headers, payload }: Frame, isFirst: boolean): Uint8Array | NotCarried | undefined => {
  const kind = headers.get(":message-type")
  if (kind === "error") return errorEvent("api_error", headers.get(":error-message"))
  if (kind === "exception") {
    const name = headers.get(":exception-type") ?? ""
    // The model itself failed: it may have run.
    if (isFirst && name.startsWith("model")) return broken(`began with ${name.slice(0, 100)}`)
    return errorEvent(errorTypes[name] ?? "api_error", read(tryParse(payload), ["message"]))
  }
  if (headers.get(":event-type") !== "chunk") return undefined
  const encoded = read(tryParse(payload), ["bytes"])
  const decoded = typeof encoded === "string" ? Result.getOrUndefined(Base64.decode(encoded)) : undefined
  if (decoded === undefined) return broken("has a frame that is not valid")
  // Between values JSON may have line ends, which would end the line of an event.
  return eventOf(read(tryParse(decoded), ["type"]), Utf8.decode(decoded).replace(/[\r\n]+/g, " "))
}

/** A stream of frames as server-sent events. A frame that is cut, or has a wrong checksum, breaks it off. */
export const toEvents = (
  frames: Stream.Stream<Uint8Array, NotCarried>,
  maxFrameBytes: number
): Stream.Stream<Uint8Array, NotCarried> =>
  Stream.transformPull(frames, (pull) =>
    Effect.sync(() => {
      const reader = new FrameReader(maxFrameBytes)
      let problem: NotCarried | undefined
      let isFirst = true
      const eventsIn = (chunks: ReadonlyArray<Uint8Array>) => {
        const events: Array<Uint8Array> = []
        for (const chunk of chunks) {
          problem ??= reader.push(chunk, (frame) => {
            const event = eventIn(frame, isFirst)
            if (event instanceof NotCarried) return event
            isFirst = false
            if (event !== undefined) events.push(event)
            return undefined
          })
        }
        return events
      }
      const next: Pull.Pull<readonly [Uint8Array, ...Array<Uint8Array>], NotCarried> = Effect.suspend(() =>
        problem !== undefined
          ? Effect.fail(problem)
          : Pull.matchEffect(pull, {
              onSuccess: (chunks) => {
                const events = eventsIn(chunks)
                return isReadonlyArrayNonEmpty(events) ? Effect.succeed(events) : next
              },
              onFailure: Effect.failCause,
              onDone: (): Effect.Effect<never, NotCarried | Cause.Done> =>
                reader.isWithin ? Effect.fail(broken("ended within a frame")) : Cause.done()
            })
      )
      return next
    })
  )
