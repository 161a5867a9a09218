import { fill } from "@tollgate/contract/Names"
import type { Operation } from "@tollgate/contract/Operation"
import { sample } from "@tollgate/contract/reference/sample"
import * as Effect from "effect/Effect"
import type { Table } from "./Route.ts"
import type { Handler } from "./BilledAnswer.ts"

/** Always the same: the smallest answer that the operation's schema allows. */
const handlerOf =
  ({ id, success }: Operation): Handler =>
  (_, { names }) =>
    Effect.succeed({
      operation: fill(id, names),
      body: sample(success) as Readonly<Record<string, unknown>>,
      billed: { requests: 1 }
    })

/** Answers for the operations that no other table answers. */
export const sampled = (operations: ReadonlyArray<Operation>, others: ReadonlyArray<Table>): Table =>
  Object.fromEntries(
    operations
      .filter(({ path, upstream }) => path !== undefined && upstream !== "gateway")
      .map((operation) => [`${operation.method} ${operation.path}`, handlerOf(operation)] as const)
      .filter(([route]) => !others.some((table) => Object.hasOwn(table, route)))
  )
