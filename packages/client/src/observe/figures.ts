import { taskGet } from "@tollgate/contract/operations/taskGet"
import type { Ended } from "./Observer.ts"
import { inputTokens } from "./spans.ts"

/** A metric: a counter, or a histogram if it has boundaries. */
export interface Figure {
  readonly name: string
  readonly unit: string
  readonly description: string
  readonly boundaries?: ReadonlyArray<number>
}

const own = (name: string, unit: string, description: string): Figure => ({
  name: `tollgate.client.${name}`,
  unit,
  description
})

// The boundaries are OpenTelemetry's own.
const seconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const powersOfFour = Array.from({ length: 14 }, (_, index) => 4 ** index)

const calls = own("calls", "{call}", "Calls that have ended")
const attempts = own("attempts", "{attempt}", "Times that a call was sent")
const retries = own("retries", "{attempt}", "Times that a call was sent again")
const duration: Figure = {
  ...own("duration", "s", "From the call to its answer, or to the end of its stream"),
  boundaries: seconds
}
export const cost = own("cost_micros_usd", "u{USD}", "What was charged, in micro-USD")
const modelDuration: Figure = {
  name: "gen_ai.client.operation.duration",
  unit: "s",
  description: "From the call of a model to its answer, or to the end of its stream",
  boundaries: seconds
}
const modelTokens: Figure = {
  name: "gen_ai.client.token.usage",
  unit: "{token}",
  description: "Tokens of a call, by direction",
  boundaries: powersOfFour
}

export const figures: ReadonlyArray<Figure> = [calls, attempts, retries, duration, cost, modelDuration, modelTokens]

export interface Measured {
  readonly figure: Figure
  readonly value: number
  readonly labels: Readonly<Record<string, string | number>>
}

/** The amount charged for this call. Reserved amounts, answers to other calls and a poll of a task charged before do not count. */
const chargedOf = ({ charge: { micros, state }, operation, recovered, replayed }: Ended): number =>
  (!replayed || recovered) && operation !== taskGet.id && (state === "settled" || state === "estimated")
    ? (micros ?? 0)
    : 0

const known = (labels: Readonly<Record<string, string | number | undefined>>): Measured["labels"] =>
  Object.fromEntries(Object.entries(labels).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

const measureModel = ({
  failed,
  genAi,
  millis,
  model,
  responseModel,
  server,
  usage
}: Ended): ReadonlyArray<Measured> => {
  if (genAi === undefined) return []
  const labels = known({
    "gen_ai.operation.name": genAi.operation,
    "gen_ai.provider.name": genAi.provider,
    "gen_ai.request.model": model,
    "gen_ai.response.model": responseModel,
    "server.address": server?.address,
    "server.port": server?.port
  })
  const tokens = (direction: string, value = 0): ReadonlyArray<Measured> =>
    value > 0 ? [{ figure: modelTokens, value, labels: { ...labels, "gen_ai.token.type": direction } }] : []
  return [
    {
      figure: modelDuration,
      value: millis / 1000,
      labels: failed === undefined ? labels : { ...labels, "error.type": failed.type }
    },
    ...tokens("input", inputTokens(usage)),
    ...tokens("output", usage.output)
  ]
}

export const measure = (ended: Ended): ReadonlyArray<Measured> => {
  const { attempts: sent, charge, failed, mode, operation, result } = ended
  const of = { "tollgate.operation": operation, "tollgate.mode": mode }
  const how = {
    ...of,
    "tollgate.result": result,
    ...(failed === undefined ? {} : { "error.type": failed.type, "tollgate.outcome": failed.outcome })
  }
  const counted: ReadonlyArray<Measured> = [
    { figure: calls, value: 1, labels: how },
    { figure: attempts, value: sent, labels: of },
    { figure: retries, value: sent - 1, labels: of },
    { figure: cost, value: chargedOf(ended), labels: { ...of, "tollgate.cost.state": charge.state } }
  ]
  return [
    ...counted.filter(({ value }) => value > 0),
    { figure: duration, value: ended.millis / 1000, labels: how },
    ...measureModel(ended)
  ]
}
