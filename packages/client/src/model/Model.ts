import type { Operation } from "@tollgate/contract/Operation"
import { isByModel } from "@tollgate/contract/price/Price"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Stream from "effect/Stream"
import type { Client } from "../Client.ts"
import { InputInvalid } from "../errors/errors.ts"
import type {
  ChatCompletionsInput,
  GenerateContentInput,
  MessagesInput,
  ResponsesInput
} from "../generated/operations.ts"
import { onClient } from "../promises/onClient.ts"
import { anthropic } from "./anthropic.ts"
import { gemini } from "./gemini.ts"
import { openai } from "./openai.ts"
import type { Protocol } from "./Protocol.ts"
import { responses } from "./responses.ts"

export type ModelInput = ChatCompletionsInput | ResponsesInput | MessagesInput | GenerateContentInput

/** `chatCompletions`, `responses`, `messages` or `generateContent`. */
export type EffectModel<I extends ModelInput, A, E, R> = (input: I, options?: never) => Effect.Effect<A, E, R>

/** The same function of a promise client: `client.chatCompletions`. */
export type PromiseModel<I extends ModelInput, A> = (input: I, options?: never) => PromiseLike<A>

type EffectFunction = (
  input: never,
  options?: never
) => Effect.Effect<unknown, unknown, Client> | Stream.Stream<unknown, unknown, Client>

/** What `promises` adds to its functions. */
interface Promised {
  readonly source: EffectFunction
  readonly [onClient]: (f: EffectFunction) => (input: undefined, options: { readonly signal?: unknown }) => unknown
}

const isPromised = (model: unknown): model is Promised =>
  Predicate.hasProperty(model, onClient) && Predicate.hasProperty(model, "source")

/** Makes the effect or stream of a model's function. With a function of a promise client, runs it on that client. */
export const onClientOf = (
  model: unknown,
  signal: unknown,
  make: (model: EffectFunction) => ReturnType<EffectFunction>
) =>
  isPromised(model)
    ? model[onClient](() => make(model.source))(undefined, signal === undefined ? {} : { signal })
    : make(model as EffectFunction)

/** By the list that every answer of the protocol has. */
const protocols: Readonly<Record<string, Protocol>> = {
  choices: openai,
  output: responses,
  content: anthropic,
  candidates: gemini
}

export const invalid = (operation: string, message: string) =>
  new InputInvalid({ operation, message, outcome: "not executed" })

/** The operation and protocol of a model's function. */
export const modelOf = (
  model: unknown
): Effect.Effect<{ readonly operation: Operation; readonly protocol: Protocol }, InputInvalid> => {
  const operation = Predicate.hasProperty(model, "operation") ? (model.operation as Operation) : undefined
  const protocol = operation !== undefined && isByModel(operation.price) ? protocols[operation.list ?? ""] : undefined
  return operation === undefined || protocol === undefined
    ? Effect.fail(invalid(operation?.id ?? "", "Pass chatCompletions, responses, messages or generateContent"))
    : Effect.succeed({ operation, protocol })
}
