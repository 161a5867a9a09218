import type { LoggedCall } from "@tollgate/contract/account/LoggedCall"

const descending = (a: string, b: string): number => (a < b ? 1 : a > b ? -1 : 0)

/** By their start, the newest first. */
export const compare = (a: LoggedCall, b: LoggedCall): number =>
  descending(a.created_at, b.created_at) || descending(a.id, b.id)

const parts = Object.keys({
  state: 0,
  failed: 0,
  status: 0,
  cost_state: 0,
  value_micros_usd: 0,
  charged_micros_usd: 0,
  charged_nano_usd: 0,
  input_tokens: 0,
  output_tokens: 0,
  upstream: 0,
  ended_at: 0
} satisfies Partial<Record<keyof LoggedCall, 0>>) as ReadonlyArray<keyof LoggedCall>

const isSame = (a: LoggedCall, b: LoggedCall): boolean => parts.every((part) => a[part] === b[part])

/** The rows of a log in order, without duplicates. A call that did not change stays the same object. */
export class CallRows {
  #rows: ReadonlyArray<LoggedCall> = []
  #known = new Map<string, LoggedCall>()
  #waiting = new Map<string, LoggedCall>()

  get rows(): ReadonlyArray<LoggedCall> {
    return this.#rows
  }
  /** How many new calls are held back. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Takes calls in. `hold`: no row moves; new calls wait, and known ones change where they are. */
  add(calls: ReadonlyArray<LoggedCall>, matches: (call: LoggedCall) => boolean, hold: boolean): boolean {
    let changed = false
    for (const call of calls) {
      const known = this.#known.get(call.id) ?? this.#waiting.get(call.id)
      if (known !== undefined && isSame(known, call)) continue
      if (known === undefined && !matches(call)) continue
      changed = true
      if (this.#known.has(call.id)) this.#known.set(call.id, call)
      else if (hold) this.#waiting.set(call.id, call)
      else this.#known.set(call.id, call)
    }
    if (changed) this.#rows = hold ? this.#rows.map(({ id }) => this.#known.get(id)!) : this.#sorted(matches)
    return changed
  }

  /** Takes in calls that ended earlier. They come after all others, except for some that took long. */
  append(calls: ReadonlyArray<LoggedCall>): void {
    const added = calls.filter(({ id }) => !this.#known.has(id) && !this.#waiting.has(id))
    for (const call of added) this.#known.set(call.id, call)
    this.#rows = [...this.#rows, ...added].toSorted(compare)
  }

  /** Shows what was held back. */
  release(matches: (call: LoggedCall) => boolean): void {
    for (const [id, call] of this.#waiting) this.#known.set(id, call)
    this.#waiting.clear()
    this.#rows = this.#sorted(matches)
  }

  replace(calls: ReadonlyArray<LoggedCall>): void {
    this.#known = new Map(calls.map((call) => [call.id, call]))
    this.#waiting.clear()
    this.#rows = calls.toSorted(compare)
  }

  #sorted(matches: (call: LoggedCall) => boolean): ReadonlyArray<LoggedCall> {
    for (const [id, call] of this.#known) if (!matches(call)) this.#known.delete(id)
    return [...this.#known.values()].toSorted(compare)
  }
}
