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
      /** The upper bounds, in order. */
      readonly bounds: ReadonlyArray<number>
      readonly samples: ReadonlyArray<HistogramSample>
    })

export type Snapshot = ReadonlyArray<Family>

export const counter = (name: string, help: string, samples: ReadonlyArray<Sample>): Family => ({
  type: "counter",
  name,
  help,
  samples
})

export const gauge = (name: string, help: string, samples: ReadonlyArray<Sample>): Family => ({
  type: "gauge",
  name,
  help,
  samples
})

/** A gauge of which the least of all processes counts. */
export const leastGauge = (name: string, help: string, samples: ReadonlyArray<Sample>): Family => ({
  type: "gauge",
  combine: "min",
  name,
  help,
  samples
})

/** A gauge that every process of a gateway, and every gateway on the store, knows as a whole. */
export const sharedGauge = (name: string, help: string, samples: ReadonlyArray<Sample>): Family => ({
  type: "gauge",
  combine: "max",
  name,
  help,
  samples
})

const noLabels: Labels = {}

export const single = (value: number | bigint): ReadonlyArray<Sample> => [{ labels: noLabels, value: plain(value) }]

export const plain = (value: number | bigint): number | string => (typeof value === "bigint" ? String(value) : value)
