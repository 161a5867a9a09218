import type { Labels } from "./Family.ts"

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
