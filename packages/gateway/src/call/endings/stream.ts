import { contractOf } from "@tollgate/contract/price/contracts"
import type { Charge } from "@tollgate/contract/Outcome"
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import { type Priced, withoutBytes } from "../../exchange/Exchange.ts"
import type { Ledger, Reservation } from "@tollgate/ledger/ledger/Ledger"
import type { Admission } from "../../limits/Admission.ts"
import type { Refused } from "@tollgate/contract/errors/Refused"
import { meterStream, meter as meterWhole, usedTokens } from "../steps/13-meter.ts"
import type { PriceBook } from "../../exchange/Prices.ts"
import type { EndUncharged } from "../steps/15-settle.ts"
import type { Streamed, Whole } from "../../upstream/Called.ts"
import type { Ending, StreamEnd } from "../Ending.ts"
import type { AbandonedStreams } from "../AbandonedStreams.ts"
import type { StreamMeter } from "../../upstream/Protocol.ts"
import { withReportedCost } from "../../upstream/protocols/reportedCost.ts"
import { isEvents } from "./brokenStream.ts"
import type { Forward, ReadRest } from "./forward.ts"
import type { RefuseUnmetered } from "./notMetered.ts"

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
export const stream =
  (
    prices: PriceBook,
    ledger: Ledger["Service"],
    endUncharged: EndUncharged,
    forward: Forward,
    unmetered: RefuseUnmetered,
    left: AbandonedStreams
  ) =>
  (
    given: Priced,
    reserved: Reservation,
    called: Streamed,
    admission: Admission
  ): Effect.Effect<Ending, Refused, Scope> => {
    const { streaming } = called
    const exchange = withoutBytes(given)
    const meter = meterOf(exchange, called)
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
          ? ledger.settle(reservation, metered, by)
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
