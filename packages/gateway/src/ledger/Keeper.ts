import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { OnMilestone } from "../milestone.ts"
import * as Rows from "../store/rows.ts"
import type { Ask, Command, Result } from "./Command.ts"
import { end } from "./end.ts"
import { Purses } from "./Purses.ts"
import { reserve } from "./reserve.ts"

const isReserve = (command: Command): command is Ask<"reserve"> => command.ask === "reserve"

const make = Effect.gen(function* () {
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
    const ended: ReadonlyArray<Result> = yield* end(rows, purses, ends, owner)
    const reserved = yield* reserve(rows, purses, reserves, owner)
    yield* purses.write(rows)
    reached("committing")
    const results = new Map<Command, Result>()
    ends.forEach((command, i) => results.set(command, ended[i]!))
    reserves.forEach((command, i) => results.set(command, reserved[i]!))
    return commands.map((command) => results.get(command)!)
  })

  return Keeper.of({
    commit: (commands, owner) =>
      Effect.tap(rows.transaction(decide(commands, owner)), () => Effect.sync(() => reached("committed")))
  })
})

/** Writes the ledger, a group of commands in each transaction: all of them, durably, or none. */
export class Keeper extends Context.Service<
  Keeper,
  {
    readonly commit: (
      commands: ReadonlyArray<Command>,
      /** Whose the calls are that are opened: see `Sweeper`. */
      owner: string
    ) => Effect.Effect<ReadonlyArray<Result>, SqlError>
  }
>()("@tollgate/gateway/Keeper") {
  /** In this thread. */
  static readonly layer: Layer.Layer<Keeper, never, SqlClient> = Layer.effect(
    Keeper,
    Effect.suspend(() => make)
  )
}
