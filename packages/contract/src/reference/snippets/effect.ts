import type { CallOptions, Snippet } from "./Snippet.ts"
import { argumentsOf, keyNote, type TypedCall, type TypedVariable } from "./typed.ts"

const indent = "  "

const called = (before: string, name: string, input: unknown, own?: CallOptions): string => {
  const start = `${indent}${before}${name}(`
  return `${start}${argumentsOf(input, own, indent, start.length + 1)})`
}

const assigned = (variable: TypedVariable): ReadonlyArray<string> =>
  "expression" in variable
    ? [`${indent}const ${variable.name} = ${variable.expression}`]
    : [
        called("const first = yield* ", variable.call, variable.input),
        `${indent}const ${variable.name} = first.${variable.read}`
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
  const { input, name, options, own, streams, variables } = call
  return {
    language: "effect",
    title: "Effect",
    syntax: "ts",
    code: [
      `import { ${namesOf(call).join(", ")} } from "@tollgate/node"`,
      `import { Effect${streams ? ", Stream" : ""} } from "effect"`,
      "",
      "const program = Effect.gen(function* () {",
      ...variables.flatMap(assigned),
      ...(streams
        ? [
            called("const events = ", name, input, own),
            `${indent}yield* Stream.runForEach(events, (event) =>`,
            `${indent}${indent}Effect.sync(() => process.stdout.write(textOf(event)))`,
            `${indent})`
          ]
        : [called("const answer = yield* ", name, input, own), `${indent}console.log(answer)`]),
      "})",
      "",
      keyNote,
      `const client = NodeClient.layer(${options})`,
      "await Effect.runPromise(Effect.provide(program, client))"
    ].join("\n")
  }
}
