import {
  chatCompletions,
  type ChatCompletionsInput,
  generateContent,
  type GenerateContentInput,
  messages,
  type MessagesInput,
  responses,
  type ResponsesInput
} from "@tollgate/client"
import { reply, reset, type ScriptedGateway, sequence } from "@tollgate/client/testing"
import type { Message } from "@tollgate/contract/protocols/anthropic"
import type { GenerateContentResult } from "@tollgate/contract/protocols/gemini"
import type { ChatCompletion } from "@tollgate/contract/protocols/openai"
import type { ResponsesResult } from "@tollgate/contract/protocols/openaiResponses"
import type { Step } from "../src/testing/Step.ts"

interface Requested {
  readonly name: string
  readonly arguments: unknown
}

/** What a model says in a test, in no protocol. A step is used as it is. */
export interface Said {
  readonly text?: string
  readonly requested?: ReadonlyArray<Requested>
  readonly finish?: "length" | "refusal" | "pause"
  readonly cost?: string
  /** The gateway stores the answer, and it does not arrive. */
  readonly lost?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

type Fields = Readonly<Record<string, unknown>>

const openai = ({ finish, requested = [], text }: Said): Fields => ({
  choices: [
    {
      index: 0,
      finish_reason: finish === "length" ? finish : requested.length > 0 ? "tool_calls" : "stop",
      message: {
        role: "assistant",
        ...(finish === "refusal" ? { content: null, refusal: text } : { content: text ?? null }),
        ...(requested.length === 0
          ? {}
          : {
              tool_calls: requested.map(({ arguments: given, name }) => ({
                id: `id_${name}`,
                type: "function",
                function: { name, arguments: typeof given === "string" ? given : JSON.stringify(given) }
              }))
            })
      }
    }
  ]
})

const openaiResponses = ({ finish, requested = [], text }: Said): Fields => ({
  status: finish === "length" ? "incomplete" : "completed",
  ...(finish === "length" ? { incomplete_details: { reason: "max_output_tokens" } } : {}),
  output: [
    { type: "reasoning", id: "rs_1", summary: [] },
    { type: "reasoning", id: "rs_2", summary: [], encrypted_content: "e" },
    ...(text === undefined
      ? []
      : [
          {
            type: "message",
            role: "assistant",
            content: [finish === "refusal" ? { type: "refusal", refusal: text } : { type: "output_text", text }]
          }
        ]),
    ...requested.map(({ arguments: given, name }) => ({
      type: "function_call",
      call_id: `id_${name}`,
      name,
      arguments: JSON.stringify(given)
    }))
  ]
})

const stops = { length: "max_tokens", refusal: "refusal", pause: "pause_turn" } as const

const anthropic = ({ finish, requested = [], text }: Said): Fields => ({
  type: "message",
  role: "assistant",
  content: [
    ...(text === undefined ? [] : [{ type: "text", text }]),
    ...requested.map(({ arguments: input, name }) => ({ type: "tool_use", id: `id_${name}`, name, input }))
  ],
  stop_reason: finish === undefined ? (requested.length > 0 ? "tool_use" : "end_turn") : stops[finish]
})

const gemini = ({ finish, requested = [], text }: Said): Fields => ({
  candidates: [
    {
      index: 0,
      finishReason: finish === "length" ? "MAX_TOKENS" : finish === "refusal" ? "SAFETY" : "STOP",
      content: {
        role: "model",
        parts: [
          ...(text === undefined ? [] : [{ text }]),
          ...requested.map(({ arguments: args, name }) => ({ functionCall: { name, args } }))
        ]
      }
    }
  ]
})

const scripted = <A>(write: (said: Said) => Fields, all: ReadonlyArray<Said | Step<A>>) =>
  sequence<A>(
    ...all.map((said) => {
      if ("kind" in said) return said
      const step = reply(write(said) as A, {
        ...(said.cost === undefined ? {} : { cost: said.cost }),
        ...(said.headers === undefined ? {} : { headers: said.headers })
      })
      return said.lost === true ? reset(step) : step
    })
  )

/** The most that a call costs in these tests, in USD. */
export const price = "0.05"

/** Each protocol's function, a question, and how a test answers it. */
export const chat = {
  model: chatCompletions,
  input: { model: "m", messages: [{ role: "user", content: "Who?" }] } satisfies ChatCompletionsInput,
  answer: (gateway: ScriptedGateway, ...all: ReadonlyArray<Said | Step<ChatCompletion>>) =>
    gateway.price(chatCompletions, price).on(chatCompletions, scripted(openai, all))
} as const

export const responsesStyle = {
  model: responses,
  input: { model: "m", input: "Who?" } satisfies ResponsesInput,
  answer: (gateway: ScriptedGateway, ...all: ReadonlyArray<Said | Step<ResponsesResult>>) =>
    gateway.price(responses, price).on(responses, scripted(openaiResponses, all))
} as const

export const anthropicStyle = {
  model: messages,
  input: { model: "m", max_tokens: 100, messages: [{ role: "user", content: "Who?" }] } satisfies MessagesInput,
  answer: (gateway: ScriptedGateway, ...all: ReadonlyArray<Said | Step<Message>>) =>
    gateway.price(messages, price).on(messages, scripted(anthropic, all))
} as const

export const geminiStyle = {
  model: generateContent,
  input: {
    path: { model: "m" },
    body: { contents: [{ role: "user", parts: [{ text: "Who?" }] }] }
  } satisfies GenerateContentInput,
  answer: (gateway: ScriptedGateway, ...all: ReadonlyArray<Said | Step<GenerateContentResult>>) =>
    gateway.price(generateContent, price).on(generateContent, scripted(gemini, all))
} as const
