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

/** With the client's promises, on Node. */
export const promises = ({ input, name, options, own, streams, variables }: TypedCall): Snippet => ({
  language: "promises",
  title: "Promises",
  syntax: "ts",
  code: [
    `import { createClient${streams ? ", textOf" : ""} } from "@tollgate/node"`,
    "",
    keyNote,
    `const tollgate = createClient(${options})`,
    "",
    ...variables.flatMap(assigned),
    ...(streams
      ? [
          called("const events = ", name, input, own),
          "for await (const event of events) process.stdout.write(textOf(event))"
        ]
      : [called("const answer = await ", name, input, own), "console.log(answer)"]),
    "await tollgate.close()"
  ].join("\n")
})
