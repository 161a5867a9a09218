import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { OnMilestone } from "../milestone.ts"
import * as Rows from "../store/rows.ts"
import type { Ask, Command, Result } from "./Command.ts"
import { end } from "./end.ts"
import { Purses } from "./Purses.ts"
import { reserve } from "./reserve.ts"

const isReserve = (command: Command): command is Ask<"reserve"> => command.ask === "reserve"

/** Writes a group of commands in one transaction: all of them, durably, or none. `owner` is whose the opened calls are. */
export const make = Effect.gen(function* () {
  const rows = Rows.make(yield* SqlClient)
  const reached = yield* OnMilestone

  const decide = Effect.fnUntraced(function* (commands: ReadonlyArray<Command>, owner: string) {
    const purses = yield* Purses.read(
      rows,
      commands.map(({ reservation }) => reservation)
    )
    const ends = commands.filter((command) => !isReserve(command))
    const reserves = commands.filter(isReserve)
    // What is given back first can be taken again in the same commit.
    const ended: ReadonlyArray<Result> = yield* end(rows, purses, ends)
    const reserved = yield* reserve(rows, purses, reserves, owner)
    yield* Purses.write(rows, purses)
    reached("committing")
    const results = new Map<Command, Result>()
    ends.forEach((command, i) => results.set(command, ended[i]!))
    reserves.forEach((command, i) => results.set(command, reserved[i]!))
    return commands.map((command) => results.get(command)!)
  })

  return (commands: ReadonlyArray<Command>, owner: string): Effect.Effect<ReadonlyArray<Result>, SqlError> =>
    Effect.tap(rows.transaction(decide(commands, owner)), () => Effect.sync(() => reached("committed")))
})
