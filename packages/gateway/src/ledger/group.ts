import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { OnMilestone } from "../milestone.ts"
import * as Statements from "../store/statements.ts"
import * as Transaction from "../store/Transaction.ts"
import type { Ask, Command, Result } from "./Command.ts"
import { callsOf, end, type End } from "./end.ts"
import { Purses, pursesOf, purseTexts } from "./Purses.ts"
import { claimsOf, reserve } from "./reserve.ts"

/** Writes a group of commands in one transaction: all of them, durably, or none. `owner` is whose the opened calls are. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const reached = yield* OnMilestone
  const statements = Statements.make(sql)
  const texts = purseTexts(statements)
  const transact = Transaction.of(sql)
  const onWritten = () => reached("committing")
  const committed = <A>(results: A): A => {
    reached("committed")
    return results
  }

  return (commands: ReadonlyArray<Command>, owner: string): Effect.Effect<ReadonlyArray<Result>, SqlError> => {
    const ends: Array<End> = []
    const reserves: Array<Ask<"reserve">> = []
    for (const command of commands) {
      if (command.ask === "reserve") reserves.push(command)
      else ends.push(command)
    }
    const transaction: Transaction.Transaction<ReadonlyArray<Result>> = {
      reads: [
        ...pursesOf(
          statements,
          commands.map(({ reservation }) => reservation)
        ),
        callsOf(statements, ends),
        claimsOf(statements, reserves)
      ],
      decide: ([accounts = [], keys = [], calls = [], claims = []]) => {
        const purses = new Purses(accounts, keys)
        // What is given back first can be taken again in the same commit.
        const ended = end(statements, purses, ends, calls)
        const reserved = reserve(statements, purses, reserves, owner, claims, ended.last)
        const results = new Map<Command, Result>()
        ends.forEach((command, i) => results.set(command, ended.result[i]!))
        reserves.forEach((command, i) => results.set(command, reserved.result[i]!))
        return {
          result: commands.map((command) => results.get(command)!),
          writes: [...ended.writes, ...reserved.writes, ...purses.writes(texts)]
        }
      },
      onWritten
    }
    return Effect.map(transact(transaction), committed)
  }
})
