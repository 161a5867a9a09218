import * as Operation from "@tollgate/contract/Operation"
import { defaults } from "@tollgate/contract/Names"
import { named } from "@tollgate/contract/operations"
import { isFree } from "@tollgate/contract/price/Price"
import type { Example } from "@tollgate/contract/reference/Example"
import { examplesOf } from "@tollgate/contract/reference/examples"
import { calls, streams, type TypedCall, typedCall } from "@tollgate/contract/reference/snippets/typed"
import { type Described, described } from "./Described.ts"

/** A function of the client that calls one operation. */
export interface ClientFunction {
  readonly name: string
  /** What the names of its types begin with. */
  readonly type: string
  readonly described: Described
  readonly streams: boolean
  readonly takesInput: boolean
  readonly result: string
  /** Whether the type of what it returns is its own, and not one of the contract. */
  readonly hasOwnResult: boolean
  /** Sentences for an editor. */
  readonly text: string
  readonly example: TypedCall | undefined
}

const upper = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1)

const sentence = (text: string): string => text.replace(/\.?$/, ".")

/** Whether the operator chooses its path or names of its parameters. */
export const isPending = ({ pending }: Operation.Operation): boolean =>
  pending.some(({ open }) => open === "path" || open === "parameter")

const textOf = ({ name, note, operation }: Described, isStream: boolean): string => {
  const { client = {}, description, pending, price, replay, summary } = operation
  const { stream } = client === false ? {} : client
  const sentences = [
    sentence(summary),
    ...(description === undefined ? [] : [sentence(description)]),
    ...(isStream ? ["Returns a stream of events; `textOf` reads the text of one."] : []),
    ...(!isStream && stream !== undefined ? [`\`${name}Stream\` streams the answer.`] : []),
    ...(isFree(price) ? ["Free of charge."] : []),
    ...(replay === "create" ? ["If the outcome is unknown, it fails with `OutcomeUnknown` and is not retried."] : []),
    ...(pending.some(({ open }) => open === "path")
      ? ["The operator chooses its path: set `discover` or `bindings` in the client's options."]
      : []),
    ...(note === undefined ? [] : [note])
  ]
  return sentences.join(" ")
}

const find = (id: string) => {
  const operation = Object.values(named).find((candidate) => candidate.id === id)
  if (operation === undefined) return undefined
  // The operator chooses some paths, and the code shows none.
  const bound = Operation.bind(operation, defaults, { path: "/" })!
  return { operation, bound, examples: examplesOf(operation) }
}

const isStreamed = ({ contentType }: Example): boolean => contentType === "text/event-stream"

/** The code of the operation's first example that this function can make. */
const exampleOf = ({ operation }: Described, isStream: boolean): TypedCall | undefined => {
  const target = { baseUrl: "", find }
  const call = find(operation.id)
  const example = call?.examples.find((one) => isStreamed(one) === isStream)
  return call === undefined || example === undefined ? undefined : typedCall(target, { ...call, example })
}

const functionOf = (one: Described, name: string, isStream: boolean): ClientFunction => {
  const { event, operation, success } = one
  const type = isStream ? event : success
  return {
    name,
    type: upper(name),
    described: one,
    streams: isStream,
    takesInput: Operation.parts.some((part) => operation.request[part] !== undefined),
    result: type ?? `${upper(one.name)}${isStream ? "Event" : "Result"}`,
    hasOwnResult: type === undefined,
    text: textOf(one, isStream),
    example: exampleOf(one, isStream)
  }
}

/** Every function of the client that calls one operation, by name. */
export const clientFunctions: ReadonlyArray<ClientFunction> = described
  .flatMap((one) => {
    const call = calls.get(one.operation.id)
    const stream = streams.get(one.operation.id)
    return [
      ...(call === undefined ? [] : [functionOf(one, call, false)]),
      ...(stream === undefined ? [] : [functionOf(one, stream, true)])
    ]
  })
  .toSorted((a, b) => (a.name < b.name ? -1 : 1))

const maxWidth = 116

const wrapped = (text: string): ReadonlyArray<string> => {
  const lines = [""]
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? ""
    if (line === "") lines[lines.length - 1] = word
    else if (line.length + word.length < maxWidth) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines
}

/** What an editor shows. */
export const comment = (text: string, code: ReadonlyArray<string> = []): string => {
  const lines = [...wrapped(text), ...(code.length === 0 ? [] : ["", "@example", ...code.join("\n").split("\n")])]
  if (lines.length === 1) return `/** ${lines[0]} */`
  return ["/**", ...lines.map((line) => ` * ${line}`.trimEnd()), " */"].join("\n")
}

export const header = "// Generated by `pnpm generate` from the operations of the contract. Do not edit."
