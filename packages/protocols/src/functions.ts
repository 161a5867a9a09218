import type { Conversation, Format, Tool } from "./Conversation.ts"
import { defined, isMissing, isObject, type Json, Malformed, object, objects } from "./json.ts"

// OpenAI's two protocols say the same of functions and formats, in other places.

/** A mark of Anthropic's in another protocol. Its price knows only the usual time. */
export const readCache = (value: unknown): Json | undefined => {
  if (!isObject(value)) return undefined
  if (!isMissing(value["ttl"]) && value["ttl"] !== "5m") throw new Malformed("cache_control.ttl", "5m")
  return value
}

interface Read {
  readonly own: ReadonlyArray<string>
}

/** Reads tools. `fieldsOf` finds what is said of a function. */
export const readTools = (
  given: unknown,
  fieldsOf: (tool: Json, at: string) => Json
): Read & { readonly tools: ReadonlyArray<Tool> } => {
  const tools: Array<Tool> = []
  const own: Array<string> = []
  for (const [tool, at] of objects(given, "tools")) {
    const { description, name, parameters, strict } = fieldsOf(tool, at)
    if (tool["type"] !== "function" || typeof name !== "string") own.push(at)
    else {
      tools.push({
        name,
        description: typeof description === "string" ? description : undefined,
        parameters: isMissing(parameters) ? undefined : object(parameters, `${at}.parameters`),
        strict: strict === true ? true : undefined,
        cache: readCache(tool["cache_control"])
      })
    }
  }
  return { tools, own }
}

/** Reads `tool_choice`. `fieldsOf` finds what is said of a function. */
export const readChoice = (
  given: unknown,
  fieldsOf: (choice: Json) => Json
): Read & Pick<Conversation, "toolChoice"> => {
  if (isMissing(given)) return { own: [] }
  if (given === "auto" || given === "none" || given === "required") return { toolChoice: given, own: [] }
  const name = isObject(given) && given["type"] === "function" ? fieldsOf(given)["name"] : undefined
  return typeof name === "string" ? { toolChoice: { name }, own: [] } : { own: ["tool_choice"] }
}

/** Reads the format of the answer. `fieldsOf` finds what is said of a schema. */
export const readFormat = (
  given: unknown,
  at: string,
  fieldsOf: (format: Json) => Json
): Read & { readonly format?: Format } => {
  const read = object(given, at)
  const { type = "text" } = read
  if (type === "text") return { own: [] }
  if (type === "json_object") return { format: { type: "json" }, own: [] }
  if (type !== "json_schema") return { own: [at] }
  const { description, name, schema, strict } = fieldsOf(read)
  return {
    format: {
      type: "schema",
      name: typeof name === "string" ? name : undefined,
      description: typeof description === "string" ? description : undefined,
      schema: object(schema, `${at}.schema`),
      strict: strict === true ? true : undefined
    },
    own: []
  }
}

export const writeSchema = ({
  description,
  name = "answer",
  schema,
  strict
}: Format & { readonly type: "schema" }): Json => defined({ name, description, schema, strict })
