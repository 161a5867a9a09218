import * as Context from "effect/Context"

export interface Model {
  readonly id: string
  readonly ownedBy?: string
  readonly displayName?: string
  /** Seconds since the epoch. */
  readonly created?: number
  /** The ids of the operations that accept it. `undefined`: all. */
  readonly operations?: ReadonlyArray<string>
}

/** The models in the model lists, in this order. */
export const Models = Context.Reference<ReadonlyArray<Model>>("@tollgate/gateway/Models", {
  defaultValue: () => []
})

export const isAcceptedBy = ({ operations }: Model, id: string): boolean => operations?.includes(id) ?? true
