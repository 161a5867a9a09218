import * as Context from "effect/Context"

/** State that is lost when the process ends. By default all sandboxes of a process share it. */
export interface Memory {
  /** The reseller's answers, by the id in their `cache_url`. */
  readonly cached: Map<string, { readonly body: Readonly<Record<string, unknown>>; readonly until: number }>
  /** Authorization codes that were exchanged. */
  readonly usedCodes: Map<string, true>
  /** The prompts of tasks, by their ids. */
  readonly prompts: Map<string, string>
  /** Ids of tasks that were billed. */
  readonly billed: Map<string, true>
  /** Keeps ids unique that are made in the same millisecond. */
  count: number
}

export const emptyMemory = (): Memory => ({
  cached: new Map(),
  usedCodes: new Map(),
  prompts: new Map(),
  billed: new Map(),
  count: 0
})

export const Memory = Context.Reference<Memory>("@tollgate/sandbox/data/Memory", { defaultValue: emptyMemory })

/** Adds an entry, and removes the oldest one if there are more than `most`. */
export const remember = <V>(map: Map<string, V>, key: string, value: V, most: number): void => {
  map.set(key, value)
  if (map.size <= most) return
  for (const oldest of map.keys()) {
    map.delete(oldest)
    return
  }
}
