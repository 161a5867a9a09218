/** Names and values, as they are shown. */
export type Labels = Readonly<Record<string, string>>

/** A large amount is decimal text, so that a snapshot is plain data that another process can read. */
export interface Sample {
  readonly labels: Labels
  readonly value: number | string
}

export interface HistogramSample {
  readonly labels: Labels
  /** How many values are in each bucket, and last how many are above all of them. Not cumulative. */
  readonly counts: ReadonlyArray<number>
  readonly sum: number
}

interface Named {
  /** With its unit, and `_total` if it is a counter. */
  readonly name: string
  readonly help: string
}

/** All series of one metric at one moment. */
export type Family =
  | (Named & {
      readonly type: "counter" | "gauge"
      /** How the values of several processes are one: `max` if each of them knows the whole. Default: their sum. */
      readonly combine?: "max" | "min"
      readonly samples: ReadonlyArray<Sample>
    })
  | (Named & {
      readonly type: "histogram"
      readonly bounds: ReadonlyArray<number>
      readonly samples: ReadonlyArray<HistogramSample>
    })

export type Snapshot = ReadonlyArray<Family>

type PlainFamily = Exclude<Family, { readonly type: "histogram" }>

const plainFamily =
  (kind: Pick<PlainFamily, "type" | "combine">) =>
  (name: string, help: string, samples: ReadonlyArray<Sample>): Family => ({ ...kind, name, help, samples })

export const counter = plainFamily({ type: "counter" })
export const gauge = plainFamily({ type: "gauge" })
/** A gauge of which the least of all processes counts. */
export const leastGauge = plainFamily({ type: "gauge", combine: "min" })
/** A gauge that every process of a gateway, and every gateway on the store, knows as a whole. */
export const sharedGauge = plainFamily({ type: "gauge", combine: "max" })

const noLabels: Labels = {}

export const single = (value: number | bigint): ReadonlyArray<Sample> => [{ labels: noLabels, value: plain(value) }]

export const plain = (value: number | bigint): number | string => (typeof value === "bigint" ? String(value) : value)

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

/** What is counted where a metric has its most series, or where the name is none that the operator configured. */
export const other = "other"

interface Series<State> {
  readonly labels: Labels
  readonly state: State
}

/** The series of a metric by their label values. Above `most`, further combinations share one series. */
export class SeriesMap<State> {
  readonly #names: ReadonlyArray<string>
  readonly #most: number
  readonly #make: () => State
  readonly #series = new Map<string, Series<State>>()
  #dropped = 0

  constructor(names: ReadonlyArray<string>, most: number, make: () => State) {
    this.#names = names
    this.#most = most
    this.#make = make
  }

  /** How often a combination of labels was not recorded, because there were too many. */
  get dropped(): number {
    return this.#dropped
  }

  of(values: ReadonlyArray<string>): State {
    const id = values.join("\n")
    const known = this.#series.get(id)
    if (known !== undefined) return known.state
    if (this.#series.size < this.#most) return this.#add(id, values)
    this.#dropped++
    const rest = this.#names.map(() => other)
    return this.#series.get(rest.join("\n"))?.state ?? this.#add(rest.join("\n"), rest)
  }

  map<A>(show: (labels: Labels, state: State) => A): Array<A> {
    return [...this.#series.values()].map(({ labels, state }) => show(labels, state))
  }

  #add(id: string, values: ReadonlyArray<string>): State {
    const state = this.#make()
    const labels = Object.fromEntries(this.#names.map((name, i) => [name, values[i] ?? other]))
    this.#series.set(id, { labels, state })
    return state
  }
}
