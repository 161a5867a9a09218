import type { Charge } from "@tollgate/contract/Outcome"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Client } from "../../Client.ts"
import type { InputInvalid } from "../../errors/errors.ts"
import { type EffectModel, type ModelInput, onClientOf, type PromiseModel } from "../Model.ts"
import * as Spending from "../spending.ts"
import type { Abortable } from "../../promises/PromiseOptions.ts"
import type { Event } from "../../events/Event.ts"
import type { ToolsError } from "./errors.ts"
import type { Step, ToolsResult } from "./Step.ts"
import { loop, type ToolsOptions } from "./steps.ts"
import type { Tool } from "./Tool.ts"

type PromiseToolsOptions = ToolsOptions & Abortable

const totalOf = (steps: ReadonlyArray<Step>): Charge => {
  const nothing: Spending.Spending = { total: { state: "none" }, left: undefined }
  return steps.reduce((sum, { charge }) => Spending.add(sum, charge), nothing).total
}

const resultOf = (steps: ReadonlyArray<Step>): ToolsResult => {
  const { answer, finish, text } = steps.at(-1)!
  return { text, answer, finish, steps, charge: totalOf(steps) }
}

const stepsOf = (model: unknown, tools: ReadonlyArray<Tool<Client>>, input: unknown, options: ToolsOptions) =>
  loop(model as never, tools, input as Event, options)

/**
 * Calls a model and the tools that it asks for, until it answers without. All calls together stay within `budget`. Every error
 * has the steps that were paid for, and what `resume` needs to go on.
 *
 * @example runTools(chatCompletions, [weather], { model, messages }, { budget: "0.50" })
 */
export function runTools<I extends ModelInput, A, E, R, T>(
  model: EffectModel<I, A, E, R>,
  tools: ReadonlyArray<Tool<T>>,
  input: NoInfer<I>,
  options?: ToolsOptions
): Effect.Effect<ToolsResult<A>, ToolsError<I, A, E> | InputInvalid, R | T>
/** With a function of a promise client: `runTools(client.chatCompletions, [weather], { model, messages })`. */
export function runTools<I extends ModelInput, A>(
  model: PromiseModel<I, A>,
  tools: ReadonlyArray<Tool<Client>>,
  input: NoInfer<I>,
  options?: PromiseToolsOptions
): Promise<ToolsResult<A>>
export function runTools(
  model: unknown,
  tools: ReadonlyArray<Tool<Client>>,
  input: unknown,
  { signal, ...options }: PromiseToolsOptions = {}
): unknown {
  return onClientOf(model, signal, (own) =>
    Effect.map(Stream.runCollect(stepsOf(own, tools, input, options)), resultOf)
  )
}

/** Like `runTools`, as a stream of steps. The last step has the answer. Leaving the stream stops the tools. */
export function toolSteps<I extends ModelInput, A, E, R, T>(
  model: EffectModel<I, A, E, R>,
  tools: ReadonlyArray<Tool<T>>,
  input: NoInfer<I>,
  options?: ToolsOptions
): Stream.Stream<Step<A>, ToolsError<I, A, E> | InputInvalid, R | T>
/** With a function of a promise client: `for await (const step of toolSteps(client.chatCompletions, …))`. */
export function toolSteps<I extends ModelInput, A>(
  model: PromiseModel<I, A>,
  tools: ReadonlyArray<Tool<Client>>,
  input: NoInfer<I>,
  options?: PromiseToolsOptions
): AsyncIterable<Step<A>>
export function toolSteps(
  model: unknown,
  tools: ReadonlyArray<Tool<Client>>,
  input: unknown,
  { signal, ...options }: PromiseToolsOptions = {}
): unknown {
  return onClientOf(model, signal, (own) => stepsOf(own, tools, input, options))
}
