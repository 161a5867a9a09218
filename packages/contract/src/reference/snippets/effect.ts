import type { CallOptions, Snippet } from "./Snippet.ts"
import { argumentsOf, keyNote, type TypedCall, type TypedVariable } from "./typed.ts"

const called = (before: string, name: string, input: unknown, indent: string, own?: CallOptions): string => {
  const start = `${indent}${before}${name}(`
  return `${start}${argumentsOf(input, own, indent, start.length + 1)})`
}

const assigned = (variable: TypedVariable, indent: string): ReadonlyArray<string> =>
  "expression" in variable
    ? [`${indent}const ${variable.name} = ${variable.expression}`]
    : [
        called("const first = yield* ", variable.call, variable.input, indent),
        `${indent}const ${variable.name} = first.${variable.read}`
      ]

/** The statements that make the call, and those that read its stream. */
export const effectStatements = (
  { input, name, own, streams, variables }: TypedCall,
  indent = ""
): ReadonlyArray<string> => [
  ...variables.flatMap((variable) => assigned(variable, indent)),
  ...(streams
    ? [
        called("const events = ", name, input, indent, own),
        `${indent}yield* Stream.runForEach(events, (event) =>`,
        `${indent}  Effect.sync(() => process.stdout.write(textOf(event)))`,
        `${indent})`
      ]
    : [called("const answer = yield* ", name, input, indent, own)])
]

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
      `import { ${namesOf(call).join(", ")} } from "@tollgate/node"`,
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
