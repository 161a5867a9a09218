import type { Command, Take } from "../shared/Command.ts"

// The function `tollgate_limits` has these numbers too.

/** How many numbers an answer has. A command has nine. */
export const answerWidth = 5

/** What a command is. */
const opcodes = { take: 0, end: 1, endAndCorrect: 2 } as const

/** In place of a number that a command does not have. */
const none = -1
/** In place of the most leases: they are only counted. */
const countOnly = -2

/** A position for each distinct text, from 1. */
class Positions {
  readonly #positions = new Map<string, number>()

  of(text: string): number {
    const known = this.#positions.get(text)
    if (known !== undefined) return known
    this.#positions.set(text, this.#positions.size + 1)
    return this.#positions.size
  }
}

const mostOf = ({ lease }: Take): number =>
  lease === undefined ? none : lease.id === undefined ? countOnly : lease.most

/** The arguments of `tollgate_limits` after the time and the gateway. */
export const encode = (commands: ReadonlyArray<Command>): ReadonlyArray<unknown> => {
  const keys = [...new Set(commands.map(({ key }) => key))].toSorted()
  const keyPositions = new Positions()
  for (const key of keys) keyPositions.of(key)
  const groups = new Positions()
  const groupKeys: Array<string> = []
  const groupIds: Array<string> = []
  const numbers: Array<number> = []
  const leases: Array<string> = []
  for (const command of commands) {
    const key = keyPositions.of(command.key)
    if (command.kind === "end") {
      const { correction, lease, rpm, tpm } = command
      const opcode = correction === undefined ? opcodes.end : opcodes.endAndCorrect
      numbers.push(opcode, key, 0, rpm, tpm, 0, 0, correction ?? 0, none)
      leases.push(lease ?? "")
      continue
    }
    const { group, rpm, tpm } = command
    let position = 0
    if (group !== undefined) {
      position = groups.of(`${key} ${group.id}`)
      if (position > groupKeys.length) {
        groupKeys.push(command.key)
        groupIds.push(group.id)
      }
    }
    const { lease, request, tokens } = command
    numbers.push(opcodes.take, key, position, rpm, tpm, group?.rpm ?? 0)
    numbers.push(request ? 1 : 0, tokens ?? none, mostOf(command))
    leases.push(lease?.id ?? "")
  }
  return [keys, groupKeys, groupIds, `{${numbers.join(",")}}`, leases]
}
