import type { Tags } from "@tollgate/contract/Tags"
import { encodeTags } from "./RecordedTags.ts"
import { spans } from "./UsageTotals.ts"

const day = spans[2]
/** More values of one tag, and more names of tags, of an account in a day are not counted under their own names. */
const maxValues = 256
const maxNames = 32
/** Beyond this many values in a day, the account that was first is forgotten. */
const maxRemembered = 100_000

/** Decides which tags are counted under their own names: callers choose them, and each has totals of its own. */
export class TagNames {
  #today = 0
  #byAccount = new Map<string, Map<string, Set<string>>>()
  #remembered = 0

  /** The tags as they are recorded. */
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

  /** How many values are remembered. */
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
      if (names.size >= maxNames) return [value, 0] as const
      names.set(name, new Set([value]))
    } else if (values.size < maxValues) values.add(value)
    else return [value] as const
    this.#remembered++
    return value
  }
}
