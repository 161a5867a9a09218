import Anthropic from "@anthropic-ai/sdk"
import { key } from "../TestGateway.ts"
import OpenAI from "openai"
import { field, type Learned, learned, nameOf, part } from "./learned.ts"
import { chat, costState, message, type Way, type Ways } from "./way.ts"

const thrown = (error: unknown): Learned => {
  const headers = field(error, "headers")
  return learned(nameOf(error), {
    status: field(error, "status"),
    code: field(error, "code") ?? field(error, "type"),
    requestId: field(error, "requestID"),
    charge: headers instanceof Headers ? headers.get(costState) : undefined
  })
}

const ofOpenai =
  (call: (client: OpenAI) => Promise<Learned>): Way =>
  (baseUrl, timeout) =>
    call(new OpenAI({ apiKey: key, baseURL: `${baseUrl}/v1`, timeout, logLevel: "off" })).catch(thrown)

const openaiWhole = ofOpenai(async (client) => {
  const { data, response } = await client.chat.completions.create(chat).withResponse()
  const charge = response.headers.get(costState)
  return typeof data === "string" ? learned("a string in place of the answer") : learned("answer", { charge })
})

export const openai: Ways = {
  whole: openaiWhole,
  openai: openaiWhole,
  stream: ofOpenai(async (client) => {
    let isWhole = false
    for await (const { choices } of await client.chat.completions.create({ ...chat, stream: true })) {
      isWhole ||= typeof choices[0]?.finish_reason === "string"
    }
    return learned(isWhole ? "answer" : part)
  })
}

const ofAnthropic =
  (call: (client: Anthropic) => Promise<Learned>): Way =>
  (baseURL, timeout) =>
    call(new Anthropic({ apiKey: key, baseURL, timeout, logLevel: "off" })).catch(thrown)

const anthropicWhole = ofAnthropic(async (client) => {
  const { data, response } = await client.messages.create(message).withResponse()
  const charge = response.headers.get(costState)
  return typeof data === "string" ? learned("a string in place of the answer") : learned("answer", { charge })
})

export const anthropic: Ways = {
  whole: anthropicWhole,
  anthropic: anthropicWhole,
  stream: ofAnthropic(async (client) => {
    let isWhole = false
    for await (const { type } of await client.messages.create({ ...message, stream: true })) {
      isWhole ||= type === "message_stop"
    }
    return learned(isWhole ? "answer" : part)
  })
}
