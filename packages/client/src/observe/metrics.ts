import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { cost, type Figure, figures, type Measured, measure } from "./figures.ts"
import type { Observer } from "./Observer.ts"

type Update = (value: number, labels: Readonly<Record<string, string>>) => Effect.Effect<void>

const updateOf = (figure: Figure): Update => {
  const { boundaries, description, name, unit } = figure
  const options = { description, attributes: { unit } }
  if (figure === cost) {
    // Sums of money are exact.
    const sum = Metric.counter(name, { ...options, incremental: true, bigint: true })
    return (value, labels) => Metric.update(Metric.withAttributes(sum, labels), BigInt(value))
  }
  const metric: Metric.Metric<number, unknown> =
    boundaries === undefined
      ? Metric.counter(name, { ...options, incremental: true })
      : Metric.histogram(name, { ...options, boundaries })
  return (value, labels) => Metric.update(Metric.withAttributes(metric, labels), value)
}

const updates = new Map(figures.map((figure) => [figure, updateOf(figure)]))

const update = ({ figure, labels, value }: Measured): Effect.Effect<void> => {
  const texts = Object.fromEntries(Object.entries(labels).map(([name, label]) => [name, String(label)]))
  return updates.get(figure)?.(value, texts) ?? Effect.void
}

/** Counts calls, attempts, retries, tokens and costs, and how long calls take, in Effect's own metrics. */
export const metrics: Observer = () => ({ ended: (call) => Effect.forEach(measure(call), update, { discard: true }) })
