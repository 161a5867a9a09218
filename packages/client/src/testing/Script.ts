import type { Input, Operation, Success } from "@tollgate/contract/Operation"
import type { Call } from "./Call.ts"
import type { Sequence, Turn } from "./Turn.ts"

/** The same each time, one after the other, or by what is asked. */
export type Script<O extends Operation = Operation> =
  | Turn<Success<O>>
  | Sequence<Success<O>>
  | ((call: Call<Input<O>>) => Turn<Success<O>>)

type Answers = (call: Call<never>) => Turn | undefined

const turnsOf = (script: Script): Answers => {
  if (typeof script === "function") return script as Answers
  if (script.kind !== "sequence") return () => script
  const rest = script.turns.values()
  return () => rest.next().value
}

/** What was scripted, and how much of it was met. */
export class Scripts {
  readonly #scripts = new Map<string, { readonly next: Answers; readonly turns: number | undefined; met: number }>()

  set<O extends Operation>(id: string, script: Script<O>): void {
    const turns = typeof script === "object" && script.kind === "sequence" ? script.turns.length : undefined
    this.#scripts.set(id, { next: turnsOf(script as Script), turns, met: 0 })
  }

  has(id: string): boolean {
    return this.#scripts.has(id)
  }

  next(call: Call): Turn | undefined {
    const script = this.#scripts.get(call.operation)
    const turn = script?.next(call as Call<never>)
    if (script !== undefined && turn !== undefined) script.met++
    return turn
  }

  get described(): string {
    const all = [...this.#scripts].map(([id, { met, turns }]) =>
      turns === undefined ? id : `${id} (${met} of ${turns} turns met)`
    )
    return all.length === 0 ? "Nothing is scripted" : `Scripted: ${all.join(", ")}`
  }

  /** Sequences that were not met to their end. */
  get left(): ReadonlyArray<string> {
    return [...this.#scripts].flatMap(([id, { met, turns = 0 }]) =>
      met < turns ? [`${id}: ${turns - met} of ${turns} scripted turns were not met`] : []
    )
  }
}
