import { createAnthropic } from "@ai-sdk/anthropic"
import { createGoogle } from "@ai-sdk/google"
import { createOpenAI } from "@ai-sdk/openai"
import Anthropic from "@anthropic-ai/sdk"
import { GoogleGenAI } from "@google/genai"
import {
  generateText,
  isStepCount,
  jsonSchema,
  type LanguageModel,
  type ModelMessage,
  Output,
  streamText,
  tool
} from "ai"
import OpenAI from "openai"
import { key } from "../TestGateway.ts"
import { agentsClients } from "./agents.ts"
import { langchainClients } from "./langchain.ts"
import {
  type Client,
  found,
  kept,
  longPrompt,
  names,
  png,
  question,
  schema,
  turns,
  weather,
  weatherQuestion
} from "./Uses.ts"

const openaiChat: Client = (baseUrl) => {
  const model = names.openai
  const client = new OpenAI({ apiKey: key, baseURL: `${baseUrl}/v1`, maxRetries: 0 })
  const tools: Array<OpenAI.ChatCompletionTool> = [{ type: "function", function: weather }]
  const said = ({ choices }: OpenAI.ChatCompletion): string => choices[0]?.message.content ?? ""
  const loop = async (more: object): Promise<string> => {
    const messages: Array<OpenAI.ChatCompletionMessageParam> = [{ role: "user", content: weatherQuestion }]
    const { choices } = await client.chat.completions.create({ model, messages, tools, ...more })
    const message = choices[0]?.message
    const call = message?.tool_calls?.[0]
    if (message === undefined || call?.type !== "function") throw new Error("no call")
    messages.push(message, { role: "tool", tool_call_id: call.id, content: found })
    return said(await client.chat.completions.create({ model, messages, tools, ...more }))
  }
  return {
    text: async () =>
      said(await client.chat.completions.create({ model, messages: [{ role: "user", content: question }] })),
    stream: async () => {
      const stream = client.chat.completions.stream({ model, messages: [{ role: "user", content: question }] })
      return (await stream.finalContent()) ?? ""
    },
    tools: () => loop({}),
    reasoning: () => loop({ reasoning_effort: "low" }),
    object: async () => {
      const answer = await client.chat.completions.create({
        model,
        messages: [{ role: "user", content: "A river" }],
        response_format: { type: "json_schema", json_schema: { name: "river", schema, strict: true } }
      })
      return JSON.parse(said(answer)) as unknown
    },
    vision: async () =>
      said(
        await client.chat.completions.create({
          model,
          messages: [
            {
              role: "user",
              content: [
                { type: "text", text: question },
                { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } }
              ]
            }
          ]
        })
      ),
    cache: async () => {
      const messages = [{ role: "user" as const, content: longPrompt }]
      const { usage } = await client.chat.completions.create(
        { model, messages, prompt_cache_key: "rivers" },
        { headers: kept }
      )
      return { read: usage?.prompt_tokens_details?.cached_tokens }
    },
    turns: async () => {
      const messages: Array<OpenAI.ChatCompletionMessageParam> = [{ role: "system", content: "Be brief." }]
      for (let turn = 0; turn < turns; turn++) {
        messages.push({ role: "user", content: `${question} (${turn})` })
        const { choices } = await client.chat.completions.create({ model, messages })
        if (choices[0] !== undefined) messages.push(choices[0].message)
      }
      const last = messages.at(-1)?.content
      return typeof last === "string" ? last : ""
    }
  }
}

/** The SDK has the same items under two types. */
const itemsOf = ({ output }: OpenAI.Responses.Response) => output as Array<OpenAI.Responses.ResponseInputItem>

const openaiResponses: Client = (baseUrl) => {
  const model = names.openai
  const client = new OpenAI({ apiKey: key, baseURL: `${baseUrl}/v1`, maxRetries: 0 })
  const tools: Array<OpenAI.Responses.Tool> = [{ type: "function", strict: true, ...weather }]
  const loop = async (more: object): Promise<string> => {
    const input: Array<OpenAI.Responses.ResponseInputItem> = [{ role: "user", content: weatherQuestion }]
    const first = await client.responses.create({ model, input, tools, store: false, stream: false, ...more })
    const call = first.output.find((item) => item.type === "function_call")
    if (call === undefined) throw new Error("no call")
    input.push(...itemsOf(first), { type: "function_call_output", call_id: call.call_id, output: found })
    const { output_text } = await client.responses.create({ model, input, tools, store: false, stream: false, ...more })
    return output_text
  }
  return {
    text: async () => (await client.responses.create({ model, input: question, store: false })).output_text,
    stream: async () =>
      (await client.responses.stream({ model, input: question, store: false }).finalResponse()).output_text,
    tools: () => loop({}),
    reasoning: () => loop({ reasoning: { effort: "low" }, include: ["reasoning.encrypted_content"] }),
    object: async () => {
      const { output_text } = await client.responses.create({
        model,
        input: "A river",
        store: false,
        text: { format: { type: "json_schema", name: "river", schema, strict: true } }
      })
      return JSON.parse(output_text) as unknown
    },
    vision: async () => {
      const { output_text } = await client.responses.create({
        model,
        store: false,
        input: [
          {
            role: "user",
            content: [
              { type: "input_text", text: question },
              { type: "input_image", detail: "auto", image_url: `data:image/png;base64,${png}` }
            ]
          }
        ]
      })
      return output_text
    },
    cache: async () => {
      const body = { model, input: longPrompt, prompt_cache_key: "rivers", store: false }
      const { usage } = await client.responses.create(body, { headers: kept })
      return { read: usage?.input_tokens_details.cached_tokens }
    },
    turns: async () => {
      const input: Array<OpenAI.Responses.ResponseInputItem> = []
      let last = ""
      for (let turn = 0; turn < turns; turn++) {
        input.push({ role: "user", content: `${question} (${turn})` })
        const answer = await client.responses.create({ model, input, instructions: "Be brief.", store: false })
        input.push(...itemsOf(answer))
        last = answer.output_text
      }
      return last
    }
  }
}

const anthropic: Client = (baseUrl) => {
  const model = names.anthropic
  const client = new Anthropic({ apiKey: key, baseURL: baseUrl, maxRetries: 0 })
  const tools: Array<Anthropic.Tool> = [
    { name: weather.name, description: weather.description, input_schema: weather.parameters as never }
  ]
  const said = ({ content }: Anthropic.Message): string =>
    content.map((block) => (block.type === "text" ? block.text : "")).join("")
  const ask = (messages: Array<Anthropic.MessageParam>, more: object = {}) =>
    client.messages.create({ model, max_tokens: 2_000, messages, ...more }) as Promise<Anthropic.Message>
  const loop = async (more: object): Promise<string> => {
    const messages: Array<Anthropic.MessageParam> = [{ role: "user", content: weatherQuestion }]
    const first = await ask(messages, { tools, ...more })
    const call = first.content.find((block) => block.type === "tool_use")
    if (call === undefined) throw new Error("no call")
    messages.push(
      { role: "assistant", content: first.content },
      { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: found }] }
    )
    return said(await ask(messages, { tools, ...more }))
  }
  return {
    text: async () => said(await ask([{ role: "user", content: question }])),
    stream: () =>
      client.messages.stream({ model, max_tokens: 2_000, messages: [{ role: "user", content: question }] }).finalText(),
    tools: () => loop({}),
    reasoning: () => loop({ thinking: { type: "enabled", budget_tokens: 1_024 } }),
    object: async () => {
      const answer = await ask([{ role: "user", content: "A river" }], {
        output_config: { format: { type: "json_schema", schema } }
      })
      return JSON.parse(said(answer)) as unknown
    },
    vision: async () =>
      said(
        await ask([
          {
            role: "user",
            content: [
              { type: "text", text: question },
              { type: "image", source: { type: "base64", media_type: "image/png", data: png } }
            ]
          }
        ])
      ),
    cache: async () => {
      const content = [{ type: "text" as const, text: longPrompt, cache_control: { type: "ephemeral" as const } }]
      const { usage } = await client.messages.create(
        { model, max_tokens: 2_000, messages: [{ role: "user", content }] },
        { headers: kept }
      )
      return { read: usage.cache_read_input_tokens, written: usage.cache_creation_input_tokens }
    },
    turns: async () => {
      const messages: Array<Anthropic.MessageParam> = []
      let last = ""
      for (let turn = 0; turn < turns; turn++) {
        messages.push({ role: "user", content: `${question} (${turn})` })
        const answer = await ask(messages, { system: "Be brief." })
        messages.push({ role: "assistant", content: answer.content })
        last = said(answer)
      }
      return last
    }
  }
}

const google: Client = (baseUrl) => {
  const model = names.google
  const { models } = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl } })
  const tools = [
    {
      functionDeclarations: [
        { name: weather.name, description: weather.description, parametersJsonSchema: weather.parameters }
      ]
    }
  ]
  type Content = NonNullable<
    NonNullable<Awaited<ReturnType<typeof models.generateContent>>["candidates"]>[0]["content"]
  >
  const loop = async (more: object): Promise<string> => {
    const contents: Array<Content> = [{ role: "user", parts: [{ text: weatherQuestion }] }]
    const first = await models.generateContent({ model, contents, config: { tools, ...more } })
    const content = first.candidates?.[0]?.content
    const [call] = first.functionCalls ?? []
    if (content === undefined || call === undefined) throw new Error("no call")
    const response = {
      name: call.name ?? "",
      response: { output: found },
      ...(call.id === undefined ? {} : { id: call.id })
    }
    contents.push(content, { role: "user", parts: [{ functionResponse: response }] })
    return (await models.generateContent({ model, contents, config: { tools, ...more } })).text ?? ""
  }
  return {
    text: async () => (await models.generateContent({ model, contents: question })).text ?? "",
    stream: async () => {
      let text = ""
      for await (const chunk of await models.generateContentStream({ model, contents: question }))
        text += chunk.text ?? ""
      return text
    },
    tools: () => loop({}),
    reasoning: () => loop({ thinkingConfig: { thinkingBudget: 1_024, includeThoughts: true } }),
    object: async () => {
      const { text = "" } = await models.generateContent({
        model,
        contents: "A river",
        config: { responseMimeType: "application/json", responseJsonSchema: schema }
      })
      return JSON.parse(text) as unknown
    },
    vision: async () => {
      const parts = [{ text: question }, { inlineData: { mimeType: "image/png", data: png } }]
      return (await models.generateContent({ model, contents: [{ role: "user", parts }] })).text ?? ""
    },
    cache: async () => {
      const config = { httpOptions: { headers: kept } }
      const { usageMetadata } = await models.generateContent({ model, contents: longPrompt, config })
      return { read: usageMetadata?.cachedContentTokenCount }
    },
    turns: async () => {
      const contents: Array<Content> = []
      let last = ""
      for (let turn = 0; turn < turns; turn++) {
        contents.push({ role: "user", parts: [{ text: `${question} (${turn})` }] })
        const answer = await models.generateContent({ model, contents, config: { systemInstruction: "Be brief." } })
        const content = answer.candidates?.[0]?.content
        if (content !== undefined) contents.push(content)
        last = answer.text ?? ""
      }
      return last
    }
  }
}

/** Vercel's `ai`, with a provider of its own. */
const ai =
  (
    modelAt: (baseUrl: string) => LanguageModel,
    providerOptions: Record<string, Record<string, never>> | object,
    /** What marks a prompt to be kept, where callers do. */
    marks?: { readonly anthropic: { readonly cacheControl: { readonly type: "ephemeral" } } }
  ): Client =>
  (baseUrl) => {
    const model = modelAt(baseUrl)
    const tools = {
      get_weather: tool({
        description: weather.description,
        inputSchema: jsonSchema<{ town: string }>(weather.parameters as never),
        execute: () => found
      })
    }
    const options = { model, maxRetries: 0 }
    const loop = async (more: object): Promise<string> => {
      const { text } = await generateText({
        ...options,
        prompt: weatherQuestion,
        tools,
        stopWhen: isStepCount(3),
        ...more
      })
      return text
    }
    return {
      text: async () => (await generateText({ ...options, prompt: question })).text,
      stream: async () => {
        const { text } = streamText({
          ...options,
          prompt: question,
          onError: ({ error }) => {
            throw error
          }
        })
        return text
      },
      tools: () => loop({}),
      reasoning: () => loop({ providerOptions }),
      object: async () => {
        const { output } = await generateText({
          ...options,
          prompt: "A river",
          output: Output.object({ schema: jsonSchema(schema as never) })
        })
        return output
      },
      vision: async () => {
        const content = [
          { type: "text" as const, text: question },
          { type: "file" as const, mediaType: "image/png", data: png }
        ]
        return (await generateText({ ...options, messages: [{ role: "user", content }] })).text
      },
      cache: async () => {
        const content = [{ type: "text" as const, text: longPrompt, providerOptions: marks ?? {} }]
        const { usage } = await generateText({ ...options, messages: [{ role: "user", content }], headers: kept })
        const { cacheReadTokens, cacheWriteTokens } = usage.inputTokenDetails
        return { read: cacheReadTokens, ...(marks === undefined ? {} : { written: cacheWriteTokens }) }
      },
      turns: async () => {
        const messages: Array<ModelMessage> = []
        let last = ""
        for (let turn = 0; turn < turns; turn++) {
          messages.push({ role: "user", content: `${question} (${turn})` })
          const { response, text } = await generateText({ ...options, messages })
          messages.push(...response.messages)
          last = text
        }
        return last
      }
    }
  }

// It warns of models that it does not know.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })

/** By what a reader calls it. */
export const clients: Readonly<Record<string, Client>> = {
  "`openai`, chat completions": openaiChat,
  "`openai`, responses": openaiResponses,
  "`@anthropic-ai/sdk`": anthropic,
  "`@google/genai`": google,
  "`ai` with `@ai-sdk/openai`": ai((baseUrl) => createOpenAI({ apiKey: key, baseURL: `${baseUrl}/v1` })(names.openai), {
    openai: { reasoningEffort: "low", store: false }
  }),
  "`ai` with `@ai-sdk/anthropic`": ai(
    (baseUrl) => createAnthropic({ apiKey: key, baseURL: `${baseUrl}/v1` })(names.anthropic),
    { anthropic: { thinking: { type: "enabled", budgetTokens: 1_024 } } },
    { anthropic: { cacheControl: { type: "ephemeral" } } }
  ),
  "`ai` with `@ai-sdk/google`": ai(
    (baseUrl) => createGoogle({ apiKey: key, baseURL: `${baseUrl}/v1beta` })(names.google),
    { google: { thinkingConfig: { thinkingBudget: 1_024, includeThoughts: true } } }
  ),
  ...langchainClients,
  ...agentsClients
}
