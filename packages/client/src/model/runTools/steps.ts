import { formatUsd } from "@tollgate/contract/Money"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import type { CallOptions } from "../../options/CallOptions.ts"
import type { Client } from "../../Client.ts"
import { ask, chargeOfError, settingsOf } from "../ask.ts"
import { invalid, modelOf } from "../Model.ts"
import * as Spending from "../spending.ts"
import { readInput } from "../../call/request.ts"
import { type Progress, Trace } from "../../call/trace.ts"
import type { Settings } from "../../options/settings.ts"
import type { Event } from "../../events/Event.ts"
import { AnswerTruncated, BudgetSpent, ModelCallFailed, StepLimitReached, ToolFailed } from "./errors.ts"
import type { Step } from "./Step.ts"
import { prepare, type Tool } from "./Tool.ts"
import { useTools } from "./useTools.ts"

/** The options of each call, and those of the loop. An idempotency key is that of the first call; others derive from it. */
export interface ToolsOptions extends CallOptions {
  /** The most that all calls together may cost, in decimal USD. Each call is capped with what is left. */
  readonly budget?: string
  /** How often the model is called. 10 by default. */
  readonly maxSteps?: number
  /** How many tools run at once. All that the model asks for by default. */
  readonly concurrency?: number
  /** `tell`, the default: the model learns what went wrong and goes on. `stop`: the loop fails with `ToolFailed`. */
  readonly onToolError?: "tell" | "stop"
}

/** The loop before its next call. */
interface State {
  readonly input: Event
  readonly steps: ReadonlyArray<Step>
  readonly spending: Spending.Spending
}

const isOverCap = (error: unknown): boolean =>
  Predicate.isTagged(error, "OverBudget") && Predicate.hasProperty(error, "code") && error.code === "over_cap"

const keyOf = (error: unknown): { readonly idempotencyKey?: string } =>
  Predicate.hasProperty(error, "idempotencyKey") && typeof error.idempotencyKey === "string"
    ? { idempotencyKey: error.idempotencyKey }
    : {}

/** The steps of a loop, each emitted when its tools have run. The last is the one without tools. */
export const loop = <R>(
  model: Parameters<typeof ask>[0],
  tools: ReadonlyArray<Tool<R>>,
  input: Event,
  { budget, concurrency, maxSteps = 10, onToolError = "tell", ...own }: ToolsOptions
): Stream.Stream<Step, unknown, Client | R> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const { operation, protocol } = yield* modelOf(model)
      const prepared = yield* prepare(operation.id, tools)
      const declarations = [...prepared.values()].map(({ declaration }) => declaration)
      const settings = yield* settingsOf(own)
      const trace = yield* Trace
      const spending = Spending.begin(budget)
      if (spending === undefined) return yield* invalid(operation.id, "`budget` is a decimal amount of USD")

      const keyOfStep = (number: number): Pick<Settings, "idempotencyKey"> => {
        const { idempotencyKey: key } = settings
        return key === undefined ? {} : { idempotencyKey: number === 1 ? key : `${key}.${number}` }
      }

      const ended = ({ input, spending, steps }: State, message: string) => ({
        operation: operation.id,
        message,
        steps,
        charge: spending.total,
        resume: {
          input,
          options: {
            ...(spending.left === undefined ? {} : { budget: formatUsd(spending.left) }),
            // That of the first step belongs to another input.
            ...keyOfStep(steps.length + 1)
          }
        }
      })

      const spent = (state: State, cause?: unknown) => {
        const { left } = state.spending
        const message = `The next call can cost more than ${left === undefined ? "the budget has left" : `the ${formatUsd(left)} USD that are left`}`
        return new BudgetSpent({ ...ended(state, message), ...(cause === undefined ? {} : { cause }) })
      }

      const callFailed = (state: State, cause: unknown) => {
        const isOwnCap = settings.maxPrice !== undefined
        if (Predicate.isTagged(cause, "BudgetExceeded") || (isOverCap(cause) && !isOwnCap)) return spent(state, cause)
        const message = Predicate.hasProperty(cause, "message") ? String(cause.message) : String(cause)
        const { charge: _, resume, ...fields } = ended(state, message)
        return new ModelCallFailed({
          ...fields,
          charge: Spending.add(state.spending, chargeOfError(cause)).total,
          // The budget is what was left before the call: under its key it is paid for once.
          resume: { ...resume, options: { ...resume.options, ...keyOf(cause) } },
          cause
        })
      }

      /** Tells `CallAborted` how far the loop is. No call of it is under way. */
      const report = (progress: () => Progress) => {
        if (trace !== undefined) Object.assign(trace, { progress, sent: false })
      }

      const withKey = (resume: Progress["resume"], key: string | undefined): Progress["resume"] =>
        key === undefined ? resume : { ...resume, options: { ...resume.options, idempotencyKey: key } }

      /** Before a call. If it was sent, it is unknown whether it ran, and its key asks for it. */
      const reportNext = (state: State) => {
        if (trace !== undefined) Object.assign(trace, { idempotencyKey: undefined, memory: undefined })
        report(() => {
          const { charge, resume, steps } = ended(state, "")
          return trace?.sent === true
            ? {
                steps,
                charge: Spending.add(state.spending, { state: "unknown" }).total,
                resume: withKey(resume, trace.idempotencyKey)
              }
            : { steps, charge, resume }
        })
      }

      /** While tools run. The key of the call gets its answer again, and the budget is what was left before it. */
      const reportPaid = (state: State, step: Step, spending: Spending.Spending) => {
        const key = trace?.idempotencyKey
        report(() => ({
          steps: [...state.steps, step],
          charge: spending.total,
          resume: withKey(ended(state, "").resume, key)
        }))
      }

      const next = Effect.fnUntraced(function* (
        state: State
      ): Effect.fn.Return<readonly [ReadonlyArray<Step>, Option.Option<State>], unknown, Client | R> {
        const number = state.steps.length + 1
        if (number > maxSteps) {
          return yield* new StepLimitReached(ended(state, `The model wants to go on after ${maxSteps} steps`))
        }
        if (number > 1 && state.spending.left === 0n) return yield* spent(state)
        reportNext(state)
        const withTools = () =>
          Effect.succeed(declarations.length === 0 ? state.input : protocol.withTools(state.input, declarations))
        const asked = yield* readInput(operation.id, withTools).pipe(
          Effect.flatMap((input) => ask(model, input, state.spending, { ...settings, ...keyOfStep(number) })),
          Effect.mapError((error) => callFailed(state, error))
        )
        const { finish, requested, text } = protocol.read(asked.answer)
        const bare: Step = {
          number,
          answer: asked.answer,
          text,
          finish,
          uses: [],
          charge: asked.charge,
          ...(asked.requestId === undefined ? {} : { requestId: asked.requestId })
        }
        const after = (input: Event, step: Step): State => ({
          input,
          steps: [...state.steps, step],
          spending: asked.spending
        })
        if (requested.length === 0) {
          const onward = Option.some(after(protocol.withReply(state.input, asked.answer, undefined), bare))
          return [[bare], finish === "pause" ? onward : Option.none()]
        }
        if (finish === "length") {
          const message = "The answer was cut off by its length while it asked for tools"
          return yield* new AnswerTruncated(ended(after(state.input, bare), message))
        }
        reportPaid(state, bare, asked.spending)
        const { failed, results, uses } = yield* useTools(prepared, requested, concurrency)
        const step: Step = { ...bare, uses }
        const told = protocol.withResults(state.input, asked.answer, results)
        if (onToolError === "stop" && failed !== undefined) {
          const { cause, message, tool } = failed
          return yield* new ToolFailed({ ...ended(after(told, step), message), tool, cause })
        }
        const onward = after(told, step)
        reportNext(onward)
        return [[step], Option.some(onward)]
      })

      return Stream.paginate<State, Step, unknown, Client | R>({ input, steps: [], spending }, next)
    })
  )
