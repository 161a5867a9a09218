import type * as Statements from "../store/statements.ts"
import type { Transaction } from "../store/Transaction.ts"
import { recordBegun, recordEnded } from "../task/records.ts"
import type { Ask, Command, Result } from "./Command.ts"
import { addFound, callsOf, type Current, end, type End, recordAnswers, recordEnds, recordSums } from "./end.ts"
import { Purses, pursesOf, purseTexts } from "./Purses.ts"
import { claimsOf, openRow, recordOpen, reserve } from "./reserve.ts"

/** What is given back first can be taken again in the same commit. */
export const inTwo = (commands: ReadonlyArray<Command>) => {
  const ends: Array<End> = []
  const reserves: Array<Ask<"reserve">> = []
  for (const command of commands) {
    if (command.ask === "reserve") reserves.push(command)
    else ends.push(command)
  }
  return { ends, reserves }
}

/** Puts the results of the two in the order of the commands. */
export const inOne = (
  commands: ReadonlyArray<Command>,
  ended: ReadonlyArray<Result>,
  reserved: ReadonlyArray<Result>
): ReadonlyArray<Result> => {
  let ends = 0
  let reserves = 0
  return commands.map(({ ask }) => (ask === "reserve" ? reserved[reserves++]! : ended[ends++]!))
}

/** Writes a group of commands into the tables, in one transaction. `owner` is whose the opened calls are. */
export const make = (statements: Statements.Statements, onWritten: () => void) => {
  const texts = purseTexts(statements)

  return (commands: ReadonlyArray<Command>, owner: string): Transaction<ReadonlyArray<Result>> => {
    const { ends, reserves } = inTwo(commands)
    return {
      reads: [
        ...pursesOf(
          statements,
          commands.map(({ reservation }) => reservation)
        ),
        callsOf(statements, ends),
        claimsOf(statements, reserves)
      ],
      decide: ([accounts = [], keys = [], calls = [], claims = []]) => {
        const purses = new Purses()
        purses.add(accounts, keys)
        const current = new Map<string, Current>()
        addFound(current, calls)
        const ended = end(purses, ends, current)
        const last = [...ended.last.values()]
        const reserved = reserve(statements, purses, reserves, claims, current, ended.last)
        return {
          result: inOne(commands, ended.result, reserved.result),
          writes: [
            ...recordEnds(statements, last),
            ...recordAnswers(statements, last),
            ...recordBegun(statements, ended.begun),
            ...recordEnded(statements, ends),
            ...recordSums(statements, last),
            ...recordOpen(
              statements,
              reserved.granted.map((command) => openRow(command, owner))
            ),
            ...reserved.claims,
            ...purses.writes(texts)
          ]
        }
      },
      onWritten
    }
  }
}
