import { progressOf } from "../events/Event.ts"
import * as Headers from "@tollgate/contract/Headers"
import type { Operation } from "@tollgate/contract/Operation"
import type { Charge } from "@tollgate/contract/Outcome"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { askCharge } from "../call/chargeOfKey.ts"
import { Client } from "../Client.ts"
import type { InputInvalid, TransportFailed } from "../errors/errors.ts"
import { type Invocation, invoke } from "../call/Invocation.ts"
import type { Connections, Items, NotOpened, Resuming } from "../call/stream/Resuming.ts"
import { type BrokenStream, StreamTruncated } from "../events/errors.ts"
import type { SseItem } from "../events/sse/parser.ts"
import type { CallOptions, Resumable, ResumeToken, StreamOptions } from "../options/CallOptions.ts"
import { newKeys } from "../options/settings.ts"
import type { PromiseStreamOptions } from "../promises/Promises.ts"
import { isPromiseClient, onClient } from "../promises/runner.ts"

export type { ResumeToken }

/** Attempts in a row without an event. The waits between them are longer than a gateway goes on alone. */
const mostAttempts = 9
const firstMillis = 250
const longestMillis = 30_000

/** How long the head of an answer may take that goes on with a stream. */
const reopenMillis = 30_000

/** How long an aborted stream waits for the gateway's word that it has ended. */
const cancelMillis = 1_000

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

  /** Whether it is new: a proxy may send again what it has sent. */
  const note = (item: SseItem): boolean => {
    if ("comment" in item) isCharged ||= item.comment.includes("cost_micros_usd")
    else if (item.id !== undefined) {
      if (Number(item.id) <= Number(lastId())) return false
      attempts = 0
      onId(item.id)
    }
    return true
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
      Stream.filter(note),
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
  let isPrepared = false
  const begin = (operation: string, input: unknown, { extra }: CallOptions, idempotencyKey: string) => {
    const last = token?.idempotencyKey === idempotencyKey ? token.lastEventId : undefined
    token = {
      operation,
      idempotencyKey,
      ...(last === undefined ? {} : { lastEventId: last }),
      input,
      ...(extra === undefined ? {} : { extra })
    }
    return last
  }
  const resuming: Resuming = {
    token: () => token,
    prepare: (operation, input, options) => {
      begin(operation, input, options, options.idempotencyKey ?? Effect.runSync(newKeys()))
      isPrepared = true
    },
    keyed: (options) => {
      const idempotencyKey = isPrepared ? token?.idempotencyKey : undefined
      isPrepared = false
      return idempotencyKey === undefined ? options : { ...options, idempotencyKey }
    },
    begin: ({ input, operation: { id, names }, settings }, idempotencyKey) => {
      const last = begin(id, input, settings, idempotencyKey)
      return { [Headers.resumable.key(names)]: "true", ...(last === undefined ? {} : { [lastEventId]: last }) }
    },
    closed: (exit, { ask, trace }) => {
      if (ask === undefined || !Exit.hasInterrupts(exit)) return Effect.void
      const canceled = Effect.asVoid(Effect.timeoutOption(ask("cancel"), cancelMillis))
      if (trace?.isCanceled?.() !== false) return canceled
      trace.cancel = canceled
      return Effect.void
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
type StreamFunction<O, R> = (input: never, options?: O) => R

/** What `streaming` and a promise client add to their functions. */
interface Origin {
  readonly source?: Origin
  readonly streamed?: Operation
}

const tokenFor = (stream: Origin, resumable: Resumable): ResumeToken => {
  const token = resumable.token()
  if (token === undefined) throw new TypeError("There is no stream to resume: pass resumable(token)")
  const called = (stream.source ?? stream).streamed?.id ?? token.operation
  if (called === token.operation) return token
  throw new TypeError(`This token is for a stream of ${token.operation}, not of ${called}`)
}

/**
 * Goes on with a stream after the event of its token: `resumeStream(tollgate.messagesStream, resumable(token))`. It costs nothing
 * more, and a stream that the gateway does not have any more is refused, not begun again. One whose request never arrived is begun.
 */
export const resumeStream = <O, R>(
  stream: StreamFunction<O, R>,
  resumable: Resumable,
  options?: Omit<O, "idempotencyKey" | "extra" | "resumable">
): R => {
  const { extra, idempotencyKey, input } = tokenFor(stream as Origin, resumable)
  const own = { ...options, idempotencyKey, resumable, ...(extra === undefined ? {} : { extra }) }
  return stream(input as never, own as O)
}

const canceled = (operation: Operation) =>
  Effect.fnUntraced(function* ({ extra, idempotencyKey, input }: ResumeToken) {
    const client = yield* Client
    const options = { idempotencyKey, ...(extra === undefined ? {} : { extra }) }
    const invocation = yield* invoke(client, operation, input, options, true)
    return (yield* askCharge(invocation, invocation.input, idempotencyKey)("cancel")) ?? unknown
  })

const unknown: Charge = { state: "unknown" }

interface CancelStream {
  <E>(
    stream: StreamFunction<StreamOptions, Stream.Stream<unknown, E, Client>>,
    resumable: Resumable
  ): Effect.Effect<Charge, InputInvalid | TransportFailed, Client>
  (stream: StreamFunction<PromiseStreamOptions, unknown>, resumable: Resumable): Promise<Charge>
}

/**
 * Ends a stream for good, also one of another program or of a page that was reloaded, and tells its charge:
 * `cancelStream(tollgate.messagesStream, resumable(token))`. It is `unknown` if the gateway does not tell it.
 */
export const cancelStream: CancelStream = (stream: object, resumable: Resumable): never => {
  const origin: Origin = stream
  const token = tokenFor(origin, resumable)
  const { streamed } = origin.source ?? origin
  if (streamed === undefined) throw new TypeError("Pass a function that streams")
  const cancel = canceled(streamed)
  return (isPromiseClient(stream) ? stream[onClient](cancel as never)(token as never) : cancel(token)) as never
}
