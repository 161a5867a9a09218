import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { Answer, Command, GroupState } from "./Command.ts"

/** The store of the limits does not answer. The message shows no credential. */
export class LimitStoreError extends Data.TaggedError("LimitStoreError")<{ readonly message: string }> {}

/** Counts the limits of all gateways that use it. */
export class LimitStore extends Context.Service<
  LimitStore,
  {
    /** Carries the commands out in their order, and answers each. Without commands it tries whether the store answers. */
    readonly run: (commands: ReadonlyArray<Command>) => Effect.Effect<ReadonlyArray<Answer>, LimitStoreError>
    /** The groups of a key that were used lately, not refilled. */
    readonly groups: (key: string) => Effect.Effect<ReadonlyArray<GroupState>, LimitStoreError>
  }
>()("@tollgate/gateway/limits/LimitStore") {}
