import type { CallOptions, Snippet } from "./Snippet.ts"
import { argumentsOf, keyNote, type TypedCall, type TypedVariable } from "./typed.ts"

const called = (before: string, name: string, input: unknown, own?: CallOptions): string => {
  const start = `${before}tollgate.${name}(`
  return `${start}${argumentsOf(input, own, "", start.length + 1)})`
}

const assigned = (variable: TypedVariable): ReadonlyArray<string> =>
  "expression" in variable
    ? [`const ${variable.name} = ${variable.expression}`]
    : [called("const first = await ", variable.call, variable.input), `const ${variable.name} = first.${variable.read}`]

/** The statements that make the call, and those that read its stream. */
export const promiseStatements = ({ input, name, own, streams, variables }: TypedCall): ReadonlyArray<string> => [
  ...variables.flatMap(assigned),
  ...(streams
    ? [
        called("const events = ", name, input, own),
        "for await (const event of events) process.stdout.write(textOf(event))"
      ]
    : [called("const answer = await ", name, input, own)])
]

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
