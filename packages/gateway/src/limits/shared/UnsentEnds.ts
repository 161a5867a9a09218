import type { Command, End } from "./Command.ts"

/** A lease that is forgotten here ends with its lifetime. */
const maxEnds = 100_000

/** The most in one round trip. */
const maxSent = 500

/** Ends of leases that the store has not been told of, or may not have been. */
export class UnsentEnds {
  readonly #ends = new Map<string, End>()

  /** Of commands that the store has not got. */
  addUnsent(commands: ReadonlyArray<Command>): void {
    for (const command of commands) if (command.kind === "end") this.#add(command)
  }

  /** Of commands that the store may have got: a lease that may have been granted is released. */
  addUnsure(commands: ReadonlyArray<Command>): void {
    for (const command of commands) this.#add(endOf(command))
  }

  some(): ReadonlyArray<End> {
    const ends: Array<End> = []
    for (const end of this.#ends.values()) if (ends.push(end) === maxSent) break
    return ends
  }

  remove(ends: ReadonlyArray<End>): void {
    for (const { key, lease } of ends) this.#ends.delete(`${key} ${lease}`)
  }

  /** A correction without a lease is dropped: nothing tells whether it was made. */
  #add(end: End): void {
    if (end.lease !== undefined && this.#ends.size < maxEnds) this.#ends.set(`${end.key} ${end.lease}`, end)
  }

  get isEmpty(): boolean {
    return this.#ends.size === 0
  }
}

const endOf = (command: Command): End => {
  if (command.kind === "end") return command
  const { key, lease, rpm, tpm } = command
  return { kind: "end", key, rpm, tpm, lease: lease?.id, correction: undefined }
}
