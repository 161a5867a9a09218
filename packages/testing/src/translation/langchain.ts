import { ChatAnthropic } from "@langchain/anthropic"
import type { BaseChatModel } from "@langchain/core/language_models/chat_models"
import {
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  type ToolMessage,
  type UsageMetadata
} from "@langchain/core/messages"
import { tool } from "@langchain/core/tools"
import { ChatGoogleGenerativeAI } from "@langchain/google-genai"
import { ChatOpenAI } from "@langchain/openai"
import { key } from "../TestGateway.ts"
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

interface Options {
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  readonly thinks: boolean
}

interface Model {
  readonly of: (options: Options) => BaseChatModel
  /** What callers mark a prompt with. */
  readonly mark?: object
}

const langchain =
  ({ mark, of }: Model): Client =>
  (baseUrl) => {
    const modelOf = (more: Partial<Options> = {}) => of({ baseUrl, headers: {}, thinks: false, ...more })
    const model = modelOf()
    const getWeather = tool(() => found, {
      name: weather.name,
      description: weather.description,
      schema: weather.parameters
    })
    const loop = async (model: BaseChatModel): Promise<string> => {
      const bound = model.bindTools!([getWeather])
      const messages: Array<BaseMessage> = [new HumanMessage(weatherQuestion)]
      const first = await bound.invoke(messages)
      const [call] = first.tool_calls ?? []
      if (call === undefined) throw new Error("no call")
      const result: unknown = await getWeather.invoke({ ...call, type: "tool_call" })
      messages.push(first, result as ToolMessage)
      return (await bound.invoke(messages)).text
    }
    return {
      text: async () => (await model.invoke(question)).text,
      stream: async () => {
        let text = ""
        for await (const chunk of await model.stream(question)) text += chunk.text
        return text
      },
      tools: () => loop(model),
      reasoning: () => loop(modelOf({ thinks: true })),
      object: () => model.withStructuredOutput({ title: "river", ...schema }).invoke("A river"),
      vision: async () => {
        const picture = new HumanMessage({
          contentBlocks: [
            { type: "text", text: question },
            { type: "image", mimeType: "image/png", data: png }
          ]
        })
        return (await model.invoke([picture])).text
      },
      cache: async () => {
        const content = [{ type: "text", text: longPrompt, ...mark }]
        const answer = await modelOf({ headers: kept }).invoke([new HumanMessage({ content })])
        const usage: Partial<UsageMetadata> = answer.usage_metadata ?? {}
        const { cache_creation, cache_read } = usage.input_token_details ?? {}
        return { read: cache_read, ...(mark === undefined ? {} : { written: cache_creation }) }
      },
      turns: async () => {
        const messages: Array<BaseMessage> = [new SystemMessage("Be brief.")]
        let last = ""
        for (let turn = 0; turn < turns; turn++) {
          messages.push(new HumanMessage(`${question} (${turn})`))
          const answer = await model.invoke(messages)
          messages.push(answer)
          last = answer.text
        }
        return last
      }
    }
  }

const openai = (useResponsesApi: boolean): Model => ({
  of: ({ baseUrl, headers, thinks }) =>
    new ChatOpenAI({
      model: names.openai,
      apiKey: key,
      maxRetries: 0,
      configuration: { baseURL: `${baseUrl}/v1`, defaultHeaders: headers },
      useResponsesApi,
      ...(thinks ? { reasoning: { effort: "low" } } : {})
    })
})

const anthropic: Model = {
  of: ({ baseUrl, headers, thinks }) =>
    new ChatAnthropic({
      model: names.anthropic,
      apiKey: key,
      maxRetries: 0,
      anthropicApiUrl: baseUrl,
      clientOptions: { defaultHeaders: headers },
      ...(thinks ? { thinking: { type: "enabled", budget_tokens: 1_024 } } : {})
    }),
  mark: { cache_control: { type: "ephemeral" } }
}

const google: Model = {
  of: ({ baseUrl, headers, thinks }) =>
    new ChatGoogleGenerativeAI({
      model: names.google,
      apiKey: key,
      maxRetries: 0,
      baseUrl,
      customHeaders: headers,
      ...(thinks ? { thinkingConfig: { thinkingBudget: 1_024, includeThoughts: true } } : {})
    })
}

export const langchainClients: Readonly<Record<string, Client>> = {
  "`@langchain/openai`, chat completions": langchain(openai(false)),
  "`@langchain/openai`, responses": langchain(openai(true)),
  "`@langchain/anthropic`": langchain(anthropic),
  "`@langchain/google-genai`": langchain(google)
}
