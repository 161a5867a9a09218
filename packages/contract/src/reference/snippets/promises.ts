import type { Snippet } from "./Snippet.ts"
import { argument, keyNote, type TypedCall, type TypedVariable } from "./typed.ts"

const called = (before: string, name: string, input: unknown, after = ""): string => {
  const start = `${before}tollgate.${name}(`
  return `${start}${argument(input, "", start.length + after.length + 1)})${after}`
}

const assigned = (variable: TypedVariable): ReadonlyArray<string> =>
  "expression" in variable
    ? [`const ${variable.name} = ${variable.expression}`]
    : [called("const first = await ", variable.call, variable.input), `const ${variable.name} = first.${variable.read}`]

/** With the client's promises, on Node. */
export const promises = ({ input, name, options, streams, variables }: TypedCall): Snippet => ({
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
          called("const events = ", name, input),
          "for await (const event of events) process.stdout.write(textOf(event))"
        ]
      : [called("const answer = await ", name, input), "console.log(answer)"]),
    "await tollgate.close()"
  ].join("\n")
})
