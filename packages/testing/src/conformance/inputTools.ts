import * as McpSchema from "effect/ai/McpSchema"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createHmac, randomBytes } from "node:crypto"
import { answered, formField, invalid, textResult, tool } from "./fixture.ts"

type Requests = NonNullable<McpSchema.InputRequired["inputRequests"]>
type Context = McpSchema.McpRequestContext["Service"]

export const form = (message: string, field: string, type = "string"): Requests[string] => ({
  method: "elicitation/create",
  params: { message, requestedSchema: { type: "object", properties: { [field]: { type } }, required: [field] } }
})

const sampling = (text: string): Requests[string] => ({
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text } }], maxTokens: 50 }
})

const roots: Requests[string] = { method: "roots/list", params: {} }

export const needs = (inputRequests: Requests, requestState?: string) =>
  new McpSchema.InputRequired({ inputRequests, ...(requestState === undefined ? {} : { requestState }) })

const secret = randomBytes(32)
const mac = (data: string) => createHmac("sha256", secret).update(data).digest("hex")

/** State that the client carries but cannot change. */
const seal = (data: string): string => `${mac(data)}.${data}`
const unseal = (state: string | undefined): string | undefined => {
  const [sum = "", data = ""] = /^(\w+)\.(.*)$/.exec(state ?? "")?.slice(1) ?? []
  return sum === mac(data) ? data : undefined
}

const inContext = (
  name: string,
  decide: (context: Context) => McpSchema.CallToolResult | McpSchema.InputRequired | McpSchema.InvalidParams
) =>
  tool(name, () =>
    Effect.flatMap(McpSchema.McpRequestContext, (context) => {
      const outcome = decide(context)
      return outcome instanceof McpSchema.InvalidParams ? Effect.fail(outcome) : Effect.succeed(outcome)
    })
  )

const prefix = "test_input_required_result"
const name = form("What is your name?", "name")
const confirm = form("Please confirm", "ok", "boolean")

const multiRound = (context: Context) => {
  const state = unseal(context.requestState)
  const first = formField(answered(context, "step1"), "name")
  const second = formField(answered(context, "step2"), "color")
  if (state === "1" && first !== undefined) {
    return needs({ step2: form("Step 2: What is your favorite color?", "color") }, seal(`2 ${String(first)}`))
  }
  if (state?.startsWith("2 ") === true && second !== undefined) {
    return textResult(`Multi-round complete for ${state.slice(2)} who likes ${String(second)}`)
  }
  return needs({ step1: form("Step 1: What is your name?", "name") }, seal("1"))
}

const byCapability = (context: Context) => {
  const { elicitation, sampling: canSample } = context.clientCapabilities
  if (context.inputResponses !== undefined) return textResult(`received ${Object.keys(context.inputResponses).join()}`)
  const requests: Requests = {
    ...(elicitation === undefined ? {} : { elicit_input: form("Elicitation input", "value") }),
    ...(canSample === undefined ? {} : { sample_input: sampling("Sample request") })
  }
  return Object.keys(requests).length === 0 ? textResult("No supported capabilities") : needs(requests, seal("asked"))
}

/** Tools that end with questions to the client, which calls them again with the answers (SEP-2322). */
export const inputTools = Layer.mergeAll(
  inContext("test_missing_capability", () => needs({ sample: sampling("Needs sampling") })),
  inContext(`${prefix}_elicitation`, (context) => {
    const given = formField(answered(context, "user_name"), "name")
    return given === undefined ? needs({ user_name: name }) : textResult(`Hello, ${String(given)}!`)
  }),
  inContext(`${prefix}_sampling`, (context) => {
    const given = formField(answered(context, "sample_request"), "text")
    return given === undefined
      ? needs({ sample_request: sampling("What is the capital of France?") })
      : textResult(`Sampling result: ${String(given)}`)
  }),
  inContext(`${prefix}_list_roots`, (context) => {
    const given = answered(context, "roots_request")?.roots
    return Array.isArray(given) ? textResult(`Found ${given.length} root(s)`) : needs({ roots_request: roots })
  }),
  inContext(`${prefix}_request_state`, (context) =>
    unseal(context.requestState) === "asked" && formField(answered(context, "confirm"), "ok") === true
      ? textResult("state-ok: requestState validated")
      : needs({ confirm }, seal("asked"))
  ),
  inContext(`${prefix}_multiple_inputs`, (context) => {
    const names = ["user_name", "greeting", "client_roots"]
    return names.every((name) => answered(context, name) !== undefined) && unseal(context.requestState) === "asked"
      ? textResult(`Received ${names.join(", ")}`)
      : needs({ user_name: name, greeting: sampling("Generate a greeting"), client_roots: roots }, seal("asked"))
  }),
  inContext(`${prefix}_multi_round`, multiRound),
  inContext(`${prefix}_tampered_state`, (context) => {
    if (context.requestState === undefined) return needs({ confirm }, seal("asked"))
    return unseal(context.requestState) === "asked"
      ? textResult("integrity-ok: state verified")
      : invalid("requestState integrity check failed")
  }),
  inContext(`${prefix}_capabilities`, byCapability)
)
