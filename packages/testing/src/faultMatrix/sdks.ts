import Anthropic from "@anthropic-ai/sdk"
import { key } from "../TestGateway.ts"
import OpenAI from "openai"
import { field, type CallerResult, callerResult, nameOf, truncated } from "./CallerResult.ts"
import { chat, costState, message, type ClientCall, type ClientCalls } from "./ClientCalls.ts"

const errorResult = (error: unknown): CallerResult => {
  const headers = field(error, "headers")
  return callerResult(nameOf(error), {
    status: field(error, "status"),
    code: field(error, "code") ?? field(error, "type"),
    requestId: field(error, "requestID"),
    charge: headers instanceof Headers ? headers.get(costState) : undefined
  })
}

const withOpenai =
  (call: (client: OpenAI) => Promise<CallerResult>): ClientCall =>
  (baseUrl, timeout) =>
    call(new OpenAI({ apiKey: key, baseURL: `${baseUrl}/v1`, timeout, logLevel: "off" })).catch(errorResult)

const openaiWhole = withOpenai(async (client) => {
  const { data, response } = await client.chat.completions.create(chat).withResponse()
  const charge = response.headers.get(costState)
  return typeof data === "string" ? callerResult("a string instead of the answer") : callerResult("answer", { charge })
})

export const openai: ClientCalls = {
  whole: openaiWhole,
  openai: openaiWhole,
  stream: withOpenai(async (client) => {
    let isWhole = false
    for await (const { choices } of await client.chat.completions.create({ ...chat, stream: true })) {
      isWhole ||= typeof choices[0]?.finish_reason === "string"
    }
    return callerResult(isWhole ? "answer" : truncated)
  })
}

const withAnthropic =
  (call: (client: Anthropic) => Promise<CallerResult>): ClientCall =>
  (baseURL, timeout) =>
    call(new Anthropic({ apiKey: key, baseURL, timeout, logLevel: "off" })).catch(errorResult)

const anthropicWhole = withAnthropic(async (client) => {
  const { data, response } = await client.messages.create(message).withResponse()
  const charge = response.headers.get(costState)
  return typeof data === "string" ? callerResult("a string instead of the answer") : callerResult("answer", { charge })
})

export const anthropic: ClientCalls = {
  whole: anthropicWhole,
  anthropic: anthropicWhole,
  stream: withAnthropic(async (client) => {
    let isWhole = false
    for await (const { type } of await client.messages.create({ ...message, stream: true })) {
      isWhole ||= type === "message_stop"
    }
    return callerResult(isWhole ? "answer" : truncated)
  })
}
