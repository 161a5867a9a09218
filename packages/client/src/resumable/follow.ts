import { progressOf } from "../events/Event.ts"
import * as Headers from "@tollgate/contract/Headers"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Pull from "effect/Pull"
import * as Random from "effect/Random"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Invocation } from "../call/Invocation.ts"
import type { Connections, Items as AllItems, NotOpened } from "../call/stream/Resuming.ts"
import { type BrokenStream, StreamTruncated } from "../events/errors.ts"
import type { SseItem } from "../events/sse/parser.ts"

/**
 * Attempts in a row that brought no event. The first one is made at once. The waits between the others are together longer than a
 * gateway goes on without its caller.
 */
const mostAttempts = 9
const firstMillis = 250
const longestMillis = 30_000

/** How long the head of an answer may take that goes on with a stream. */
const reopenMillis = 30_000

export const lastEventId = Headers.lastEventId.toLowerCase()

/** Whether a later attempt may succeed. Other refusals of the request are final. */
const isPassing = ({ code, status = 0 }: NotOpened): boolean =>
  status < 400 ||
  status >= 500 ||
  status === 408 ||
  status === 425 ||
  status === 429 ||
  code === "idempotency_in_flight"

type Items = Pull.Pull<Arr.NonEmptyReadonlyArray<SseItem>, BrokenStream>

/**
 * The items of a stream, over as many connections as it takes. They are passed on one by one, so that the last id is that of the
 * event that is being read.
 */
export const follow = (
  { closeUnread, invocation, items, open, reading, request }: Connections,
  lastId: () => string | undefined,
  onId: (id: string) => void
): AllItems => {
  // What is known of the call stays what its first answer said.
  const again: Invocation = { ...invocation, unread: undefined, trace: undefined, leftMillis: () => reopenMillis }
  const reopen = (last: string | undefined) =>
    open(again, last === undefined ? request : { ...request, headers: { ...request.headers, [lastEventId]: last } })

  const opened = Effect.gen(function* () {
    yield* closeUnread(again)
    const outer = yield* Effect.scope
    let scope = Scope.forkUnsafe(outer)
    let pull: Items = Cause.done()
    let waiting: ReadonlyArray<SseItem> = []
    let attempts = 0
    let isCharged = false

    const use = (items: AllItems) => {
      scope = Scope.forkUnsafe(outer)
      return Effect.map(Channel.toPullScoped(items.channel, scope), (opened) => void (pull = opened))
    }

    const resume = (broken: BrokenStream): Items =>
      Effect.suspend(() => {
        // After the last event only the charge is missing.
        const most = reading.state === "open" ? mostAttempts : 1
        if (attempts >= most) return Effect.fail(broken)
        attempts++
        const retried = (retryAfter: number): Items =>
          Effect.flatMap(Random.nextBetween(0.75, 1.25), (jitter) => {
            const backoff = attempts === 1 ? 0 : jitter * firstMillis * 2 ** (attempts - 2)
            const millis = Math.min(longestMillis, Math.max(retryAfter, backoff))
            return Effect.andThen(
              Effect.sleep(millis),
              Effect.matchEffect(reopen(lastId()), {
                onSuccess: (items) => Effect.andThen(use(items), next),
                onFailure: (why): Items => {
                  if (isPassing(why) && attempts < most) {
                    attempts++
                    return retried(why.retryAfter ?? 0)
                  }
                  const message = `${broken.message}. It could not be resumed: ${why.message}`
                  return Effect.fail(new StreamTruncated({ ...progressOf(reading), message, cause: why }))
                }
              })
            )
          })
        return Effect.andThen(Scope.close(scope, Exit.void), retried(0))
      })

    const pulled: Items = Effect.suspend(() =>
      Pull.matchEffect(pull, {
        onSuccess: (items) => {
          waiting = items
          return next
        },
        onFailure: (cause): Items => {
          const error = Cause.findErrorOption(cause)
          if (error._tag === "None") return Effect.failCause(cause)
          const broken = error.value
          const isLost = broken._tag === "StreamTruncated" || broken._tag === "StreamTimedOut"
          return isLost ? resume(broken) : Effect.fail(broken)
        },
        onDone: () =>
          reading.state === "open" || (!isCharged && attempts === 0)
            ? resume(new StreamTruncated({ ...progressOf(reading), message: "The stream ended before its last event" }))
            : Cause.done()
      })
    )
    const next: Items = Effect.suspend(() => {
      const [item, ...more] = waiting
      if (item === undefined) return pulled
      waiting = more
      if ("comment" in item) isCharged ||= item.comment.includes("cost_micros_usd")
      else if (item.id !== undefined) {
        attempts = 0
        onId(item.id)
      }
      return Effect.succeed([item])
    })
    yield* use(items)
    return next
  })
  return Stream.scoped(Stream.fromPull(opened))
}
