import * as Fleet from "@tollgate/ledger/fleet/Fleet"
import type { Command, Result } from "@tollgate/ledger/ledger/Command"
import * as Commit from "@tollgate/ledger/commit/commit"
import { Refused } from "@tollgate/contract/errors/Refused"
import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

const plain = (result: Result | undefined): unknown => (result instanceof Refused ? result.refusal : result)

/** Commits groups as a gateway does, and counts what the store's function has decided. */
export const groupRunner = Effect.gen(function* () {
  const commit = yield* Commit.make(yield* SqlClient, yield* Fleet.current)
  const counts = { decided: 0, decidedAlone: 0, left: 0 }
  const run = Effect.fnUntraced(function* (commands: ReadonlyArray<Command>) {
    const results: Array<Result | undefined> = [...((yield* commit.ordinary?.(commands) ?? Effect.succeed([])) ?? [])]
    const left = commands.flatMap((command, at) => (results[at] === undefined ? [{ at, command }] : []))
    const decided = commands.length - left.length
    counts.decided += decided
    if (commands.length === 1) counts.decidedAlone += decided
    counts.left += left.length
    if (left.length === 0) return results.map(plain)
    const others = yield* commit.all(left.map(({ command }) => command))
    left.forEach(({ at }, i) => void (results[at] = others[i]))
    return results.map(plain)
  })
  return { run, counts }
})
