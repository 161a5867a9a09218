import {
  Agent,
  type AgentInputItem,
  MemorySession,
  OpenAIConversationsSession,
  OpenAIProvider,
  Runner,
  setTracingDisabled,
  tool
} from "@openai/agents"
import OpenAI from "openai"
import * as z from "zod"
import { key } from "../TestGateway.ts"
import { type Client, found, kept, longPrompt, names, png, question, turns, weather, weatherQuestion } from "./Uses.ts"

// Its traces go to OpenAI.
setTracingDisabled(true)

const river = z.object({ name: z.string(), length: z.number() })

const agents =
  (useResponses: boolean, sessionOf: (client: OpenAI) => MemorySession | OpenAIConversationsSession): Client =>
  (baseUrl) => {
    const clientOf = (defaultHeaders = {}) =>
      new OpenAI({ apiKey: key, baseURL: `${baseUrl}/v1`, maxRetries: 0, defaultHeaders })
    const runnerOf = (openAIClient: OpenAI) =>
      new Runner({ modelProvider: new OpenAIProvider({ openAIClient, useResponses }) })
    const client = clientOf()
    const runner = runnerOf(client)
    const options = { name: "A guide", instructions: "Be brief.", model: names.openai }
    const getWeather = tool({
      name: weather.name,
      description: weather.description,
      parameters: z.object({ town: z.string() }),
      execute: () => found
    })
    /** An agent that uses a tool, and is read as it goes. */
    const loop = async (modelSettings: object): Promise<string> => {
      const agent = new Agent({ ...options, tools: [getWeather], ...modelSettings })
      const result = await runner.run(agent, weatherQuestion, { stream: true })
      let text = ""
      for await (const piece of result.toTextStream()) text += piece
      await result.completed
      if (text !== result.finalOutput) throw new Error(`${text} is not ${result.finalOutput}`)
      return text
    }
    const agent = new Agent(options)
    return {
      text: async () => (await runner.run(agent, question)).finalOutput ?? "",
      stream: async () => {
        const result = await runner.run(agent, question, { stream: true })
        for await (const _ of result);
        return result.finalOutput ?? ""
      },
      tools: () => loop({}),
      reasoning: () => loop({ modelSettings: { reasoning: { effort: "low" } } }),
      object: async () => (await runner.run(new Agent({ ...options, outputType: river }), "A river")).finalOutput,
      vision: async () => {
        const picture: AgentInputItem = {
          role: "user",
          content: [
            { type: "input_text", text: question },
            { type: "input_image", image: `data:image/png;base64,${png}` }
          ]
        }
        return (await runner.run(agent, [picture])).finalOutput ?? ""
      },
      cache: async () => {
        const { rawResponses } = await runnerOf(clientOf(kept)).run(agent, longPrompt)
        const [details] = [rawResponses[0]?.usage.inputTokensDetails ?? []].flat()
        return { read: details?.["cached_tokens"] }
      },
      turns: async () => {
        const session = sessionOf(client)
        let last = ""
        for (let turn = 0; turn < turns; turn++)
          last = (await runner.run(agent, `${question} (${turn})`, { session })).finalOutput ?? ""
        const items = await session.getItems()
        if (items.length !== 2 * turns) throw new Error(`${items.length} items`)
        return last
      }
    }
  }

export const agentsClients: Readonly<Record<string, Client>> = {
  "`@openai/agents`, chat completions": agents(false, () => new MemorySession()),
  "`@openai/agents`, responses": agents(true, () => new MemorySession()),
  "`@openai/agents`, conversations": agents(true, (client) => new OpenAIConversationsSession({ client }))
}
