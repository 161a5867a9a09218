import { spans } from "./UsageTotals.ts"

const day = spans[2]
const maxLength = 200
/** More names of one key in a day are not recorded: callers choose them, and each has totals of its own. */
const maxNames = 64
/** Beyond this many keys in a day, the first is forgotten. */
const maxKeys = 10_000

const control = /\p{Cc}/u

/** Decides which models are recorded by name. */
export class ModelNames {
  #today = 0
  #byKey = new Map<string, Set<string>>()

  /** The name as it is recorded. `undefined`: no model is named, or its name is not recorded. */
  recorded(model: string | undefined, account: string, key: string, now: number): string | undefined {
    if (model === undefined) return undefined
    if (now - this.#today >= day || now < this.#today) {
      this.#today = now - (now % day)
      this.#byKey = new Map()
    }
    const owner = key === "" ? account : key
    const known = this.#byKey.get(owner)
    if (known?.has(model) === true) return model
    if (model === "" || model.length > maxLength || control.test(model) || !model.isWellFormed()) return undefined
    if (known === undefined) {
      if (this.#byKey.size >= maxKeys) this.#byKey.delete(this.#byKey.keys().next().value ?? "")
      this.#byKey.set(owner, new Set([model]))
    } else if (known.size < maxNames) known.add(model)
    else return undefined
    return model
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#byKey.size
  }
}
