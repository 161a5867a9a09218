import * as Headers from "@tollgate/contract/Headers"
import { toMicros } from "@tollgate/contract/Money"
import { isQuotable } from "@tollgate/contract/Operation"
import { basis, contractOf } from "@tollgate/contract/price/contracts"
import { one } from "@tollgate/contract/price/Price"
import { Quote } from "@tollgate/contract/resources/Quote"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { json, type Answer, type Builtin } from "../../exchange/Reply.ts"
import { type Priced, withoutBytes, type Decoded } from "../../exchange/Exchange.ts"
import type { Admission } from "../../limits/Admission.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import { type Ending, free as noCharge, wholeEnding, failing, scrubbedFailure, type StreamEnd } from "../Ending.ts"
import { isLarge, turns } from "../../internal/Turns.ts"
import { Ledger, OnMilestone, type Reservation, type Settled } from "@tollgate/ledger/ledger/Ledger"
import { type PriceBook, Prices } from "../../exchange/Prices.ts"
import type { Keep as KeepResponse } from "../kept/keep.ts"
import { type Keep, keeper } from "../steps/14-addToCache.ts"
import { meter as meterWhole, meterStream, usedTokens } from "../steps/13-meter.ts"
import { type EndUncharged, endUncharged } from "../steps/15-settle.ts"
import type { Whole, Streamed, Called } from "../../upstream/Called.ts"
import { readAnswer } from "../../upstream/protocols/parsedAnswer.ts"
import { isSuccess } from "../../upstream/protocols/message.ts"
import { type AbandonedStreams, CurrentAbandonedStreams } from "../AbandonedStreams.ts"
import { notOfItsProtocol, type RefuseUnmetered, refuseUnmetered } from "./notMetered.ts"
import type { Charge } from "@tollgate/contract/Outcome"
import type { Scope } from "effect/Scope"
import type { StreamMeter } from "../../upstream/Protocol.ts"
import { withReportedCost } from "../../upstream/protocols/reportedCost.ts"
import { isEvents } from "./brokenStream.ts"
import type { Forward, ReadRest } from "./forward.ts"
import { Tasks } from "../task/Tasks.ts"
import * as Option from "effect/Option"
import type { ReservedOrReplay } from "../steps/11-reserve.ts"
import { kept, replay } from "./cached.ts"
import { callerMayDisconnect } from "../../internal/callerMayDisconnect.ts"

const validMillis = 300_000

const encodeQuote = Schema.encodeSync(Schema.fromJsonString(Quote))

const quoteOf = ({ estimate, model, operation, price, principal, requestId }: Priced, now: number): Quote => ({
  operation_id: operation.id,
  currency: "USD",
  estimate_micros_usd: toMicros(estimate.likely),
  max_micros_usd: toMicros(estimate.most),
  price_contract: price.contract,
  basis: basis(price, { multiplier: principal?.multiplier ?? one, model }),
  expires_at: new Date(now + validMillis).toISOString(),
  request_id: requestId
})

/** Answers with the price of the call instead of making it. */
const quote = (exchange: Priced, admission: Admission): Effect.Effect<Ending, Refused> => {
  const { operation, request } = exchange
  const header = Headers.costMode(operation.names)
  if (request.headers[Headers.costMode.key(operation.names)] !== "quote") {
    return Effect.fail(refuse("invalid_request", `${header} must be quote.`, { param: header }))
  }
  if (!isQuotable(operation)) {
    return Effect.fail(refuse("quote_unsupported", `${operation.id} is free: call it without ${header}.`))
  }
  return Effect.map(Clock.currentTimeMillis, (now) =>
    wholeEnding(exchange, json(encodeQuote(quoteOf(exchange, now))), admission, noCharge, undefined)
  )
}

/** What the endings of calls that are charged share. */
interface Billing {
  readonly prices: PriceBook
  readonly ledger: Ledger["Service"]
  readonly endUncharged: EndUncharged
  readonly unmetered: RefuseUnmetered
  readonly left: AbandonedStreams
  readonly responses: KeepResponse
}

type End = (
  exchange: Priced,
  reservation: Reservation,
  called: Whole,
  admission: Admission
) => Effect.Effect<Ending, Refused>

/** An answer that was translated. `undefined`: it is not of the upstream's protocol. */
const inCallersWords = (called: Whole): Whole | undefined => {
  const { answer, protocol } = called
  if (protocol.turned === undefined || !isSuccess(answer.status)) return called
  const turned = protocol.turned(answer)
  return turned && { ...called, answer: turned }
}

/** Settles the call together with what keeps its response. */
const settleWith = <A, E>(
  writes: Effect.Effect<Settled["also"]> | undefined,
  settled: Settled,
  settle: (settled: Settled) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  writes === undefined ? settle(settled) : Effect.flatMap(writes, (also) => settle({ ...settled, also }))

/** The whole answer has arrived. It is metered and settled before the caller gets any of it. */
const whole = (
  { endUncharged, ledger, left, prices, responses, unmetered }: Billing,
  keep: Keep,
  reached: OnMilestone
): End => {
  const end: End = (exchange, reservation, answered, admission) => {
    const metered = meterWhole(prices, exchange, answered, left)
    if (metered === undefined && isSuccess(answered.answer.status)) return unmetered(exchange, reservation, answered)
    const turned = inCallersWords(answered)
    if (turned === undefined) return unmetered(exchange, reservation, answered)
    const called = metered?.failed === true ? scrubbedFailure(turned) : turned
    const [shown, writes] = responses.answer(exchange, called)
    const settled = (answer: Answer) => {
      const hasFailed = metered === undefined || metered.failed === true || !isSuccess(answer.status)
      const by = hasFailed ? failing(exchange, called) : called
      const charged =
        metered === undefined
          ? endUncharged(exchange, reservation, answer.status, by)
          : settleWith(
              hasFailed ? undefined : writes,
              answer === answered.answer ? metered : { ...metered, answer },
              (settled) => ledger.settle(reservation, settled, by)
            )
      return Effect.mapEager(charged, (charge): Ending => {
        reached?.("settled")
        const { limits } = admission
        return { reply: { kind: "whole", exchange, answer, limits, charge }, tokens: usedTokens(exchange, metered) }
      })
    }
    return keep === undefined ? settled(shown) : Effect.flatMapEager(keep(exchange, shown, metered), settled)
  }
  return (exchange, reservation, called, admission) =>
    isLarge(called.answer.bytes) && called.protocol.turned === undefined
      ? Effect.flatMap(turns.inSlices(readAnswer(exchange, called.answer)), () =>
          end(exchange, reservation, called, admission)
        )
      : end(exchange, reservation, called, admission)
}

const pending: Charge = { state: "pending" }
const unknown: Charge = { state: "unknown" }

const failedStream = {
  message: "The upstream ended its stream with an error. The last event of the stream says which."
}

/** The answer that the last event holds. */
const wholeOf = ({ streaming: { headers, reportedCost, status }, ...called }: Streamed, bytes: Uint8Array): Whole => ({
  ...called,
  kind: "whole",
  answer: { status, contentType: "application/json", headers, bytes, reportedCost }
})

const meterOf = (exchange: Priced, { protocol, streaming }: Streamed): StreamMeter => {
  const { contentType = "", eventBytes } = streaming
  const meter = protocol.streamMeter(exchange, eventBytes)
  const at = contractOf(exchange.price).reportedAt?.(exchange.price)
  return at !== undefined && "field" in at
    ? withReportedCost(meter, at.field, isEvents.test(contentType), eventBytes)
    : meter
}

/** The answer is forwarded while it arrives. It is metered and settled at its end, and holds its lease until then. */
const stream =
  ({ endUncharged, ledger, left, prices, responses, unmetered }: Billing, forward: Forward) =>
  (
    given: Priced,
    reserved: Reservation,
    called: Streamed,
    admission: Admission
  ): Effect.Effect<Ending, Refused, Scope> => {
    const { streaming } = called
    const exchange = withoutBytes(given)
    const [meter, writes] = responses.stream(exchange, meterOf(exchange, called), called)
    // A stream is not stored for replays.
    const reservation = { ...reserved, keepAnswer: false }
    const end = (how: StreamEnd, broken?: Refused): Effect.Effect<Charge, Refused> => {
      const report = meter.report()
      const metered =
        report.whole === undefined
          ? meterStream(prices, exchange, called, streaming, report, how, left)
          : meterWhole(prices, exchange, wholeOf(called, report.whole), left)
      const error = broken?.refusal ?? (report.state === "failed" ? failedStream : undefined)
      const by = error === undefined ? called : { provider: called.provider, tried: called.tried, error }
      if (metered === "unknown") {
        return ledger.markUnknown(reservation, by).pipe(
          Effect.andThen(() => admission.end(undefined)),
          Effect.as(unknown)
        )
      }
      const settled =
        metered !== undefined
          ? settleWith(writes, metered, (settled) => ledger.settle(reservation, settled, by))
          : report.state === "failed"
            ? endUncharged(exchange, reservation, streaming.status, by)
            : unmetered(exchange, reservation, called)
      return Effect.onExit(settled, () => admission.end(usedTokens(exchange, metered)))
    }
    const readRest: ReadRest = (rest) => left.read(exchange, called, rest)
    return Effect.map(forward(exchange, streaming, meter, end, readRest, true), (body) => ({
      reply: { kind: "stream", exchange, head: streaming, body, limits: admission.limits, charge: pending },
      tokens: "later"
    }))
  }

/** An upstream answers, and nothing is reserved, metered or charged. */
const free =
  (responses: KeepResponse, forward: Forward) =>
  (given: Priced, called: Called, admission: Admission): Effect.Effect<Ending, Refused, Scope> => {
    if (called.kind === "whole") {
      // Nothing reads whether it says that it failed. A large answer says no such thing.
      const turned = inCallersWords(called)
      if (turned === undefined) return Effect.fail(notOfItsProtocol())
      const large = isLarge(called.answer.bytes)
      const [shown, writes] = responses.answer(given, large ? turned : scrubbedFailure(turned))
      const ended = writes === undefined ? Effect.void : Effect.flatMap(writes, responses.write)
      return Effect.as(ended, wholeEnding(given, shown, admission, noCharge, undefined))
    }
    const { protocol, streaming } = called
    const exchange = withoutBytes(given)
    const raw = protocol.streamMeter(exchange, streaming.eventBytes)
    const [meter, writes = Effect.undefined] = responses.stream(exchange, raw, called)
    const end = () =>
      Effect.as(Effect.andThen(Effect.flatMap(writes, responses.write), admission.end(undefined)), noCharge)
    return Effect.map(forward(exchange, streaming, meter, end), (body) => ({
      reply: { kind: "stream", exchange, head: streaming, body, limits: admission.limits, charge: noCharge },
      tokens: "later"
    }))
  }

/** The upstream goes on working after the answer. The reservation stays until the task ends. */
const task =
  (tasks: Tasks["Service"] | undefined, ledger: Ledger["Service"], reached: OnMilestone) =>
  (
    exchange: Priced,
    reservation: Reservation,
    call: Effect.Effect<Called, Refused>,
    admission: Admission
  ): Effect.Effect<Ending, Refused> => {
    if (tasks === undefined) {
      const refused = refuse(
        "upstream_misconfigured",
        `${exchange.operation.id} starts tasks, and this gateway has no task store.`
      )
      return Effect.andThen(
        ledger.release(reservation, 503, undefined, { error: refused.refusal }),
        Effect.fail(refused)
      )
    }
    const called = Effect.tap(call, () => Effect.sync(() => reached?.("called")))
    return Effect.map(tasks.create(exchange, reservation, called, ledger), ({ answer, charge }) =>
      wholeEnding(exchange, answer, admission, charge, 0)
    )
  }

/** The gateway answers the operation itself. */
const builtin = (exchange: Decoded, answer: Builtin, admission: Admission): Effect.Effect<Ending, Refused> =>
  Effect.map(callerMayDisconnect(answer(exchange)), (answer) =>
    wholeEnding(exchange, answer, admission, answer.charge ?? noCharge, undefined)
  )

/** The endings of an admitted call, each with the services it needs. */
export const make = Effect.fnUntraced(function* (
  cap: (exchange: Priced) => Effect.Effect<Priced, Refused>,
  reserve: (exchange: Priced) => Effect.Effect<ReservedOrReplay, Refused>,
  forward: Forward,
  responses: KeepResponse
) {
  const ledger = yield* Ledger
  const prices = yield* Prices
  const reached = yield* OnMilestone
  const tasks = Option.getOrUndefined(yield* Effect.serviceOption(Tasks))
  const left = yield* CurrentAbandonedStreams
  const uncharged = endUncharged(ledger)
  const billing = { prices, ledger, endUncharged: uncharged, unmetered: refuseUnmetered(uncharged), left, responses }
  return {
    quote,
    builtin,
    free: free(responses, forward),
    replay,
    kept: kept(cap, reserve, ledger),
    whole: whole(billing, yield* keeper, reached),
    stream: stream(billing, forward),
    task: task(tasks, ledger, reached)
  }
})

export type Endings = Effect.Success<ReturnType<typeof make>>
