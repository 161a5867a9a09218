import { taskGet } from "@tollgate/contract/operations/taskGet"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { inputTokens } from "./attributes.ts"
import type { Ended, Observer } from "./Observer.ts"

const counter = (name: string, unit: string, description: string) =>
  Metric.counter(`tollgate.client.${name}`, { description, incremental: true, attributes: { unit } })

const calls = counter("calls", "{call}", "Calls that have ended")
const attempts = counter("attempts", "{attempt}", "Times that a call was sent")
const retries = counter("retries", "{attempt}", "Times that a call was sent again")
const tokens = counter("tokens", "{token}", "Tokens used, by direction")

/** A bigint counter, so that sums of money are exact. */
const cost = Metric.counter("tollgate.client.cost_micros_usd", {
  description: "What was charged, in micro-USD",
  incremental: true,
  bigint: true,
  attributes: { unit: "u{USD}" }
})

const duration = Metric.histogram("tollgate.client.duration", {
  description: "From the call to its answer, or to the end of its stream",
  attributes: { unit: "s" },
  // OpenTelemetry's own for calls of models.
  boundaries: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
})

const labelled = <Input, State>(
  metric: Metric.Metric<Input, State>,
  labels: Readonly<Record<string, string>>,
  value: Input
): Effect.Effect<void> => Metric.update(Metric.withAttributes(metric, labels), value)

/** The amount charged for this call. Reserved amounts, answers to other calls and a poll of a task charged before do not count. */
const chargedOf = ({ charge: { micros, state }, operation, recovered, replayed }: Ended): bigint =>
  (!replayed || recovered) && operation !== taskGet.id && (state === "settled" || state === "estimated")
    ? BigInt(micros ?? 0)
    : 0n

const record = Effect.fnUntraced(function* (ended: Ended) {
  const { attempts: sent, failed, mode, operation, result, usage } = ended
  const of = { "tollgate.operation": operation, "tollgate.mode": mode }
  const how = {
    ...of,
    "tollgate.result": result,
    ...(failed === undefined ? {} : { "error.type": failed.type, "tollgate.outcome": failed.outcome })
  }
  yield* labelled(calls, how, 1)
  yield* labelled(duration, how, ended.millis / 1000)
  if (sent > 0) yield* labelled(attempts, of, sent)
  if (sent > 1) yield* labelled(retries, of, sent - 1)
  const charged = chargedOf(ended)
  if (charged > 0n) yield* labelled(cost, { ...of, "tollgate.cost.state": ended.charge.state }, charged)
  const directions = { input: inputTokens(usage) ?? 0, output: usage.output ?? 0 }
  for (const [direction, count] of Object.entries(directions)) {
    if (count > 0) yield* labelled(tokens, { ...of, "gen_ai.token.type": direction }, count)
  }
})

/** Counts calls, attempts, retries, tokens and costs by operation, and how long calls take, in Effect's own metrics. */
export const metrics: Observer = () => ({ ended: record })
