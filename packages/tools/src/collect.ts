import type { Charge } from "@tollgate/contract/Outcome"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Bytes from "effect/Bytes"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Refused } from "@tollgate/contract/errors/Refused"
import type { StreamReply } from "@tollgate/gateway/exchange/Reply"
import { mostBytes } from "./answer.ts"
import type { Progress } from "./Caller.ts"
import type { Used } from "./shapes.ts"

export interface Collected {
  readonly bytes: Uint8Array
  /** More than there are in `bytes` if the stream was too long. */
  readonly received: number
  readonly charge: Charge
  /** Set if it broke without a place for the error. */
  readonly refused: Refused | undefined
  /** It was longer than `longest`, and was left. It is settled by what has arrived. */
  readonly isLeft: boolean
}

/** How many bytes of a stream are read. */
export const longest = 64 * 1024 * 1024

const tooLong = Symbol("tooLong")

/** Progress is reported at most this often. */
const reportMillis = 250

const comment = /^: cost_micros_usd=(\d{1,15}) cost_state=(settled|estimated|none)$/m

/** The charge that the last chunk of an event stream tells in a comment. */
const chargeIn = (last: Uint8Array | undefined, otherwise: Charge): Charge => {
  const match = last === undefined ? null : comment.exec(Utf8.decode(last.subarray(-200)))
  return match === null ? otherwise : { state: match[2] as "settled", micros: Number(match[1]) }
}

/** Reads a stream to its end, so that it is settled, and keeps what fits. */
export const collect = Effect.fnUntraced(function* ({ body, charge, head }: StreamReply, progress: Progress) {
  const most = mostBytes(head.contentType)
  const kept: Array<Uint8Array> = []
  let received = 0
  let size = 0
  let last: Uint8Array | undefined
  let reportedAt = -Infinity
  const clock = yield* Clock.Clock
  const take = (chunks: ReadonlyArray<Uint8Array>): Effect.Effect<void, typeof tooLong> => {
    for (const chunk of chunks) {
      last = chunk
      received += chunk.length
      const fitting = chunk.subarray(0, most - size)
      size += fitting.length
      if (fitting.length > 0) kept.push(fitting)
    }
    if (received > longest) return Effect.fail(tooLong)
    const now = clock.currentTimeMillisUnsafe()
    if (!progress.isWanted || now - reportedAt < reportMillis) return Effect.void
    reportedAt = now
    return progress.report(received, `${received} bytes received`)
  }
  const failed = yield* Effect.match(Stream.runForEachArray(body, take), {
    onSuccess: () => undefined,
    onFailure: (error) => error
  })
  const collected: Collected = {
    bytes: Bytes.concat(kept),
    received,
    charge: chargeIn(last, charge),
    refused: failed instanceof Refused ? failed : undefined,
    isLeft: failed === tooLong
  }
  return collected
})

/** Whether the last event is an error: a stream that broke ends with one. */
export const endsWithError = ({ body }: Pick<Used, "body">): boolean => {
  const last: unknown = Array.isArray(body) ? body.at(-1) : undefined
  return typeof last === "object" && last !== null && "error" in last && last.error !== null
}
