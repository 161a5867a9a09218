import { type MeterProvider, metrics as api } from "@opentelemetry/api"
import { type Figure, figures, measure } from "../observe/metrics.ts"
import type { Observer } from "../observe/Observer.ts"
import { version } from "../options/environment.ts"

type Add = (value: number, labels: Readonly<Record<string, string | number>>) => void

const makeInstruments = (provider: MeterProvider): ReadonlyMap<Figure, Add> => {
  const meter = provider.getMeter("@tollgate/client", version)
  return new Map(
    figures.map((figure): readonly [Figure, Add] => {
      const { boundaries, description, name, unit } = figure
      if (boundaries === undefined) {
        const counter = meter.createCounter(name, { description, unit })
        return [figure, (value, labels) => counter.add(value, labels)]
      }
      const advice = { explicitBucketBoundaries: [...boundaries] }
      const histogram = meter.createHistogram(name, { description, unit, advice })
      return [figure, (value, labels) => histogram.record(value, labels)]
    })
  )
}

const made = new WeakMap<MeterProvider, ReadonlyMap<Figure, Add>>()

/** Those of a provider that is registered after the client was made, too. */
const instruments = (): ReadonlyMap<Figure, Add> => {
  const provider = api.getMeterProvider()
  const known = made.get(provider) ?? makeInstruments(provider)
  made.set(provider, known)
  return known
}

export const metrics: Observer = () => ({
  ended: (call) => {
    const adds = instruments()
    for (const { figure, labels, value } of measure(call)) adds.get(figure)?.(value, labels)
  }
})
