import { operations } from "../../operations.ts"
import { flatInputOf } from "./input.ts"
import type { Call, Snippet, Target } from "./Snippet.ts"
import { argumentsOf, keyNote, optionsOf } from "./typed.ts"

const builtIn: ReadonlySet<string> = new Set(operations.map(({ id }) => id))

const written = (before: string, id: string, call: Call, indent: string): string | undefined => {
  const input = flatInputOf(call.operation, call.example)
  const start = `${indent}${before}${JSON.stringify(id)}, `
  return input === undefined ? undefined : `${start}${argumentsOf(input, call.options, indent, start.length + 1)})`
}

/** An operation that the client has no function for is called by its id. */
export const offered = ({ baseUrl }: Target, call: Call): ReadonlyArray<Snippet> => {
  const { bound, example, operation } = call
  if (builtIn.has(operation.id) || example.contentType === "text/event-stream") return []
  if (example.address !== undefined || (example.variables ?? []).length > 0) return []
  const effect = written("const answer = yield* call(", bound.id, call, "  ")
  const promise = written("const answer = await call(tollgate, ", bound.id, call, "")
  if (effect === undefined || promise === undefined) return []
  const options = optionsOf(baseUrl, call)
  const first = 'import { call } from "@tollgate/client/offered"'
  return [
    {
      language: "effect",
      title: "Effect",
      syntax: "ts",
      code: [
        first,
        'import { NodeClient } from "@tollgate/node"',
        'import { Effect } from "effect"',
        "",
        "const program = Effect.gen(function* () {",
        effect,
        "  console.log(answer)",
        "})",
        "",
        keyNote,
        `const client = NodeClient.layer(${options})`,
        "await Effect.runPromise(Effect.provide(program, client))"
      ].join("\n")
    },
    {
      language: "promises",
      title: "Promises",
      syntax: "ts",
      code: [
        first,
        'import { createClient } from "@tollgate/node"',
        "",
        keyNote,
        `const tollgate = createClient(${options})`,
        "",
        promise,
        "console.log(answer)",
        "await tollgate.close()"
      ].join("\n")
    }
  ]
}
