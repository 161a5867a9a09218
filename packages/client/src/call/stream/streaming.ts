import { progressOf, type Reading } from "../../events/Event.ts"
import type { EventOf, Failure, Input, Operation } from "@tollgate/contract/Operation"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import {
  type AnswerInvalid,
  type BudgetExceeded,
  type ClientError,
  inputInvalid,
  type OutcomeUnknown,
  reasonOf
} from "../../errors/errors.ts"
import type { StreamOptions } from "../../options/CallOptions.ts"
import { Client } from "../../Client.ts"
import { type Invocation, invoke } from "../Invocation.ts"
import { resumable, type Terms } from "../memory.ts"
import { type Watch, watchScoped, attempted } from "../Watch.ts"
import { isSettled, outcomeUnknown, retrying } from "../retrying.ts"
import { decode } from "../../events/sse/parser.ts"
import { type BrokenStream, EventInvalid, StreamTruncated } from "../../events/errors.ts"
import { askCost, limitSilence, type OnCharge, read } from "../../events/read.ts"
import type { Protocol } from "../../events/Protocol.ts"
import type { Items, Resuming } from "./Resuming.ts"
import type { AskCharge } from "../AskCharge.ts"
import { askCharge } from "../chargeOfKey.ts"
import type { Charge } from "@tollgate/contract/Outcome"
import { withinBudgets } from "../budget.ts"
import { readInput, write, type Written } from "../request.ts"
import { termHeaders } from "../terms.ts"
import type { Head, NotCarried } from "@tollgate/contract/carrier/Carrier"
import { invalid, isOk, kindOf, refused } from "../answer.ts"
import { type Received, sendAuthorized, type SendError } from "../sendAuthorized.ts"

/** The answer's head and the stream of its body. */
interface Opened extends Received {
  readonly body: Stream.Stream<Uint8Array, NotCarried>
}

const isEvents = (head: Head): boolean =>
  isOk(head) && /^text\/event-stream\b/i.test(head.headers["content-type"] ?? "")

/** Sends the request and reads the head. Only this may be retried: of the rest the caller has seen a part. */
const open = Effect.fnUntraced(function* <O extends Operation>(
  invocation: Invocation<O>,
  written: Written
): Effect.fn.Return<Opened, Failure<O> | AnswerInvalid | SendError> {
  const { operation } = invocation
  const incoming = yield* sendAuthorized(invocation, written, isEvents)
  const { body } = incoming
  if (!(body instanceof Uint8Array)) return { ...incoming, body }
  const collected = { ...incoming, body }
  return yield* isOk(incoming)
    ? invalid(operation, collected, `Expected events, the answer is ${kindOf(incoming)}`)
    : refused(operation, collected)
})

/**
 * Requests a stream and returns the head of the answer. It is retried only if nothing ran: an idempotency key prevents a
 * second charge, but a stream cannot be replayed. One that is resumable can. `resume` asks under the key all the same, to
 * learn what became of it.
 */
const head = <O extends Operation>(
  invocation: Invocation<O>,
  input: Input<O>,
  query: Readonly<Record<string, string>>,
  watch: Watch | undefined,
  resumable: Resuming | undefined
) =>
  withinBudgets(
    invocation,
    input,
    Effect.fnUntraced(function* (terms) {
      const { names } = invocation.operation
      invocation.ask = askCharge(invocation, input, terms.key)
      const headers = {
        ...termHeaders(names, terms),
        ...(terms.key === undefined ? {} : resumable?.begin(invocation, terms.key)),
        accept: "text/event-stream"
      }
      const request = yield* write(invocation, input, headers, query)
      const attempt = attempted(watch, request, (request) => open(invocation, request))
      const onHead = (opened: Opened) => watch?.opened(opened)
      const keyed = resumable !== undefined || terms.resumed !== undefined
      const opened = yield* retrying(invocation, terms, keyed, attempt, onHead, watch)
      return { opened, request, terms, ask: invocation.ask }
    })
  )

/**
 * Before the first event the operation's errors, and `OutcomeUnknown` if the stream may have run; after it the stream errors,
 * which are not retried.
 */
export type StreamError<O extends Operation> = Failure<O> | ClientError | BudgetExceeded | OutcomeUnknown | BrokenStream

/** The items of a body, or the error that ended it too early. */
const itemsOf = (invocation: Invocation, { body }: Opened, reading: Reading): Items =>
  Stream.suspend(() => {
    invocation.unread = undefined
    return body
  }).pipe(
    Stream.mapError(
      (error) =>
        new StreamTruncated({
          ...progressOf(reading),
          ...reasonOf(error, reading.hide)
        })
    ),
    limitSilence(reading, invocation.idleMillis),
    decode,
    Stream.mapError((error) =>
      error._tag === "EventTooLarge"
        ? new EventInvalid({ ...progressOf(reading), outcome: "executed", message: error.message })
        : error
    )
  )

/** Closes the connection of a body that nobody reads: opens it and ends at once. */
const leave = (unread: Opened["body"]) => {
  const left = Stream.transformPull(unread, () => Effect.succeed(Cause.done()))
  return Effect.exit(Stream.runLast(left))
}

/** An interruption between the head and the first read must not leave the connection open. */
const closeUnread = (invocation: Invocation) =>
  Effect.addFinalizer(() => (invocation.unread === undefined ? Effect.void : leave(invocation.unread)))

/** A stream that broke before its first event may have run. After it, the key tells what became of the call. */
const withKey =
  (invocation: Invocation, terms: Terms, resuming: Resuming | undefined) =>
  (broken: BrokenStream): BrokenStream | OutcomeUnknown => {
    if (broken.outcome === "unknown" && !isSettled(broken)) return outcomeUnknown(invocation, terms, broken)
    // Its message is the gateway's, and it has the charge.
    if (broken._tag === "StreamFailed") return resumable(broken, invocation, terms)
    const canGoOn = broken._tag !== "EventInvalid" && resuming === undefined
    const goOn = canGoOn ? "; one that is `resumable` goes on by itself" : ""
    const message = `${broken.message} (${askCost(broken.requestId)}${goOn})`
    return resumable(Object.assign(broken, { message }), invocation, terms)
  }

/** Asks for the charge of a stream whose end was not seen, and tells it once it is known. */
const learning = (ask: AskCharge, tell: OnCharge): Effect.Effect<Charge | undefined> => {
  let isTold = false
  return Effect.tap(ask(), (charge) => {
    if (charge?.micros === undefined || isTold) return Effect.void
    isTold = true
    return tell(charge)
  })
}

/** Makes the function that streams an operation's events. Leaving the stream closes the connection. */
export const streaming = <O extends Operation>(operation: O, protocol: Protocol) =>
  Object.assign(
    (
      input: Input<O>,
      { onCharge, resumable, ...options }: StreamOptions = {}
    ): Stream.Stream<EventOf<O>, StreamError<O>, Client> => {
      const resuming = (resumable || undefined) as Resuming | undefined
      resuming?.prepare?.(operation.id, input, options)
      const begin = Effect.fnUntraced(function* (invocation: Invocation<O>, watch: Watch | undefined) {
        const { trace } = invocation
        const given = invocation.input as Input<O>
        const asked = yield* readInput(operation.id, () => Effect.succeed(protocol.input?.(given) ?? given))
        const { leave, settle, value } = yield* head(invocation, asked, protocol.query ?? {}, watch, resuming)
        const { ask, opened, request, terms } = value
        const requestId = resuming?.callId(invocation, opened) ?? opened.headers["x-request-id"]
        const { hide } = opened
        const reading: Reading = { operation: invocation.operation.id, requestId, hide, events: 0, state: "open" }
        if (trace !== undefined) {
          trace.reading = reading
          trace.head = { status: opened.status, headers: opened.headers, requestId }
          trace.opened?.()
        }
        let isTold = false
        const tell: OnCharge = (charge) =>
          Effect.suspend(() => {
            isTold = true
            settle(charge, opened)
            watch?.charged(charge)
            if (trace !== undefined) trace.charge = charge
            return onCharge?.(charge) ?? Effect.void
          })
        const learn = learning(ask, tell)
        // Before the body is read, so that its finalizer runs when the connection is closed.
        yield* Effect.addFinalizer(() => {
          if (isTold) return Effect.void
          const left = leave(learn)
          if (trace !== undefined) trace.learn = left
          return terms.hold === undefined && onCharge === undefined ? Effect.void : Effect.forkDetach(left)
        })
        const items = itemsOf(invocation, opened, reading)
        const reopen = (invocation: Invocation, request: Written) =>
          Effect.map(
            attempted(watch, request, (request) => open(invocation, request)),
            (opened) => itemsOf(invocation, opened, reading)
          )
        const all =
          resuming?.follow({ invocation, request, head: opened, reading, items, open: reopen, closeUnread }) ?? items
        const events = Stream.mapError(read(protocol, reading, tell)(all), withKey(invocation, terms, resuming))
        return watch?.events(reading, events) ?? events
      })
      return Stream.unwrap(
        Effect.gen(function* () {
          const client = yield* Client
          // Without types it is easily `true`.
          if (resuming && !resuming.begin)
            return yield* inputInvalid(operation.id, "resumable: pass resumable() of @tollgate/client/resumable")
          const invocation = yield* invoke(client, operation, input, resuming?.keyed(options) ?? options, true)
          if (resuming !== undefined) yield* Effect.addFinalizer((exit) => resuming.closed(exit, invocation))
          yield* closeUnread(invocation)
          const subject = { client, operation: invocation.operation, mode: "stream", input: invocation.input } as const
          return yield* watchScoped(subject, (watch) => begin(invocation, watch))
        })
      )
    },
    /** For `resume`. */
    { streamed: operation }
  )
