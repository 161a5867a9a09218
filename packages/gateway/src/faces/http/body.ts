import * as Effect from "effect/Effect"
import type { HttpServerError } from "effect/http/HttpServerError"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { JsonBounds, uncheckedBytes } from "../../internal/JsonBounds.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"

/** The causes by which an adapter reports why it does not read on. */
interface StoppedReading {
  readonly _tag: "BodyTooLarge" | "BodyStopped" | "BodiesTooLarge"
  /** The limit that was exceeded, in bytes. */
  readonly limit?: number
}

/** An adapter may offer the bytes as they arrived, and stop at a limit or when `accepts` returns false for a chunk. */
interface BoundedReading {
  readonly bytesWithin?: (
    maxBytes: number,
    accepts: (chunk: Uint8Array) => boolean
  ) => Effect.Effect<Uint8Array, HttpServerError>
}

const tooLarge = (maxBytes: number) => refuse("body_too_large", `The body is larger than ${maxBytes} bytes.`)
const tooComplex = (what: string) => refuse("invalid_request", `The body has ${what}, which is too much.`)
const unreadable = refuse("invalid_request", "The body could not be read.")
const overloaded = refuse("overloaded", "The gateway holds too many large bodies at the moment.", { retryAfter: 1_000 })

const stoppedBy = ({ reason: { cause } }: HttpServerError): Partial<StoppedReading> =>
  typeof cause === "object" && cause !== null ? cause : {}

const readWhole = (request: HttpServerRequest, maxBytes: number): Effect.Effect<Uint8Array, Refused> =>
  Effect.matchEffect(request.arrayBuffer, {
    onFailure: () => Effect.fail(unreadable),
    onSuccess: (buffer) => {
      const bytes = new Uint8Array(buffer)
      if (bytes.length > maxBytes) return Effect.fail(tooLarge(maxBytes))
      const excess = bytes.length > uncheckedBytes ? new JsonBounds().push(bytes) : undefined
      return excess === undefined ? Effect.succeed(bytes) : Effect.fail(tooComplex(excess))
    }
  })

/** Reads a JSON body. A larger one than `maxBytes`, or one that would take too long to parse, is refused while it arrives. */
export const readBody = (
  request: HttpServerRequest & BoundedReading,
  maxBytes: number
): Effect.Effect<Uint8Array, Refused> => {
  if (request.bytesWithin === undefined) return readWhole(request, maxBytes)
  let bounds: JsonBounds | undefined
  let excess: string | undefined
  const accepts = (chunk: Uint8Array): boolean => {
    excess = (bounds ??= new JsonBounds()).push(chunk)
    return excess === undefined
  }
  return Effect.mapBothEager(request.bytesWithin(maxBytes, accepts), {
    onSuccess: (bytes) => bytes,
    onFailure: (error) => {
      if (excess !== undefined) return tooComplex(excess)
      const { _tag, limit = maxBytes } = stoppedBy(error)
      if (_tag === "BodyTooLarge") return tooLarge(limit)
      return _tag === "BodiesTooLarge" ? overloaded : unreadable
    }
  })
}
