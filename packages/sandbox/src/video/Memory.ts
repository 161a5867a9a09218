import * as Context from "effect/Context"

/** What lives no longer than the process. Two sandboxes that must not share it are given one each. */
export interface Memory {
  /** By task id. */
  readonly prompts: Map<string, string>
  /** Ids of tasks whose end was billed. */
  readonly billed: Map<string, true>
  count: number
}

export const Memory = Context.Reference<Memory>("@tollgate/sandbox/video/Memory", {
  defaultValue: () => ({ prompts: new Map(), billed: new Map(), count: 0 })
})
