import { progressOf } from "../events/Event.ts"
import * as Headers from "@tollgate/contract/Headers"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Invocation } from "../call/Invocation.ts"
import type { Connections, Items, NotOpened, Resuming } from "../call/stream/Resuming.ts"
import { type BrokenStream, StreamTruncated } from "../events/errors.ts"
import type { SseItem } from "../events/sse/parser.ts"
import type { Resumable, ResumeToken } from "../options/CallOptions.ts"

export type { ResumeToken }

/**
 * Attempts in a row that brought no event. The first one is made at once. The waits between the others are together longer than a
 * gateway goes on without its caller.
 */
const mostAttempts = 9
const firstMillis = 250
const longestMillis = 30_000

/** How long the head of an answer may take that goes on with a stream. */
const reopenMillis = 30_000

const lastEventId = Headers.lastEventId.toLowerCase()

/** Whether a later attempt may succeed. Other refusals of the request are final. */
const isPassing = ({ code, status = 0 }: NotOpened): boolean =>
  status < 400 ||
  status >= 500 ||
  status === 408 ||
  status === 425 ||
  status === 429 ||
  code === "idempotency_in_flight"

/** The items of a stream, over as many connections as it takes. */
const follow = (
  { closeUnread, invocation, items, open, reading, request }: Connections,
  lastId: () => string | undefined,
  onId: (id: string) => void
): Items => {
  // What is known of the call stays what its first answer said.
  const again: Invocation = { ...invocation, unread: undefined, trace: undefined, leftMillis: () => reopenMillis }
  let attempts = 0
  let isCharged = false

  const note = (item: SseItem): void => {
    if ("comment" in item) isCharged ||= item.comment.includes("cost_micros_usd")
    else if (item.id !== undefined) {
      attempts = 0
      onId(item.id)
    }
  }

  const reopen = Effect.suspend(() => {
    const last = lastId()
    return open(
      again,
      last === undefined ? request : { ...request, headers: { ...request.headers, [lastEventId]: last } }
    )
  })

  const resume = Effect.fnUntraced(function* (broken: BrokenStream): Effect.fn.Return<Items, BrokenStream> {
    // After the last event only the charge is missing.
    const most = reading.state === "open" ? mostAttempts : 1
    let failed = broken
    let retryAfter = 0
    while (attempts < most) {
      attempts++
      const jitter = yield* Random.nextBetween(0.75, 1.25)
      const backoff = attempts === 1 ? 0 : jitter * firstMillis * 2 ** (attempts - 2)
      yield* Effect.sleep(Math.min(longestMillis, Math.max(retryAfter, backoff)))
      const opened = yield* Effect.result(reopen)
      if (Result.isSuccess(opened)) return opened.success
      const why = opened.failure
      const message = `${broken.message}. It could not be resumed: ${why.message}`
      failed = new StreamTruncated({ ...progressOf(reading), message, cause: why })
      if (!isPassing(why)) break
      retryAfter = why.retryAfter ?? 0
    }
    return yield* Effect.fail(failed)
  })

  const isIncomplete = () => reading.state === "open" || (!isCharged && attempts === 0)
  const truncated = () =>
    new StreamTruncated({ ...progressOf(reading), message: "The stream ended before its last event" })

  const connected = (items: Items): Items =>
    items.pipe(
      // One by one, so that the last id is that of the event that is being read.
      Stream.rechunk(1),
      Stream.tap((item) => Effect.sync(() => note(item))),
      Stream.concat(Stream.suspend(() => (isIncomplete() ? Stream.fail(truncated()) : Stream.empty))),
      Stream.catch((broken) =>
        broken._tag === "StreamTruncated" || broken._tag === "StreamTimedOut"
          ? Stream.unwrap(Effect.map(resume(broken), connected))
          : Stream.fail(broken)
      )
    )
  return Stream.unwrap(Effect.as(closeUnread(again), connected(items)))
}

const callId: Resuming["callId"] = ({ operation }, { headers }) => headers[Headers.resumable.key(operation.names)]

/** Without its key a stream would begin again and be paid again. */
const checked = (stored: ResumeToken): ResumeToken => {
  const { idempotencyKey, operation } = stored
  if (idempotencyKey && operation) return stored
  throw new TypeError("A token needs `operation`, `idempotencyKey` and `input`: store what token() returns")
}

/**
 * Lets a stream go on after its connection broke, without paying again: `chatCompletionsStream(input, { resumable: resumable() })`.
 * Make one for each stream. `resumable(token)`: for one that was begun elsewhere, or before a page was reloaded.
 */
export const resumable = (stored?: ResumeToken | null): Resumable => {
  let token = stored ? checked(stored) : undefined
  const resuming: Resuming = {
    token: () => token,
    begin: ({ input, operation: { id, names }, settings: { extra } }, idempotencyKey) => {
      const last = token?.idempotencyKey === idempotencyKey ? token.lastEventId : undefined
      token = {
        operation: id,
        idempotencyKey,
        ...(last === undefined ? {} : { lastEventId: last }),
        input,
        ...(extra === undefined ? {} : { extra })
      }
      return { [Headers.resumable.key(names)]: "true", ...(last === undefined ? {} : { [lastEventId]: last }) }
    },
    callId,
    follow: (connections) => {
      const { head, invocation, items } = connections
      if (callId(invocation, head) === undefined) return items
      const onId = (id: string) => void (token = token && { ...token, lastEventId: id })
      return follow(connections, () => token?.lastEventId, onId)
    }
  }
  return resuming
}

/** A function that streams, of Effect or of a promise client. */
type StreamFunction = (input: never, options?: never) => unknown

/** What `streaming` and a promise client add to their functions. */
interface Origin {
  readonly source?: Origin
  readonly streamed?: { readonly id: string }
}

const operationOf = (stream: Origin): string | undefined => (stream.source ?? stream).streamed?.id

/**
 * Goes on with a stream after the event of its token: `resumeStream(tollgate.messagesStream, resumable(token))`. It costs nothing
 * more, and a stream that the gateway does not have any more is refused, not begun again. One whose request never arrived is begun.
 */
export const resumeStream = <F extends StreamFunction>(
  stream: F,
  resumable: Resumable,
  options?: Omit<NonNullable<Parameters<F>[1]>, "idempotencyKey" | "extra" | "resumable">
): ReturnType<F> => {
  const token = resumable.token()
  if (token === undefined) throw new TypeError("There is no stream to resume: pass resumable(token)")
  const { extra, idempotencyKey, input, operation } = token
  const called = operationOf(stream as Origin) ?? operation
  if (called !== operation) throw new TypeError(`This token is for a stream of ${operation}, not of ${called}`)
  const own = { ...options, idempotencyKey, resumable, ...(extra === undefined ? {} : { extra }) }
  return stream(input as never, own as never) as ReturnType<F>
}
