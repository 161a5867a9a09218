import * as Context from "effect/Context"

/** What lives no longer than the process. Two sandboxes that must not share it are given one each. */
export interface Memory {
  /** Answers of the reseller, by the id in their cache address. */
  readonly cached: Map<string, { readonly body: Readonly<Record<string, unknown>>; readonly until: number }>
  /** Authorization codes that were spent. */
  readonly spent: Map<string, true>
  /** Makes ids differ that are made in the same moment. */
  count: number
}

export const Memory = Context.Reference<Memory>("@tollgate/sandbox/data/Memory", {
  defaultValue: () => ({ cached: new Map(), spent: new Map(), count: 0 })
})

/** The oldest goes when there are more than `most`. */
export const remember = <V>(map: Map<string, V>, key: string, value: V, most: number): void => {
  map.set(key, value)
  if (map.size <= most) return
  for (const oldest of map.keys()) {
    map.delete(oldest)
    return
  }
}
