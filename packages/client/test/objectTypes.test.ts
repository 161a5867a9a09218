import {
  chatCompletions,
  type ChatCompletionsError,
  type ChatCompletionsInput,
  type Client,
  createClient,
  rerank
} from "@tollgate/client"
import { object, type ObjectInvalid, type ObjectResult } from "@tollgate/client/object"
import { type ModelCallFailed, runTools, type Step, tool, toolSteps } from "@tollgate/client/runTools"
import type { ChatCompletion } from "@tollgate/contract/protocols/openai"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import { expectTypeOf, it } from "vitest"
import { chat } from "./modelAnswers.ts"

const Person = Schema.Struct({ name: Schema.String, born: Schema.DateFromString })
type Person = { readonly name: string; readonly born: Date }

class Weather extends Context.Service<Weather, { readonly degrees: number }>()("test/Weather") {}

const city = Schema.Struct({ city: Schema.String })
const weather = tool({ name: "weather", schema: city, run: ({ city }) => Weather.use(() => Effect.succeed(city)) })
const clock = tool({ name: "clock", schema: city, run: async ({ city }) => city })

it("the value has the schema's type, and the errors are the model's and ObjectInvalid", () => {
  const made = () => object(chatCompletions, Person, chat.input)
  expectTypeOf<ReturnType<typeof made>>().toEqualTypeOf<
    Effect.Effect<ObjectResult<Person>, ChatCompletionsError | ObjectInvalid, Client>
  >()
  const client = () => createClient({ credential: "" })
  const promised = () => object(client().messages, Person, { model: "m", messages: [] })
  expectTypeOf<ReturnType<typeof promised>>().toEqualTypeOf<Promise<ObjectResult<Person>>>()
})

it("the input is the model's own, and only models are accepted", () => {
  // @ts-expect-error: misspelt
  void (() => object(chatCompletions, Person, { model: "m", message: [] }))
  // @ts-expect-error: no model
  void (() => object(rerank, Person, { query: "", documents: [] }))
  // @ts-expect-error: no model
  void (() => runTools(rerank, [clock], { query: "", documents: [] }))
})

it("a loop needs what its tools need; its errors have typed steps, cause and conversation", () => {
  const made = () => runTools(chatCompletions, [weather, clock], chat.input)
  type Made = ReturnType<typeof made>
  expectTypeOf<Effect.Services<Made>>().toEqualTypeOf<Client | Weather>()
  expectTypeOf<Effect.Success<Made>["answer"]>().toEqualTypeOf<ChatCompletion>()
  type Failed = Extract<Effect.Error<Made>, { readonly _tag: "ModelCallFailed" }>
  expectTypeOf<Failed>().toEqualTypeOf<ModelCallFailed<ChatCompletionsInput, ChatCompletion, ChatCompletionsError>>()
  expectTypeOf<Failed["cause"]>().toEqualTypeOf<ChatCompletionsError>()
  expectTypeOf<Failed["resume"]["input"]>().toEqualTypeOf<ChatCompletionsInput>()
  expectTypeOf<Failed["steps"]>().toEqualTypeOf<ReadonlyArray<Step<ChatCompletion>>>()
  expectTypeOf<Effect.Error<Made>["_tag"]>().toEqualTypeOf<
    "AnswerTruncated" | "BudgetSpent" | "InputInvalid" | "ModelCallFailed" | "StepLimitReached" | "ToolFailed"
  >()
  const steps = () => toolSteps(chatCompletions, [clock], chat.input)
  expectTypeOf<Stream.Success<ReturnType<typeof steps>>>().toEqualTypeOf<Step<ChatCompletion>>()
})

it("a promise client runs no tool that needs a service it does not have", () => {
  const client = () => createClient({ credential: "" })
  const promised = () => runTools(client().chatCompletions, [clock], chat.input)
  expectTypeOf<Awaited<ReturnType<typeof promised>>["steps"][number]["answer"]>().toEqualTypeOf<ChatCompletion>()
  // @ts-expect-error: no Weather
  void (() => runTools(client().chatCompletions, [weather], chat.input))
})
