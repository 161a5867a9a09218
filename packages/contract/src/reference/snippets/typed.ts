import { named } from "../../operations.ts"
import { defaults } from "../../Names.ts"
import type { Bound, Operation } from "../../Operation.ts"
import type { Example } from "../Example.ts"
import { inputOf, literal, withoutStream } from "./input.ts"
import type { Call, CallOptions, Described, Target } from "./Snippet.ts"

/** The name of the client's function for an operation, and of the one that streams its answer, if there are such. */
const functionsOf = (
  name: string,
  { client = {} }: Operation
): { readonly call?: string; readonly stream?: string } => {
  if (client === false) return {}
  if (client.streamsAs !== undefined) return { stream: client.streamsAs }
  return client.stream === undefined ? { call: name } : { call: name, stream: `${name}Stream` }
}

type Names = ReadonlyMap<string, string>

const functions = (kind: "call" | "stream"): Names =>
  new Map(
    Object.entries(named).flatMap(([name, operation]) => {
      const found = functionsOf(name, operation)[kind]
      return found === undefined ? [] : [[operation.id, found]]
    })
  )

/** The client's function for each operation, by the operation's id, which is a template. */
export const calls: Names = functions("call")
/** Those that stream the answer. */
export const streams: Names = functions("stream")

/** A call of the client's function, before it is written in one of the two styles. */
export interface TypedCall {
  readonly name: string
  readonly streams: boolean
  /** Statements that set the variables of the example. */
  readonly variables: ReadonlyArray<TypedVariable>
  readonly input: unknown
  /** The options of the call. */
  readonly own: CallOptions | undefined
  /** The options of the client. */
  readonly options: string
}

export type TypedVariable =
  | { readonly name: string; readonly expression: string }
  | { readonly name: string; readonly call: string; readonly input: unknown; readonly read: string }

/** Whether the client has to read a path or a parameter's name from the gateway's contract. */
const isChosen = ({ pending }: Bound, { query = {} }: Example): boolean =>
  pending.some((part) => part.open === "path" || (part.open === "parameter" && Object.hasOwn(query, part.role)))

export const optionsOf = (baseUrl: string, { bound, example }: Call): string => {
  const { names } = bound
  const areOwn = Object.entries(defaults).some(([word, name]) => names[word as keyof typeof names] !== name)
  return literal({
    baseUrl,
    ...(isChosen(bound, example) ? { discover: true } : {}),
    ...(areOwn ? { names } : {})
  })
}

const firstCallOf = ({ examples, operation }: Described) => ({
  call: calls.get(operation.id),
  input: inputOf(operation, examples[0])
})

const variableOf = (
  find: Target["find"],
  { name, source }: NonNullable<Example["variables"]>[number]
): TypedVariable | undefined => {
  if ("shell" in source) {
    return source.typescript === undefined ? undefined : { name, expression: source.typescript }
  }
  const other = find(source.answerTo)
  if (other === undefined) return undefined
  const { call, input } = firstCallOf(other)
  return call === undefined ? undefined : { name, call, input, read: source.read }
}

export const keyNote = "// The key is in TOLLGATE_KEY."

/** `undefined`: the client has no function for this call. */
export const typedCall = ({ baseUrl, find }: Target, call: Call): TypedCall | undefined => {
  const { example, operation } = call
  const isStream = example.contentType === "text/event-stream"
  const name = (isStream ? streams : calls).get(operation.id)
  if (name === undefined || example.untyped === true || example.address !== undefined) return undefined
  const variables = (example.variables ?? []).map((variable) => variableOf(find, variable))
  const known = variables.filter((variable) => variable !== undefined)
  if (known.length < variables.length) return undefined
  const input = inputOf(operation, example)
  return {
    name,
    streams: isStream,
    variables: known,
    input: isStream ? withoutStream(input) : input,
    own: call.options,
    options: optionsOf(baseUrl, call)
  }
}

/** The function's arguments: its input and the options of the call, where it has them. `before` is how much of the line is taken. */
export const argumentsOf = (input: unknown, own: CallOptions | undefined, indent: string, before: number): string => {
  if (own === undefined || Object.keys(own).length === 0)
    return input === undefined ? "" : literal(input, indent, before)
  const second = literal(own, indent)
  const first = input === undefined ? "undefined" : literal(input, indent, before + second.length + 2)
  return `${first}, ${second}`
}
