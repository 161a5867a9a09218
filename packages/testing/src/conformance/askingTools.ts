import * as McpSchema from "effect/ai/McpSchema"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { textResult, tool } from "./fixture.ts"

/** The client of a session, which a tool may ask in revisions before 2026-07-28. */
const ask = <A>(use: (client: McpSchema.McpReverseClient) => Effect.Effect<A, unknown>, show: (answer: A) => string) =>
  Effect.serviceOption(McpSchema.McpServerClient).pipe(
    Effect.flatMap((client) =>
      Option.isNone(client)
        ? Effect.succeed("no session")
        : Effect.scoped(Effect.flatMap(client.value.getClient, use)).pipe(
            Effect.match({ onSuccess: show, onFailure: () => "not supported" })
          )
    ),
    Effect.map(textResult)
  )

const elicit = (message: string, properties: object, required: ReadonlyArray<string> = []) =>
  ask(
    (client) =>
      Effect.flatMap(
        Schema.decodeUnknownEffect(McpSchema.ElicitRequestFormParams)({
          message,
          requestedSchema: { type: "object", properties, required }
        }),
        client.elicit
      ),
    (answer) =>
      `Elicitation completed: action=${answer.action}, content=${JSON.stringify("content" in answer ? answer.content : {})}`
  )

const sample = (prompt: string) =>
  ask(
    ({ createMessage }) =>
      createMessage({ messages: [{ role: "user", content: { type: "text", text: prompt } }], maxTokens: 100 }),
    ({ content }) => `LLM response: ${JSON.stringify(content)}`
  )

const titles = (word: string) =>
  ["First", "Second", "Third"].map((nth, i) => ({ const: `value${i + 1}`, title: `${nth} ${word}` }))
const options = ["option1", "option2", "option3"]

/** Default values of every primitive type (SEP-1034). */
const defaults = {
  name: { type: "string", description: "User name", default: "John Doe" },
  age: { type: "integer", description: "User age", default: 30 },
  score: { type: "number", description: "User score", default: 95.5 },
  status: { type: "string", description: "User status", enum: ["active", "inactive", "pending"], default: "active" },
  verified: { type: "boolean", description: "Verification status", default: true }
}

/** Every way to write an enumeration (SEP-1330). */
const enumerations = {
  untitledSingle: { type: "string", enum: options },
  titledSingle: { type: "string", oneOf: titles("Option") },
  legacyEnum: {
    type: "string",
    enum: ["opt1", "opt2", "opt3"],
    enumNames: ["Option One", "Option Two", "Option Three"]
  },
  untitledMulti: { type: "array", minItems: 1, maxItems: 3, items: { type: "string", enum: options } },
  titledMulti: { type: "array", minItems: 1, maxItems: 3, items: { anyOf: titles("Choice") } }
}

const stringIn = (input: Readonly<Record<string, unknown>>, name: string) => String(input[name] ?? "")

/** Tools that ask the client something while they run. */
export const askingTools = Layer.mergeAll(
  tool("test_sampling", (input) => sample(stringIn(input, "prompt")), { prompt: { type: "string" } }),
  tool(
    "test_elicitation",
    (input) => elicit(stringIn(input, "message"), { response: { type: "string" } }, ["response"]),
    { message: { type: "string" } }
  ),
  tool("test_elicitation_sep1034_defaults", () => elicit("Please review the fields", defaults)),
  tool("test_elicitation_sep1330_enums", () => elicit("Please select options", enumerations))
)
