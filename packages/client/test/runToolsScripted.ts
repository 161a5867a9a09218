import { chatCompletions, type Client } from "@tollgate/client"
import { runTools, tool, type Tool, type ToolsOptions } from "@tollgate/client/runTools"
import type { ScriptedGateway } from "@tollgate/client/testing"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { chat, type Said } from "./modelAnswers.ts"

export const City = Schema.Struct({ city: Schema.String })

export const weather = tool({
  name: "weather",
  description: "The weather in a city",
  schema: City,
  run: ({ city }) => Effect.succeed({ city, degrees: 21 })
})

export const paris = { name: "weather", arguments: { city: "Paris" } }

/** The model asks for tools. */
export const asks = (...requested: NonNullable<Said["requested"]>): Said => ({ requested, cost: "0.01" })

export const answers: Said = { text: "It is warm", cost: "0.02" }

export const loop = (tools: ReadonlyArray<Tool>, options?: ToolsOptions) =>
  runTools(chatCompletions, tools, chat.input, options)

export const on =
  (gateway: ScriptedGateway) =>
  <A, E>(effect: Effect.Effect<A, E, Client>) =>
    Effect.provide(effect, gateway.layer())

export const micros = ({ charge }: { readonly charge: { readonly micros?: unknown } }): number => Number(charge.micros)
