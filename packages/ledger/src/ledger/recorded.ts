import type { Tags } from "@tollgate/contract/Tags"

/**
 * How a call's tags are stored: an object of names and values, as JSON. A value in an array is not counted under its own name,
 * because there are too many: `[value]` counts among the others of its tag, `[value, 0]` not at all.
 */
type RecordedTags = Readonly<Record<string, string | readonly [string] | readonly [string, 0]>>

/** The value under which the others of a tag are counted. No tag has it, since a value is not empty. */
const otherValues = ""

// The ledger wrote it.
const parseTags = (text: string): RecordedTags => JSON.parse(text) as RecordedTags

const encodeTags = (tags: RecordedTags): string => JSON.stringify(tags)

/** The tags as the caller sent them. */
export const sentTags = (text: string): Tags =>
  Object.fromEntries(
    Object.entries(parseTags(text)).map(([name, value]) => [name, typeof value === "string" ? value : value[0]])
  )

/** The tags that the call is counted under. */
export const countedTags = (text: string): ReadonlyArray<readonly [name: string, value: string]> =>
  Object.entries(parseTags(text)).flatMap(([name, value]): ReadonlyArray<readonly [string, string]> =>
    typeof value === "string" ? [[name, value]] : value.length === 1 ? [[name, otherValues]] : []
  )

const day = 86_400_000
/** More values of one tag, and more names of tags, of an account in a day are not counted under their own names. */
const maxValues = 256
const maxTags = 32
/** Beyond this many values in a day, the account that was first is forgotten. */
const maxRemembered = 100_000

/** Decides which tags are counted under their own names: callers choose them, and each has totals of its own. */
export class TagNames {
  #today = 0
  #byAccount = new Map<string, Map<string, Set<string>>>()
  #remembered = 0

  recorded(tags: Tags, account: string, now: number): string {
    if (now - this.#today >= day || now < this.#today) {
      this.#today = now - (now % day)
      this.#byAccount = new Map()
      this.#remembered = 0
    }
    const names = this.#namesOf(account)
    return encodeTags(
      Object.fromEntries(Object.entries(tags).map(([name, value]) => [name, this.#recordedValue(names, name, value)]))
    )
  }

  get size(): number {
    return this.#remembered
  }

  #namesOf(account: string): Map<string, Set<string>> {
    const known = this.#byAccount.get(account)
    if (known !== undefined) return known
    while (this.#remembered >= maxRemembered) this.#forgetFirst()
    const names = new Map<string, Set<string>>()
    this.#byAccount.set(account, names)
    return names
  }

  #forgetFirst(): void {
    for (const [account, names] of this.#byAccount) {
      this.#byAccount.delete(account)
      for (const values of names.values()) this.#remembered -= values.size
      return
    }
  }

  #recordedValue(names: Map<string, Set<string>>, name: string, value: string) {
    const values = names.get(name)
    if (values?.has(value) === true) return value
    if (values === undefined) {
      if (names.size >= maxTags) return [value, 0] as const
      names.set(name, new Set([value]))
    } else if (values.size < maxValues) values.add(value)
    else return [value] as const
    this.#remembered++
    return value
  }
}

const maxModelLength = 200
/** More names of one key in a day are not recorded: callers choose them, and each has totals of its own. */
const maxModels = 64
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
    if (model === "" || model.length > maxModelLength || control.test(model) || !model.isWellFormed()) return undefined
    if (known === undefined) {
      if (this.#byKey.size >= maxKeys) this.#byKey.delete(this.#byKey.keys().next().value ?? "")
      this.#byKey.set(owner, new Set([model]))
    } else if (known.size < maxModels) known.add(model)
    else return undefined
    return model
  }

  get size(): number {
    return this.#byKey.size
  }
}

/** A provider's names are short. What an upstream makes up is cut. */
const maxGapLength = 120
const maxGaps = 16

const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** Cut first: that may leave half of a pair. */
const safeName = (name: string): string => name.slice(0, maxGapLength).replaceAll(unsafe, "\u{fffd}")

export const recordedNames = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(names.map(safeName))].toSorted().slice(0, maxGaps)

/** How a call's gaps are stored: their names, as JSON. */
export const encodeGaps = (names: ReadonlyArray<string>): string => JSON.stringify(recordedNames(names))

// The ledger wrote it.
export const gapsIn = (text: string | null): ReadonlyArray<string> =>
  text === null ? [] : (JSON.parse(text) as ReadonlyArray<string>)
