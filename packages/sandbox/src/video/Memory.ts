import * as Context from "effect/Context"

/** State that is lost when the process ends. By default all sandboxes of a process share it. */
export interface Memory {
  /** By task id. */
  readonly prompts: Map<string, string>
  /** Ids of tasks that were billed. */
  readonly billed: Map<string, true>
  count: number
}

export const Memory = Context.Reference<Memory>("@tollgate/sandbox/video/Memory", {
  defaultValue: () => ({ prompts: new Map(), billed: new Map(), count: 0 })
})
