import type { TokenUsage } from "@tollgate/contract/price/evidence"
import { limitKinds } from "@tollgate/contract/errors/Refused"
import { recordedNames } from "@tollgate/ledger/ledger/recorded"
import type { CallEvent } from "../../observe/CallEvent.ts"
import { counter, Histogram, latencyBounds, plain, SeriesMap } from "./Family.ts"
import type { Family, HistogramSample, Labels, Sample, Snapshot } from "./Family.ts"
import type { ModelLabels } from "./ModelLabels.ts"
import { codes } from "@tollgate/contract/errors/codes"

/** Who has to act: the caller, the operator of the upstream, or the operator of this gateway. */
type Fault = "caller" | "upstream" | "gateway"

const byType: Readonly<Record<string, Fault>> = {
  upstream_error: "upstream",
  api_error: "gateway",
  billing_error: "gateway",
  source_error: "gateway"
}

const faultOf = (code: NonNullable<CallEvent["code"]>): Fault => {
  if (code === "caller_left") return "caller"
  if (code === "upstream_rate_limit") return "upstream"
  return byType[codes[code].type] ?? "caller"
}

/** Why a call failed. `undefined`: it did not. An upstream's own error is passed on, so it has no code of the gateway. */
const failureOf = ({ code, status }: CallEvent): { readonly code: string; readonly fault: Fault } | undefined => {
  if (code !== undefined) return { code, fault: faultOf(code) }
  if (status >= 500) return { code: "answered_5xx", fault: "upstream" }
  return status >= 400 ? { code: "answered_4xx", fault: "caller" } : undefined
}

/** Seconds. Tasks run for minutes, or hours. */
const taskBounds = [1, 5, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 21_600, 86_400]

/** The most series of each metric. A histogram has a line for each of its bounds. */
const mostSeries = 500
const mostCounters = 2_000
const mostGaps = 200

const help = {
  requests: "Requests that the gateway answered. Quotes only ask for a price.",
  failures: "Requests that failed, by the code of the refusal and by who has to act.",
  duration: "Time until a call had ended, without quotes.",
  firstByte: "Time until the caller could get the first byte.",
  taskDuration: "Time from the call that starts a task to its end.",
  loss: "Cost of calls beyond their caps, which the operator bears.",
  costUnknown: "Calls that were settled and whose cost is not known, because their upstream has no price for them.",
  gaps: "Calls that used something without a price, by its name. They are charged at the nearest price.",
  dropped: "Updates that were counted as other, because the metric has its most series."
}

class CallSeries {
  readonly duration = new Histogram(latencyBounds)
  readonly firstByte = new Histogram(latencyBounds)
  readonly taskDuration = new Histogram(taskBounds)
  input = 0
  output = 0
  cacheRead = 0
  cacheWrite = 0
  charge = 0n
  value = 0n
  loss = 0n
  /** In nano-USD. */
  cost = 0n
  costUnknown = 0

  addTokens({ cacheRead, cacheWrite, input, output }: TokenUsage): void {
    this.input += input
    this.output += output
    this.cacheRead += cacheRead
    this.cacheWrite += cacheWrite
  }

  get hasTokens(): boolean {
    return this.input + this.output + this.cacheRead + this.cacheWrite > 0
  }
}

const newSeries = () => new CallSeries()
const newCount = () => ({ value: 0 })

const isCharged = ({ costState }: CallEvent): boolean => costState === "settled" || costState === "estimated"

const statusClass = (status: number): string => `${Math.floor(status / 100)}xx`

export class CallMetrics {
  readonly #models: ModelLabels
  readonly #series = new SeriesMap(["operation", "model", "upstream"], mostSeries, newSeries)
  readonly #requests = new SeriesMap(
    ["via", "kind", "operation", "model", "upstream", "status"],
    mostCounters,
    newCount
  )
  readonly #failures = new SeriesMap(
    ["operation", "model", "upstream", "code", "outcome", "fault"],
    mostCounters,
    newCount
  )
  readonly #tasks = new SeriesMap(["operation", "model", "upstream", "cost_state"], mostCounters, newCount)
  readonly #gaps = new SeriesMap(["model", "name"], mostGaps, newCount)
  readonly #limits = new SeriesMap(["kind"], mostCounters, newCount)

  constructor(models: ModelLabels) {
    this.#models = models
    for (const kind of limitKinds) this.#limits.of([kind])
  }

  readonly count = (event: CallEvent): void => {
    const operation = event.operation ?? "none"
    const model = this.#models.of(event.model)
    const upstream = event.upstream ?? event.tried?.at(-1)?.upstream ?? "none"
    const series = this.#series.of([operation, model, upstream])
    if (event.kind === "task") {
      this.#tasks.of([operation, model, upstream, event.costState]).value++
      series.taskDuration.observe(event.durationMillis / 1_000)
    } else {
      this.#requests.of([event.via, event.kind, operation, model, upstream, statusClass(event.status)]).value++
      if (event.kind === "call") {
        series.duration.observe(event.durationMillis / 1_000)
        if (event.firstByteMillis !== undefined) series.firstByte.observe(event.firstByteMillis / 1_000)
      }
    }
    series.addTokens(event.tokens)
    if (event.value !== 0n) series.value += event.value
    if (event.charge !== 0n) series.charge += event.charge
    if (event.loss !== 0n) series.loss += event.loss
    if (event.cost !== undefined) series.cost += event.cost
    else if (event.upstream !== undefined && isCharged(event)) series.costUnknown++
    if (event.gaps !== undefined) {
      for (const name of recordedNames(event.gaps)) this.#gaps.of([model, name]).value++
    }
    const failure = failureOf(event)
    if (failure !== undefined) {
      const { code, fault } = failure
      this.#failures.of([operation, model, upstream, code, event.outcome, fault]).value++
    }
    if (event.limit !== undefined) this.#limits.of([event.limit]).value++
  }

  snapshot(): Snapshot {
    const counts = (map: SeriesMap<{ value: number }>) => map.map((labels, { value }): Sample => ({ labels, value }))
    const sums = (part: "value" | "charge" | "loss" | "costUnknown") =>
      this.#series.map((labels, series): Sample => ({ labels, value: plain(series[part]) }))
    const costs = this.#series.map((labels, { cost }): Sample => ({ labels, value: plain(cost / 1_000n) }))
    return [
      counter("tollgate_requests_total", help.requests, counts(this.#requests)),
      counter("tollgate_failures_total", help.failures, counts(this.#failures)),
      this.#histogram("tollgate_request_duration_seconds", "duration", latencyBounds),
      this.#histogram("tollgate_first_byte_seconds", "firstByte", latencyBounds),
      counter("tollgate_tasks_ended_total", "Tasks that ended, by what is known of their cost.", counts(this.#tasks)),
      this.#histogram("tollgate_task_duration_seconds", "taskDuration", taskBounds),
      counter("tollgate_tokens_total", "Tokens that were metered.", this.#tokens()),
      counter("tollgate_value_micro_usd_total", "List price of calls, before multipliers.", sums("value")),
      counter("tollgate_charge_micro_usd_total", "Amount that callers were charged.", sums("charge")),
      counter("tollgate_loss_micro_usd_total", help.loss, sums("loss")),
      counter("tollgate_cost_micro_usd_total", "What upstreams charge for calls, by their own prices.", costs),
      counter("tollgate_cost_unknown_total", help.costUnknown, sums("costUnknown")),
      counter("tollgate_gaps_total", help.gaps, counts(this.#gaps)),
      counter("tollgate_limits_refused_total", "Requests that a limit refused, by its kind.", counts(this.#limits)),
      counter("tollgate_metrics_dropped_total", help.dropped, this.#dropped())
    ]
  }

  #dropped(): ReadonlyArray<Sample> {
    const maps = {
      calls: this.#series,
      requests: this.#requests,
      failures: this.#failures,
      tasks: this.#tasks,
      gaps: this.#gaps
    }
    return Object.entries(maps).map(([metric, { dropped }]) => ({ labels: { metric }, value: dropped }))
  }

  #tokens(): ReadonlyArray<Sample> {
    return this.#series.map((labels, series) => (series.hasTokens ? tokenSamples(labels, series) : [])).flat()
  }

  #histogram(name: string, of: "duration" | "firstByte" | "taskDuration", bounds: ReadonlyArray<number>): Family {
    const samples = this.#series
      .map((labels, series): HistogramSample | undefined =>
        series[of].isEmpty ? undefined : series[of].sample(labels)
      )
      .filter((sample) => sample !== undefined)
    return { type: "histogram", name, help: help[of], bounds, samples }
  }
}

const tokenSamples = (labels: Labels, { cacheRead, cacheWrite, input, output }: CallSeries): ReadonlyArray<Sample> => [
  { labels: { ...labels, kind: "input" }, value: input },
  { labels: { ...labels, kind: "output" }, value: output },
  { labels: { ...labels, kind: "cache_read" }, value: cacheRead },
  { labels: { ...labels, kind: "cache_write" }, value: cacheWrite }
]
