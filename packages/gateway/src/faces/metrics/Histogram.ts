import type { Family, HistogramSample, Labels } from "./Family.ts"

/** Seconds. From an answer of the gateway's own to the longest wait for a model. */
export const latencyBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]

/** Counts values by size. */
export class Histogram {
  readonly #bounds: ReadonlyArray<number>
  readonly #counts: Array<number>
  #sum = 0

  constructor(bounds: ReadonlyArray<number>) {
    this.#bounds = bounds
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0)
  }

  observe(value: number): void {
    let i = 0
    while (i < this.#bounds.length && value > this.#bounds[i]!) i++
    this.#counts[i]!++
    this.#sum += value
  }

  get isEmpty(): boolean {
    return this.#counts.every((count) => count === 0)
  }

  sample(labels: Labels): HistogramSample {
    return { labels, counts: [...this.#counts], sum: this.#sum }
  }

  /** A metric without labels. */
  family(name: string, help: string): Family {
    return { type: "histogram", name, help, bounds: this.#bounds, samples: [this.sample({})] }
  }
}
