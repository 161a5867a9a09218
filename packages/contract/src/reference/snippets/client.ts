import { operations } from "../../operations.ts"
import { flatInputOf } from "./input.ts"
import type { Call, CallOptions, Snippet, Target } from "./Snippet.ts"
import { argumentsOf, keyNote, optionsOf, type TypedCall, type TypedVariable } from "./typed.ts"

/** How a program waits for a call, and how it reads a stream. */
interface Style {
  readonly waits: string
  readonly on: string
  readonly reads: ReadonlyArray<string>
}

const promised: Style = {
  waits: "await ",
  on: "tollgate.",
  reads: ["for await (const event of events) process.stdout.write(textOf(event))"]
}

const effectful: Style = {
  waits: "yield* ",
  on: "",
  reads: [
    "yield* Stream.runForEach(events, (event) =>",
    "  Effect.sync(() => process.stdout.write(textOf(event)))",
    ")"
  ]
}

const statements =
  ({ on, reads, waits }: Style) =>
  ({ input, name, own, streams, variables }: TypedCall, indent = ""): ReadonlyArray<string> => {
    const called = (result: string, name: string, input: unknown, own?: CallOptions): string => {
      const start = `${indent}const ${result}${on}${name}(`
      return `${start}${argumentsOf(input, own, indent, start.length + 1)})`
    }
    const assigned = (variable: TypedVariable): ReadonlyArray<string> =>
      "expression" in variable
        ? [`${indent}const ${variable.name} = ${variable.expression}`]
        : [
            called(`first = ${waits}`, variable.call, variable.input),
            `${indent}const ${variable.name} = first.${variable.read}`
          ]
    return [
      ...variables.flatMap(assigned),
      called(streams ? "events = " : `answer = ${waits}`, name, input, own),
      ...(streams ? reads.map((line) => indent + line) : [])
    ]
  }

/** The statements that make the call, and those that read its stream. */
export const promiseStatements = statements(promised)
export const effectStatements = statements(effectful)

/** With the client's promises, on Node. */
export const promises = (call: TypedCall): Snippet => ({
  language: "promises",
  title: "Client",
  syntax: "ts",
  code: [
    `import { createClient${call.streams ? ", textOf" : ""} } from "@tollgate/node"`,
    "",
    keyNote,
    `const tollgate = createClient(${call.options})`,
    "",
    ...promiseStatements(call),
    ...(call.streams ? [] : ["console.log(answer)"]),
    "await tollgate.close()"
  ].join("\n")
})

const namesOf = ({ name, streams, variables }: TypedCall): ReadonlyArray<string> => [
  ...new Set([
    "NodeClient",
    ...variables.flatMap((variable) => ("call" in variable ? [variable.call] : [])),
    name,
    ...(streams ? ["textOf"] : [])
  ])
]

/** With the client's effects, on Node. */
export const effect = (call: TypedCall): Snippet => {
  const { options, streams } = call
  return {
    language: "effect",
    title: "Effect",
    syntax: "ts",
    code: [
      `import { ${namesOf(call).join(", ")} } from "@tollgate/node/effect"`,
      `import { Effect${streams ? ", Stream" : ""} } from "effect"`,
      "",
      "const program = Effect.gen(function* () {",
      ...effectStatements(call, "  "),
      ...(streams ? [] : ["  console.log(answer)"]),
      "})",
      "",
      keyNote,
      `const client = NodeClient.layer(${options})`,
      "await Effect.runPromise(Effect.provide(program, client))"
    ].join("\n")
  }
}

const builtIn: ReadonlySet<string> = new Set(operations.map(({ id }) => id))

const written = (before: string, id: string, call: Call): string | undefined => {
  const input = flatInputOf(call.operation, call.example)
  const start = `${before}${JSON.stringify(id)}, `
  return input === undefined ? undefined : `${start}${argumentsOf(input, call.options, "", start.length + 1)})`
}

/** An operation that the client has no function for is called by its id. */
export const offered = ({ baseUrl }: Target, call: Call): ReadonlyArray<Snippet> => {
  const { bound, example, operation } = call
  if (builtIn.has(operation.id) || example.contentType === "text/event-stream") return []
  if (example.address !== undefined || (example.variables ?? []).length > 0) return []
  const promise = written("const answer = await discovered.call(tollgate, ", bound.id, call)
  if (promise === undefined) return []
  return [
    {
      language: "promises",
      title: "Client",
      syntax: "ts",
      code: [
        'import { createClient, discovered } from "@tollgate/node"',
        "",
        keyNote,
        `const tollgate = createClient(${optionsOf(baseUrl, call)})`,
        "",
        promise,
        "console.log(answer)",
        "await tollgate.close()"
      ].join("\n")
    }
  ]
}
