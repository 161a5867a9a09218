import * as Context from "effect/Context"

export interface Model {
  readonly id: string
  readonly ownedBy?: string
  readonly displayName?: string
  /** Seconds since the epoch. */
  readonly created?: number
  /** The ids of the operations that take it; all of them where missing. */
  readonly operations?: ReadonlyArray<string>
}

/** The models that are listed, in the order of the list. */
export const Models = Context.Reference<ReadonlyArray<Model>>("@tollgate/gateway/Models", {
  defaultValue: () => []
})

export const takes = ({ operations }: Model, id: string): boolean => operations?.includes(id) ?? true
