import type { AnswerOf, Call, InputOf, Target } from "./Call.ts"
import type { Sequence, Step } from "./Step.ts"

/** The same step for each call, a sequence, or a function of the call. */
export type Script<T extends Target = Target> =
  | Step<AnswerOf<T>>
  | Sequence<AnswerOf<T>>
  | ((call: Call<InputOf<T>>) => Step<AnswerOf<T>>)

type Answers = (call: Call<never>) => Step | undefined

const stepsOf = (script: Script): Answers => {
  if (typeof script === "function") return script as Answers
  if (script.kind !== "sequence") return () => script
  const rest = script.steps.values()
  return () => rest.next().value
}

/** The scripts by operation, and how many steps were used. */
export class Scripts {
  readonly #scripts = new Map<string, { readonly next: Answers; readonly steps: number | undefined; used: number }>()

  set<T extends Target>(id: string, script: Script<T>): void {
    const steps = typeof script === "object" && script.kind === "sequence" ? script.steps.length : undefined
    this.#scripts.set(id, { next: stepsOf(script as Script), steps, used: 0 })
  }

  next(call: Call): Step | undefined {
    const script = this.#scripts.get(call.operation)
    const step = script?.next(call as Call<never>)
    if (script !== undefined && step !== undefined) script.used++
    return step
  }

  get described(): string {
    const all = [...this.#scripts].map(([id, { steps, used }]) =>
      steps === undefined ? id : `${id} (${used} of ${steps} steps used)`
    )
    return all.length === 0 ? "Nothing is scripted" : `Scripted: ${all.join(", ")}`
  }

  /** Sequences with unused steps. */
  get unused(): ReadonlyArray<string> {
    return [...this.#scripts].flatMap(([id, { steps = 0, used }]) =>
      used < steps ? [`${id}: ${steps - used} of ${steps} scripted steps were not used`] : []
    )
  }
}
