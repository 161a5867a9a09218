import { PipelinedStore } from "@tollgate/ledger/store/Transaction"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { SqlError, UnknownError } from "effect/sql/SqlError"

const left = new SqlError({ reason: new UnknownError({ cause: { code: "TG002" }, operation: "execute" }) })

/** The same store, whose function leaves all commands to the rules in TypeScript. */
export const withoutFunction = <R>(store: Context.Context<R | PipelinedStore>): Context.Context<R | PipelinedStore> => {
  const { transact } = Context.get(store, PipelinedStore)
  return Context.add(store, PipelinedStore, { transact, runAlone: () => Effect.fail(left) })
}
